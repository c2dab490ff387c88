"""The activity: causes and effects on the page and in the terminal, with simulated accessories."""

import re
import subprocess
import time

import pytest
from daemon import program
from home import hub, make_home  # noqa: F401 (fixtures)
from lan import end, until
from web import Page, browser, fetch

FILE = """
name: Simulated House
code: 271-82-845
accessories:
  - name: Hall Lamp
    services: [{type: Lightbulb, characteristics: {On: false, Brightness: 30}}]
  - name: Desk Lamp
    services: [{type: Lightbulb, characteristics: {On: false, Brightness: 30}}]
  - name: Hall Sensor
    services: [{type: MotionSensor, characteristics: {MotionDetected: false}}]
  - name: Thermometer
    services: [{type: TemperatureSensor, characteristics: {CurrentTemperature: 20}}]
"""
ROOMS = {"Hall": ["Hall Lamp", "Hall Sensor"], "Study": ["Desk Lamp", "Thermometer"]}


@pytest.fixture
def house(make_home, tmp_path):
    home = make_home()
    file = tmp_path / "house.yaml"
    file.write_text(FILE)
    home.simulator = home.host.popen(
        program("hapsim"), file, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.STDOUT, text=True)
    home.page = Page(home.host, home, tmp_path / "page", listen="0.0.0.0:0")
    try:
        home.cli("homes", "add", "Villa")
        until(lambda: home.add("271-82-845", "Simulated House", check=False).returncode == 0, 60, "the house is added")
        for room, names in ROOMS.items():
            home.cli("rooms", "add", room)
            home.cli("assign", *names, room)
        home.page.start()
        yield home
    finally:
        home.page.close()
        end(home.simulator)


def report(home, line):
    home.simulator.stdin.write(line + "\n")
    home.simulator.stdin.flush()


def activity(home, *words):
    return home.cli("activity", *words, "--json")


def texts(home, *words):
    return [one["text"] for one in activity(home, *words)]


def get(home, path, token=None):
    return fetch(home.host, f"http://{home.host.address}:{home.page.port}", path, token=token or home.page.token)[2]


def switch(home, lamp):
    """Returns the IDs of a lamp's service and of its power value."""
    services = home.cli("show", lamp, "--json")["services"]
    return next((service["id"], value["id"]) for service in services for value in service["characteristics"] if value["name"] == "on")


def ids(home, kind):
    return {one["name"]: one["id"] for one in home.cli(kind, "--json")}


def test_activity_names_causes_and_survives_a_restart(house):
    house.cli("write", "Hall Lamp", "on=yes")
    report(house, "Desk Lamp/On = true")
    until(lambda: "Desk Lamp: on" in texts(house), 10, "the accessory's own change")
    house.cli("scenes", "add", "Night")
    house.cli("scenes", "set", "Night", "Hall Lamp", "on=no")
    house.cli("scenes", "set", "Night", "Desk Lamp", "on=no")
    house.cli("scenes", "run", "Night")
    until(lambda: "Night: turned off 2 lights" in texts(house), 10, "the scene")
    house.cli("automations", "add", "Motion", "--when", "Hall Sensor motion=yes", "--set", "Hall Lamp on")
    report(house, "Hall Sensor/MotionDetected = true")
    until(lambda: "Motion: turned on Hall Lamp" in texts(house), 10, "the automation")
    invite = ("web", "--state-directory", house.page.state_directory, "--invite", "Anna", "--json")
    service, value = switch(house, "Desk Lamp")
    address = f"http://{house.host.address}:{house.page.port}"
    token = house.cli(*invite)["token"]
    assert fetch(house.host, address, f"/services/{service}/values", "POST", {value: "true"}, token=token)[0] == 303
    until(lambda: "Turned on Desk Lamp" in texts(house), 10, "the person's change")
    report(house, "Thermometer/CurrentTemperature = 25")
    by = {one["text"]: one["cause"] for one in activity(house)}
    assert by["Turned on Hall Lamp"]["app"] == "org.lamplighter.homehub" and by["Desk Lamp: on"] == {}
    assert "trigger" in by["Motion: turned on Hall Lamp"] and not [one for one in by if "Thermometer:" in one]
    assert by["Turned on Desk Lamp"] == {"app": "org.lamplighter.homeweb", "person": "Anna"}
    before = texts(house)
    assert house.terminate() == 0
    house.start()
    assert texts(house)[:len(before)] == before
    table = house.cli("activity").stdout
    for words in (r"the homehub command +Turned on Hall Lamp", r"Anna +Turned on Desk Lamp", r"\d +Desk Lamp: on", r"Motion: turned on Hall Lamp"):
        assert re.search(words, table), (words, table)
    until(lambda: "Motion: turned on Hall Lamp" in get(house, "/activity") and "by Anna" in get(house, "/activity"), 20, "the page")
    # A restart isn't an outage of the accessories.
    until(lambda: house.cli("accessories", "--json")[0].get("isReachable", True), 20, "the accessories are back")
    assert not [one for one in texts(house) if "responding" in one]
    # The activity of a room, and of a removed accessory.
    assert not [one for one in texts(house, "Hall") if "Desk" in one]
    house.cli("activity", "Hall Lamp", "--delete", "--yes")
    assert not texts(house, "Hall Lamp") and "The history of Hall Lamp was deleted" in texts(house)
    house.cli("remove", "Simulated House", "--yes")
    until(lambda: not [one for one in texts(house) if "Desk Lamp:" in one], 10, "the changes are gone")


def test_page_shows_activity_live_by_room_and_only_the_rooms_of_a_guest(house, tmp_path):
    guest = house.cli(
        "web", "--state-directory", house.page.state_directory, "--invite", "Anna", "--guest", "--room", "Hall", "--json")["token"]
    lamp = switch(house, "Hall Lamp")
    address = f"http://{house.host.address}:{house.page.port}"
    assert fetch(house.host, address, f"/services/{lamp[0]}/values", "POST", {lamp[1]: "true"}, token=guest)[0] == 303
    house.cli("write", "Desk Lamp", "on=yes")
    until(lambda: "Turned on Desk Lamp" in get(house, "/activity"), 10, "the change of the terminal")
    assert "Turned on Hall Lamp" in get(house, "/activity") and "by Anna" in get(house, "/activity")
    assert "Desk Lamp" not in get(house, "/activity", guest) and "Turned on Hall Lamp" in get(house, "/activity", guest)
    rooms, accessories = ids(house, "rooms"), ids(house, "accessories")
    for path in (f"/activity?room={rooms['Study']}", f"/activity?accessory={accessories['Desk Lamp']}"):
        assert "Turned on Desk Lamp" in get(house, path) and "Turned on Hall Lamp" not in get(house, path)
        assert "Turned on Desk Lamp" not in get(house, path, guest)
    house.cli("automations", "add", "Secret", "--when", "Hall Sensor motion=yes", "--set", "Hall Lamp off")
    mark = re.search(r'data-live="([^"]*)"', get(house, "/activity"))[1].replace("&amp;", "&")
    stream = subprocess.Popen(
        house.host.inside("curl", "-s", "-N", "-m", "60", "-H", f"Cookie: lamplighter={house.page.token}", address + mark),
        stdout=subprocess.PIPE, text=True)
    try:
        with browser(house.host, tmp_path) as chromium:
            visitor = chromium.open(address, "/enter#" + house.page.token)
            visitor.until_text("Villa")
            visitor.go("/activity").until_text("Turned on Desk Lamp")
            visitor.page.locator("nav[aria-label=Rooms] a").first.focus()
            for state in ("true", "false", "true"):
                report(house, f"Hall Sensor/MotionDetected = {state}")
                time.sleep(1.2)
            visitor.until_text("Hall Sensor: motion; 3 changes since")
            # The repeated changes are one line. Only the automation's last run is newer.
            assert "Hall Sensor" in "".join(visitor.page.locator(".activity > li").all_inner_texts()[:2])
            assert visitor.page.get_by_text("Hall Sensor: motion; 3 changes").count() == 1
            assert visitor.page.evaluate("document.activeElement.className") == "chip" and not visitor.violations()
            # A guest of some rooms doesn't see the names of automations.
            assert "Secret: turned off Hall Lamp" in visitor.text() and "Secret" not in get(house, "/activity", guest)
            assert "An automation: turned off Hall Lamp" in get(house, "/activity", guest)
            visitor.page.get_by_role("link", name="Study", exact=True).click()
            visitor.until_text("Turned on Desk Lamp")
            assert "Sensor" not in visitor.text(".activity")
            visitor.page.get_by_role("link", name="Thermometer", exact=True).click()
            visitor.page.get_by_role("link", name="Graphs of Thermometer").click()
            visitor.until_text("7 days")
            assert not [one for one in visitor.complaints if "Cross-Origin" not in one]
    finally:
        end(stream)
    events = re.findall(r"event: (\w+)\ndata: (.*)\n", stream.stdout.read())
    parts = [data for name, data in events if name == "part"]
    assert parts and max(len(one) for one in parts) <= 1000 and "main" not in [name for name, _ in events], events


def test_older_activity_is_on_further_pages_and_owners_delete_it(house):
    for number in range(70):
        names = ["Study", "Library"] if number % 2 == 0 else ["Library", "Study"]
        house.cli("rename", *names, "--kind", "room")
    first = get(house, "/activity")
    older = re.search(r'href="(/activity\?before=\d+)"', first)[1]
    second = get(house, older)
    assert first.count("was renamed") == 60 and second.count("was renamed") == 10 and "Latest activity" in second
    home = ids(house, "homes")["Villa"]
    address = f"http://{house.host.address}:{house.page.port}"
    assert "Delete the history of Villa" in get(house, "/privacy")
    assert fetch(house.host, address, "/privacy/history", "POST", {"home": home}, token=house.page.token)[0] == 303
    page = get(house, "/activity")
    assert "was renamed" not in page and "The history of Villa" not in page and "history of the home was deleted" in page
