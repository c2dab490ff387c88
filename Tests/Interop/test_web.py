"""The page in a browser, for a home with accessories of HAP-python and hapsim."""

import html
import json
import os
import re
import signal
import sys
from pathlib import Path

import pytest

from conftest import configuration
from daemon import Daemon, program
from home import HomeDaemon
from lan import end, until
from python_kinds import CODE, DEVICE
from talker import Talker
from web import Page, browser, fetch

HERE = Path(__file__).parent
ROOMS = {
    "Kitchen": ["The Lightbulb", "The Fan", "The Faucet"], "Hall": ["Front Door", "The Smoke Sensor"],
    "Living Room": ["The Thermostat", "The Switch", "Living Room TV"],
    "Bedroom": ["The Window", "The Window Covering", "The Temperature Sensor"],
}
LAMP = """
name: Desk Lamp
code: 466-37-726
services:
  - type: Lightbulb
    characteristics:
      On: false
      Brightness: 30
  - type: 0B6A35C0-1C6C-4B0E-8D2B-5F0F7A7C3D11
    name: Statistics
    characteristics:
      0B6A35C1-1C6C-4B0E-8D2B-5F0F7A7C3D11:
        {format: uint32, permissions: [pr, ev], description: Hours of Light, value: 12}
"""


@pytest.fixture(scope="module")
def house(lan, tmp_path_factory):
    """The hub, the bridge with all kinds, the page and a browser on the same host."""
    directory = tmp_path_factory.mktemp("web")
    with lan.add_host("web", "10.77.0.31") as host:
        home = HomeDaemon(host, directory / "home").start()
        bridge = Talker(
            lan.phone, directory / "bridge.log", sys.executable, HERE / "python_kinds.py", lan.phone.address, 51844,
            directory / "bridge.state")
        page = None
        try:
            bridge.until(lambda line: "ready" in line, 40)
            home.cli("homes", "add", "Villa")
            home.add(CODE, DEVICE)
            for room, names in ROOMS.items():
                home.cli("rooms", "add", room)
                home.cli("assign", *names, room)
            home.cli("zones", "add", "Upstairs")
            home.cli("zones", "add-room", "Upstairs", "Bedroom")
            home.cli("favorite", "The Lightbulb")
            page = Page(host, home, directory / "page").start()
            with browser(host, directory) as chromium:
                yield House(home, bridge, page, chromium)
        finally:
            if page:
                page.close()
            bridge.close()
            home.close()


class House:
    def __init__(self, home, bridge, page, chromium):
        self.home, self.bridge, self.page, self.chromium = home, bridge, page, chromium
        self.app = home.app()
        self.villa = self.app.home

    def iid(self, name, kind):
        """Return the iid of a characteristic, by the accessory's name and the short type."""
        (iid,) = [
            one["iid"] for accessory in self.villa["accessories"] if accessory["name"] == name
            for service in accessory["services"] for one in service["characteristics"]
            if one["type"].lstrip("0").split("-")[0].lstrip("0") == kind][:1]
        return iid

    def report(self, name, kind, value):
        """Change a value on the device."""
        self.bridge.say([name, self.iid(name, kind), value])

    def held(self, name, kind):
        self.bridge.say("values")
        return self.bridge.until(lambda line: "values" in line)["values"][name][str(self.iid(name, kind))]

    @property
    def mark(self):
        """Return the number of lines from the bridge."""
        self.bridge.say("values")
        self.bridge.until(lambda line: "values" in line)
        return len(self.bridge.received)

    def reads(self, mark):
        """Return the reads since the mark: the values of each request."""
        end = self.mark
        return [[tuple(one) for one in line["read"]] for line in self.bridge.received[mark:end] if "read" in line]

    @property
    def subscribed(self):
        """Return the subscribed values."""
        values = set()
        for line in self.bridge.received[:self.mark]:
            if "subscribed" in line:
                (values.add if line["isOn"] else values.discard)(tuple(line["subscribed"]))
        return values

    def path(self, visitor, name):
        """Return the path of the first service with this name, or of an accessory with this name."""
        links = re.findall(r'<a class="words" href="([^"]*)">(.*?)</a>', fetch(self.page.host, self.page.address, "/?by=kind")[2], re.S)
        return next(path for path, words in links if name in html.unescape(words))


@pytest.fixture
def visit(house):
    """Open pages as visitors, and check that there are no errors or requests to other servers."""
    visitors = []

    def open_page(path="/", **options):
        visitor = house.chromium.open(house.page.address, path, **options)
        visitors.append(visitor)
        return visitor

    yield open_page
    for visitor in visitors:
        complaints, foreign = visitor.complaints, visitor.foreign
        visitor.context.close()
        assert not complaints and not foreign, (complaints, foreign)


def tile(visitor, name):
    return visitor.page.locator("section", has_not=visitor.page.locator("h2", has_text="Favorites")).locator(
        ".tile", has_text=name).first


def strip(visitor, room):
    """Return the readings of a room."""
    return visitor.page.locator("section", has=visitor.page.locator("h2", has_text=room)).locator(".strip").inner_text()


def test_every_view_opens_with_its_content(house, visit):
    visitor = visit()
    views = {
        "/": "Villa", "/?by=kind": "Lights", "/?by=category": "Lightbulb", "/?by=zone": "Upstairs",
        "/?favorites=1": "", "/scenes": "Scenes", "/activity": "Activity", "/more": "Rooms and zones",
        "/rooms": "Kitchen", "/names": "Names", "/search?q=kitchen": "Kitchen", "/accessories": "Kitchen", "/automations": "Automations",
        "/automations/new": "New automation", "/people": "Location", "/add": "Add an accessory", "/privacy": "Privacy", "/bridge": "Bridge",
    }
    for path, expected in views.items():
        visitor.go(path)
        assert expected in visitor.text(), path
    visitor.go("/")
    for name in ("The Lightbulb", "The Thermostat", "The Switch", "Living Room TV", "Sprinklers"):
        visitor.go("/")
        visitor.go(house.path(visitor, name))
        visitor.page.get_by_role("link", name="Details").click()
        visitor.until_text("HAP|All services", "main")
    visitor.go("/")
    visitor.go(house.path(visitor, "The Thermostat"))
    assert "Readings" in visitor.text() and "Temperature" in visitor.text()
    visitor.go("/")
    visitor.page.get_by_role("link", name="Kitchen").click()
    visitor.until_text("The Lightbulb")


def test_click_switches_a_lamp_and_changes_appear_in_all_browsers(house, visit):
    first, second = visit(), visit()
    house.report("The Lightbulb", "25", False)
    until(lambda: "Off" in tile(first, "The Lightbulb").inner_text(), 5, "off in the first")
    tile(first, "The Lightbulb").get_by_role("button").click()
    until(lambda: house.held("The Lightbulb", "25"), 5, "the lamp is on")
    # HAP-python itself delays an event by half a second.
    until(lambda: re.search(r"\bOn\b", tile(second, "The Lightbulb").inner_text()), 3, "on in the second", interval=0.05)
    house.report("The Temperature Sensor", "11", 23.5)
    for visitor in (first, second):
        until(lambda: "23.5 °C" in strip(visitor, "Bedroom"), 3, "23.5 °C", interval=0.05)
    # The chips show the light and the measurement, too.
    until(lambda: re.search(r"Lights\s+1 on", first.text("#status")), 3, "the chip of the lights")
    assert re.search(r"Climate\s.*2[34] °C", first.text("#status")), first.text("#status")


@pytest.mark.parametrize("has_script", [True, False])
def test_chip_lists_the_lights_that_are_on_and_turns_them_off_and_on_again(house, visit, has_script):
    house.report("The Lightbulb", "25", True)
    visitor = visit("/", java_script_enabled=has_script)
    page = visitor.page
    until(lambda: "Lights" in visitor.go("/").text("#status") and "1 on" in visitor.text("#status"), 10, "one light is on")
    page.get_by_role("link", name="Lights 1 on").click()
    visitor.until_text("The Lightbulb")
    assert "Kitchen" in visitor.text(".tile") and "The Switch" not in visitor.text()
    page.get_by_role("button", name="Turn The Lightbulb off").click()
    until(lambda: not house.held("The Lightbulb", "25"), 5, "off")
    visitor.until_text("All off")
    page.get_by_role("button", name="Undo").click()
    until(lambda: house.held("The Lightbulb", "25"), 5, "on again")
    visitor.until_text("1 on")
    assert not page.get_by_role("button", name="Undo").count()


def test_change_that_is_undone_at_once_appears(house, visit):
    house.report("The Lightbulb", "25", True)
    visitor = visit()
    until(lambda: "Lights" in visitor.go("/").text("#status") and "1 on" in visitor.text("#status"), 10, "one light is on")
    visitor.page.get_by_role("link", name="Lights 1 on").click()
    visitor.page.evaluate("new MutationObserver(() => document.querySelector('#toasts form')?.requestSubmit()).observe(document.getElementById('toasts'), { childList: true })")
    for _ in range(3):
        visitor.page.get_by_role("button", name="Turn The Lightbulb off").click()
        visitor.until_text("on again", "#toasts")
        until(lambda: "1 on" in visitor.text() and not visitor.page.locator(".pending").count(), 5, "the light is on again")


def test_hidden_page_shows_the_latest_state_when_it_is_visible_again(house, visit):
    def hide(is_hidden):
        visitor.page.evaluate(
            "hidden => { Object.defineProperty(document, 'hidden', { value: hidden, configurable: true });"
            " document.dispatchEvent(new Event('visibilitychange')); }", is_hidden)

    def shows(visitor, state):
        until(lambda: re.search(rf"\b{state}\b", tile(visitor, "The Lightbulb").inner_text()), 5, state)

    def is_lit():
        return "on" in tile(visitor, "The Lightbulb").get_attribute("class").split()

    visitor, other = visit(), visit()
    house.report("The Lightbulb", "25", False)
    shows(other, "Off")
    visitor.go("/")
    shows(visitor, "Off")
    house.report("The Lightbulb", "25", True)
    shows(visitor, "On")
    hide(True)
    house.report("The Lightbulb", "25", False)
    shows(other, "Off")
    hide(False)
    shows(visitor, "Off")
    # A tap without live updates shows its own result, even if that is the first state of the page.
    visitor.go("/")
    hide(True)
    for is_on in True, False, True:
        tile(visitor, "The Lightbulb").get_by_role("button").click()
        until(lambda: house.held("The Lightbulb", "25") == is_on, 5, f"on: {is_on}")
        until(lambda: not visitor.page.locator(".pending").count(), 5, "the request is over")
        assert is_lit() == is_on
    house.report("The Lightbulb", "25", False)
    shows(other, "Off")
    hide(False)
    until(lambda: not is_lit(), 5, "the tile is off")


def test_what_needs_attention_is_listed_with_the_reason(house, visit):
    house.report("The Leak Sensor", "70", 1)
    visitor = visit()
    visitor.until_text(r"Needs attention\s+\d", "#status")
    visitor.page.get_by_role("link", name="Needs attention").click()
    visitor.until_text("The Leak Sensor: leak")
    house.report("The Leak Sensor", "70", 0)
    until(lambda: "The Leak Sensor" not in visitor.text(), 5, "the leak is over")


def test_value_whose_read_fails_is_marked_until_a_value_arrives(house, visit):
    house.report("The Temperature Sensor", "11", 17.5)
    home, service = visit(), visit(house.path(None, "The Temperature Sensor"))
    until(lambda: "17.5 °C" in strip(home, "Bedroom") and "17.5 °C" in service.text(), 5, "the value")
    marks = lambda: (home.page.locator(".strip .stale").count(), service.page.locator("#state.stale").count())  # noqa: E731
    until(lambda: marks() == (0, 0), 10, "all values are current")
    house.bridge.say({"failing": ["The Temperature Sensor"]})
    try:
        house.home.cli("read", "The Temperature Sensor", "current-temperature", check=False)
        until(lambda: marks() == (1, 1), 5, "the value is marked")
        assert "17.5 °C" in strip(home, "Bedroom") and "17.5 °C" in service.text(), "the last value remains"
    finally:
        house.bridge.say({"failing": []})
    house.report("The Temperature Sensor", "11", 18)
    until(lambda: marks() == (0, 0) and "18 °C" in strip(home, "Bedroom"), 5, "the mark ends with the next value")


def test_tiles_are_made_wide_hidden_and_ordered_among_the_favorites(house, visit):
    room = re.search(r'<a href="(/rooms/[^"]*)">Kitchen<', fetch(house.page.host, house.page.address, "/rooms")[2])[1]
    visitor, other = visit(room + "/order"), visit("/", viewport={"width": 390, "height": 800})
    page, kitchen = visitor.page, other.page.locator("section", has=other.page.locator("h2", has_text="Kitchen"))
    names = lambda: kitchen.locator(".tile b").all_text_contents()  # noqa: E731
    width = lambda name: kitchen.locator(".tile", has_text=name).bounding_box()["width"]  # noqa: E731
    wide, hidden = page.get_by_role("button", name="Wide: The Fan"), page.get_by_role("button", name="Hidden on Home: The Faucet")
    for button in (wide, hidden):
        button.focus()
        page.keyboard.press("Enter")
        until(lambda: button.get_attribute("aria-pressed") == "true", 5, "pressed")
    until(lambda: "The Faucet" not in names() and width("The Fan") > 2 * width("The Lightbulb"), 5, "Home shows the change")
    other.page.evaluate("document.documentElement.style.fontSize = '200%'")
    assert other.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    other.page.evaluate("document.documentElement.style.fontSize = ''")
    assert "The Faucet" in fetch(house.page.host, house.page.address, room)[2], "the room's page shows hidden tiles"
    # The arrangement survives a restart.
    assert house.page.terminate() == 0
    house.page.start(allowed=False)
    for one in (visitor, other):
        until(lambda: not one._now("#notice"), 20, "the page is connected again")
        one.complaints.clear()
    visitor.go(room + "/order")
    assert hidden.get_attribute("aria-pressed") == "true" and "The Faucet" not in names()
    # Quick presses don't wait for each other.
    for button in (wide, hidden):
        button.click()
    until(lambda: not page.locator(".looks [aria-pressed=true], .pending").count(), 5, "as before")
    until(lambda: "The Faucet" in names() and width("The Fan") == width("The Lightbulb"), 5, "Home shows all tiles")
    house.home.cli("favorite", "The Fan")
    favorites = other.page.locator("#g-favorites .tile b")
    until(lambda: favorites.all_text_contents() == ["The Fan", "The Lightbulb"], 5, "two favorites")
    visitor.go("/rooms")
    page.get_by_role("link", name="Arrange favorites").click()
    page.get_by_role("button", name="Move The Fan down").click()
    until(lambda: favorites.all_text_contents() == ["The Lightbulb", "The Fan"], 5, "Home shows the new order")
    house.home.cli("favorite", "The Fan", "--off")


def test_rooms_and_tiles_are_arranged_by_keyboard_and_by_drag(house, visit):
    visitor, other = visit("/rooms"), visit("/")
    page = visitor.page
    rooms = lambda: [one for one in other.page.locator(".rooms h2").all_text_contents() if one in ROOMS]  # noqa: E731
    assert rooms() == sorted(ROOMS)
    up = page.get_by_role("button", name="Move Living Room up")
    up.focus()
    for position in (2, 1, 0):
        page.keyboard.press("Enter")
        until(lambda: rooms().index("Living Room") == position, 5, f"Living Room at {position}")
    assert page.evaluate("document.activeElement.ariaLabel") == "Move Living Room up"
    visitor.go(page.get_by_role("link", name="Kitchen", exact=True).get_attribute("href") + "/order")
    items = lambda: page.locator(".order li b").all_inner_texts()  # noqa: E731
    assert items() == ["The Lightbulb", "The Fan", "The Faucet"]
    grip, first = page.locator(".grip").last.bounding_box(), page.locator(".grip").first.bounding_box()
    page.mouse.move(grip["x"] + 10, grip["y"] + 10)
    page.mouse.down()
    page.mouse.move(first["x"] + 10, first["y"] + 5, steps=8)
    page.mouse.up()
    until(lambda: items() == ["The Faucet", "The Lightbulb", "The Fan"] and not page.locator(".pending").count(), 5, "the new order")
    kitchen = other.page.locator("section", has=other.page.locator("h2", has_text="Kitchen"))
    until(lambda: kitchen.locator(".tile b").all_text_contents() == items(), 5, "the other visitor sees the order")
    assert "Living Room" == rooms()[0]


def test_accessory_opens_as_a_sheet_on_a_wide_screen(house, visit):
    house.report("The Lightbulb", "25", False)
    visitor = visit("/", viewport={"width": 1700, "height": 900})
    page = visitor.page
    until(lambda: "Off" in tile(visitor, "The Lightbulb").inner_text(), 5, "off")
    tile(visitor, "The Lightbulb").locator("a.words").click()
    sheet = page.get_by_role("dialog", name="The Lightbulb")
    sheet.get_by_role("switch").first.click()
    until(lambda: house.held("The Lightbulb", "25"), 5, "on by the sheet")
    house.report("The Lightbulb", "8", 64)
    until(lambda: "64 %" in sheet.inner_text(), 5, "the sheet is live")
    page.keyboard.press("Escape")
    until(lambda: not sheet.count(), 5, "the sheet is closed")
    assert page.url.endswith("/") and visitor.text("h1") == "Villa"
    until(lambda: "64 %" in tile(visitor, "The Lightbulb").inner_text(), 5, "Home is up to date")


def test_change_in_a_sheet_can_be_undone_there(house, visit):
    house.report("The Lightbulb", "25", True)
    visitor = visit("/", viewport={"width": 1700, "height": 900})
    page = visitor.page
    visitor.until_text("1 on", "#status")
    page.get_by_role("link", name="Lights 1 on").click()
    sheet = page.get_by_role("dialog", name="Lights")
    sheet.get_by_role("button", name="Turn The Lightbulb off").click()
    until(lambda: not house.held("The Lightbulb", "25"), 5, "off")
    sheet.get_by_role("button", name="Undo").click()
    until(lambda: house.held("The Lightbulb", "25"), 5, "on again")
    page.keyboard.press("Escape")
    until(lambda: not sheet.count(), 5, "the sheet is closed")
    assert page.locator("body > #toasts").count() == 1


def test_failed_undo_shows_its_error_until_it_is_dismissed(house, visit):
    house.home.cli("zones", "add", "Outside")
    visitor = visit("/rooms")
    page = visitor.page
    page.get_by_role("button", name="Remove Outside").click()
    visitor.until_text("Outside was removed.", "#toasts")
    page.route("**/undo", lambda route: route.abort())
    page.get_by_role("button", name="Undo").click()
    visitor.until_text("isn't responding", "#toasts")
    assert page.locator(".toast").evaluate("one => one.getAnimations().length") == 0


def test_tick_stays_with_its_accessory_when_the_list_changes(house, visit):
    visitor = visit("/accessories")
    page = visitor.page
    page.get_by_label("The Faucet").check()
    house.home.cli("rename", "The Lightbulb", "A Lightbulb")
    try:
        visitor.until_text("A Lightbulb")
        assert page.locator("li:has(:checked)").inner_text().strip().startswith("The Faucet")
        assert page.locator(":checked").count() == 1
    finally:
        house.home.cli("rename", "A Lightbulb", "The Lightbulb")


def test_lamp_controls_work_by_keyboard_alone(house, visit):
    visitor = visit()
    house.report("The Lightbulb", "8", 60)
    house.report("The Lightbulb", "25", False)
    until(lambda: "Off" in tile(visitor, "The Lightbulb").inner_text(), 5, "off")
    visitor.go(house.path(visitor, "The Lightbulb"))
    page = visitor.page
    page.get_by_role("switch").focus()
    page.keyboard.press("Space")
    until(lambda: house.held("The Lightbulb", "25"), 5, "on by the space bar")
    slider = page.get_by_role("slider", name="Brightness")
    slider.focus()
    before = house.held("The Lightbulb", "8")
    for _ in range(3):
        page.keyboard.press("ArrowLeft")
    until(lambda: house.held("The Lightbulb", "8") == before - 3, 5, "three less by the arrow")
    page.get_by_role("button", name="Red").focus()
    page.keyboard.press("Enter")
    until(lambda: (house.held("The Lightbulb", "13"), house.held("The Lightbulb", "2F")) == (0, 100), 5, "red")
    # All controls can be reached with the Tab key, and show the focus.
    page.evaluate("document.activeElement.blur()")
    wanted = page.locator("main a, main button, main input, main summary").count()
    reached = set()
    for _ in range(wanted + 20):
        page.keyboard.press("Tab")
        reached.add(page.evaluate(
            "[...document.querySelectorAll('main a, main button, main input, main summary')].indexOf(document.activeElement)"))
    shown = page.evaluate(
        "[...document.querySelectorAll('main a, main button, main input, main summary')]"
        ".map((e, i) => e.checkVisibility() && !e.disabled && e.type !== 'hidden' ? i : -1).filter((i) => i >= 0)")
    assert set(shown) <= reached, [i for i in shown if i not in reached]


def test_taken_name_is_refused_with_a_clickable_suggestion(house, visit):
    visitor = visit("/rooms")
    box = visitor.page.get_by_label("New room name")
    box.fill("Kitchen")
    visitor.until_text("exists in this home")
    suggestion = visitor.page.locator("form[data-names=room] .hint button").first
    name = suggestion.inner_text()
    assert name != "Kitchen"
    suggestion.click()
    until(lambda: box.input_value() == name, 5, "the suggestion is taken")
    until(lambda: "exists" not in visitor.text(), 5, "the name is available")
    visitor.page.get_by_role("button", name="Add room").click()
    visitor.until_text(name)
    assert name in house.home.cli("rooms").stdout
    # Without the check during typing, the home rejects the name.
    status, _, body = fetch(
        house.page.host, house.page.address, f"/homes/{house.villa['id']}/rooms", "POST", {"name": "Kitchen"})
    assert status == 409 and "Kitchen" in body
    house.home.cli("rooms", "remove", name)
    visitor.page.wait_for_function("name => !document.querySelector('main').innerText.includes(name)", arg=name)


def test_refused_name_stays_in_its_form(house, visit):
    visitor = visit("/rooms")
    for name, reason in (("The Lightbulb", "exists"), ("Villa", "exists"), ("-", "letter")):
        box = visitor.page.get_by_label("New room name")
        box.fill(name)
        box.press("Enter")
        hint = visitor.page.locator("form[data-names=room] .hint")
        until(lambda: reason in hint.inner_text(), 5, name)
        assert box.input_value() == name and hint.get_by_role("button").count(), name
    checked = visitor.page.evaluate("fetch('/check-name?kind=room&name=The+Lightbulb').then((answer) => answer.json())")
    assert "exists" in checked["refusal"] and checked["suggestions"]
    # The browser reports the refusals as errors.
    visitor.complaints = [one for one in visitor.complaints if "409" not in one and "400" not in one]


def test_refused_name_stays_in_its_form_without_javascript(house, visit):
    visitor = visit("/rooms", java_script_enabled=False)
    for name in ("Villa", "The Lightbulb"):
        visitor.page.get_by_label("New room name").fill(name)
        visitor.page.get_by_role("button", name="Add room").click()
        assert "exists" in visitor.text(".message") and visitor.page.get_by_label("New room name").input_value() == name
    assert visitor.page.get_by_role("heading", name="Rooms and zones").count() == 1
    visitor.complaints = [one for one in visitor.complaints if "409" not in one]


def test_removals_can_be_undone(house, visit):
    house.home.cli("rooms", "add", "Attic")
    house.home.cli("zones", "add", "Outside")
    visitor = visit("/rooms")
    for name, command in (("Attic", "rooms"), ("Outside", "zones")):
        visitor.go("/rooms")
        if command == "rooms":
            visitor.page.get_by_role("link", name=name, exact=True).click()
            visitor.page.get_by_text("Edit room").click()
        visitor.page.get_by_role("button", name="Remove room" if command == "rooms" else f"Remove {name}").click()
        visitor.page.wait_for_url("**/rooms?home=*")
        visitor.until_text(f"{name} was removed.", "#toasts")
        assert name not in house.home.cli(command).stdout
        visitor.page.get_by_role("button", name="Undo").click()
        visitor.until_text(f"{name} was restored.", "#toasts")
        assert name in house.home.cli(command).stdout
        visitor.until_text(name)
        house.home.cli(command, "remove", name)


@pytest.mark.parametrize("has_script", [True, False])
def test_lock_opens_only_after_a_confirmation(house, visit, has_script):
    house.report("Front Door", "1E", 1)
    house.report("Front Door", "1D", 1)
    visitor = visit("/", java_script_enabled=has_script)
    visitor.until_text("Front Door")
    lock = tile(visitor, "Front Door")
    until(lambda: re.search(r"\bLocked", lock.inner_text()), 5, "it's shown as locked") if has_script else visitor.go("/")
    target = lambda: house.held("Front Door", "1E")
    lock.get_by_role("button").click()
    visitor.until_text("Unlock LockMechanism 0", "dialog" if has_script else "main")
    if has_script:
        visitor.page.keyboard.press("Escape")
        until(lambda: lock.get_by_role("button").get_attribute("aria-pressed") == "false", 5, "nothing has changed")
        lock.get_by_role("button").click()
    else:
        visitor.page.get_by_role("link", name="Cancel").click()
        lock.get_by_role("button").click()
    assert target() == 1
    visitor.page.get_by_role("button", name="Unlock", exact=True).click()
    until(lambda: target() == 0, 5, "it unlocks")
    house.report("Front Door", "1D", 0)
    # Locking needs no confirmation.
    until(lambda: lock.get_by_role("button").get_attribute("aria-pressed") == "true", 5, "it's shown as unlocked") \
        if has_script else visitor.go("/")
    lock.get_by_role("button").click()
    until(lambda: target() == 1, 5, "it locks")
    visitor.complaints = [one for one in visitor.complaints if "409" not in one]


def test_scene_that_unlocks_asks_for_confirmation(house, visit):
    house.home.cli("scenes", "add", "Arrival")
    house.home.cli("scenes", "set", "Arrival", "Front Door", "target=unlocked")
    visitor = visit("/scenes")
    visitor.page.get_by_role("button", name="Run Arrival").click()
    visitor.until_text("This will unlock LockMechanism 0", "dialog")
    visitor.page.get_by_role("button", name="Cancel").click()
    assert house.held("Front Door", "1E") == 1
    visitor.page.get_by_role("button", name="Run Arrival").click()
    visitor.page.get_by_role("button", name="Run scene").click()
    until(lambda: house.held("Front Door", "1E") == 0, 5, "it unlocks")
    house.report("Front Door", "1E", 1)
    house.home.cli("scenes", "remove", "Arrival")
    visitor.complaints = [one for one in visitor.complaints if "409" not in one]


def test_tiles_grow_with_their_text_and_the_bar_covers_no_focused_element(house, visit):
    visitor = visit("/", viewport={"width": 390, "height": 844})
    visitor.until_text("The Lightbulb")
    visitor.page.evaluate("document.documentElement.style.fontSize = '32px'")
    clipped = visitor.page.evaluate(
        "[...document.querySelectorAll('.tile, .tile .state')].filter((e) => e.scrollHeight > e.clientHeight + 1"
        " || e.scrollWidth > e.clientWidth + 1).map((e) => e.innerText)")
    assert not clipped and visitor.page.evaluate("document.documentElement.scrollWidth <= innerWidth"), clipped
    visitor.page.evaluate("document.documentElement.style.fontSize = ''")
    hidden = []
    for _ in range(60):
        visitor.page.keyboard.press("Tab")
        hidden += visitor.page.evaluate(
            "(() => { const e = document.activeElement, b = e.getBoundingClientRect(),"
            " bar = document.querySelector('.bar').getBoundingClientRect();"
            " return e.closest('main') && b.bottom > bar.top + 1 && b.height < 300 ? [e.outerHTML.slice(0, 80)] : [] })()")
    assert not hidden, hidden


def test_room_added_elsewhere_redraws_the_page_and_keeps_focus_and_scroll_position(house, visit):
    visitor = visit(viewport={"width": 800, "height": 500})
    link = visitor.page.locator("a.words", has_text="The Window Covering")
    link.focus()
    visitor.page.evaluate("scrollTo(0, 400)")
    house.home.cli("rooms", "add", "Attic")
    house.home.cli("assign", "The Valve", "Attic")
    visitor.until_text("Attic")
    # A value redraws only its tile.
    house.report("The Temperature Sensor", "11", 17.5)
    until(lambda: "17.5 °C" in strip(visitor, "Bedroom"), 5, "17.5 °C")
    assert visitor.page.evaluate("scrollY") > 200
    assert "The Window Covering" in visitor.page.evaluate("document.activeElement.innerText")
    house.home.cli("rooms", "remove", "Attic")
    visitor.page.wait_for_function("() => !document.querySelector('main').innerText.includes('Attic')")


def test_page_shows_only_the_primary_home_and_switches_when_it_changes(house, visit):
    visitor = visit()
    house.home.cli("homes", "add", "Cabin")
    visitor.until_text("Cabin")
    try:
        before = visitor.page.locator("main section").count()
        house.home.cli("rooms", "add", "Loft", "--home", "Cabin")
        house.home.mark()
        assert visitor.page.locator("main section").count() == before and "Loft" not in visitor.text()
        house.home.cli("homes", "primary", "Cabin")
        until(lambda: visitor.text("h1") == "Cabin", 5, "the primary home is shown")
    finally:
        house.home.cli("homes", "primary", "Villa")
        until(lambda: visitor.text("h1") == "Villa", 5, "the primary home is shown")
        house.home.cli("homes", "remove", "Cabin", "--yes")


def test_page_empties_when_permission_is_withdrawn_and_fills_when_it_is_granted(house, visit):
    visitor = visit()
    visitor.until_text("The Lightbulb")
    house.home.cli("privacy", "deny", "org.lamplighter.homeweb")
    visitor.until_text("isn.t allowed to access the homes")
    assert "Lightbulb" not in visitor.text()
    status, _, body = fetch(house.page.host, house.page.address, "/")
    assert "Lightbulb" not in body
    house.home.cli("privacy", "allow", "org.lamplighter.homeweb", "--yes")
    visitor.until_text("The Lightbulb")


def test_page_updates_again_when_the_hub_returns(house, visit):
    visitor = visit()
    visitor.until_text("The Lightbulb")
    house.home.kill()
    visitor.until_text("isn.t responding", "#notice")
    assert "The Lightbulb" in visitor.text(), "the last state is still shown"
    house.home.start()
    until(lambda: not visitor._now("#notice"), 20, "the notice disappears")
    house.report("The Temperature Sensor", "11", 19.5)
    until(lambda: "19.5 °C" in strip(visitor, "Bedroom"), 20, "values are updated again")


def test_page_updates_again_after_the_web_server_restarts(house, visit):
    visitor = visit()
    visitor.until_text("The Lightbulb")
    assert house.page.terminate() == 0, house.page.log[-2000:]
    visitor.until_text("Connection lost", "#notice")
    house.page.start(allowed=False)
    until(lambda: not visitor._now("#notice"), 20, "the notice disappears")
    house.report("The Temperature Sensor", "11", 18.5)
    until(lambda: "18.5 °C" in strip(visitor, "Bedroom"), 10, "values are updated again")
    # Ignore the browser's own messages about the lost connection.
    visitor.complaints.clear()


def test_accessory_is_added_step_by_step(house, visit, tmp_path):
    path = tmp_path / "lamp.yaml"
    path.write_text(LAMP)
    host = house.page.host
    lamp = host.popen(program("hapsim"), path, "--state-directory", tmp_path / "lamp")
    try:
        visitor = visit("/add")
        page = visitor.page
        page.get_by_role("button", name="Look for accessories").click()
        page.get_by_role("button", name="Desk Lamp").click(timeout=30_000)
        visitor.until_text("Setup code for Desk Lamp")
        page.get_by_label("Eight digits").fill("466-37-727")
        page.get_by_role("button", name="Continue").click()
        visitor.until_text("left", timeout=20)
        page.get_by_label("Eight digits").fill("466-37-726")
        page.get_by_role("button", name="Continue").click()
        visitor.until_text("Set up Desk Lamp", "h1", timeout=20)
        page.get_by_label("Name of Desk Lamp").fill("Reading Lamp")
        page.get_by_label("Room of Desk Lamp").fill("Kitchen")
        page.get_by_label("Desk Lamp is a favorite").check()
        page.get_by_role("button", name="Save").first.click()
        visitor.until_text("Villa", "h1")
        visitor.go("/")
        visitor.until_text("Reading Lamp")
        # Custom services are shown on request.
        assert "Statistics" not in visitor.text()
        visitor.go("/?makers-own=1")
        visitor.until_text("Statistics")
        listed = {one["name"]: one for one in house.home.cli("accessories", "--json")}
        assert "Reading Lamp" in listed
        page.locator("section", has=page.locator("h2", has_text="Kitchen")).get_by_text("Reading Lamp").first.wait_for()
        visitor.go(f"/accessories/{listed['Reading Lamp']['id']}")
        page.locator("summary", has_text="Statistics").click()
        visitor.until_text("Hours of Light")
        page.get_by_role("link", name="Remove accessory").click()
        page.get_by_role("button", name="Remove accessory").click()
        until(lambda: "Reading Lamp" not in {one["name"] for one in house.home.cli("accessories", "--json")}, 10, "removed")
    finally:
        end(lamp)


def test_owner_edits_favorites_names_rooms_zones_and_kinds(house, visit):
    """Changes of favorites, names, rooms, zones and kinds on the page apply to all apps."""
    def listed(name):
        return {one["name"]: one for one in house.home.cli("accessories", "--json")}.get(name)

    visitor = visit()
    page = visitor.page
    visitor.go(house.path(visitor, "The Switch"))
    page.get_by_role("button", name="Add to favorites").click()
    visitor.until_text(r"\bFavorite\b")
    assert "The Switch" in house.home.cli("favorite").stdout
    page.get_by_role("button", name="Favorite").click()
    visitor.until_text("Add to favorites")
    page.get_by_text("Name and type").click()
    page.get_by_label("Show as").select_option(label="Fan")
    page.get_by_role("button", name="Save").click()
    fans = re.compile(r"^Fans\n(?:  .*\n)*?  The Switch", re.M)
    until(lambda: fans.search(house.home.cli("accessories", "--by", "kind").stdout), 5, "it is shown as a fan")
    page.get_by_text("Name and type").click()
    page.get_by_label("Show as").select_option(label="Default")
    page.get_by_role("button", name="Save").click()
    page.get_by_role("link", name="Details").click()
    visitor.until_text("Settings")
    page.get_by_label("Name").fill("Socket")
    page.get_by_role("button", name="Rename").click()
    until(lambda: listed("Socket"), 5, "it is renamed")
    page.get_by_label("Room").select_option(label="Hall")
    page.get_by_role("button", name="Move", exact=True).click()
    rooms = {one["id"]: one["name"] for one in house.home.cli("rooms", "--json")}
    until(lambda: rooms.get(listed("Socket")["room"]) == "Hall", 5, "it is in the hall")
    page.get_by_role("button", name="Identify").click()
    visitor.until_text("Settings")
    house.home.cli("rename", "Socket", "The Switch")
    house.home.cli("assign", "The Switch", "Living Room")

    visitor.go("/rooms")
    page.locator(".card", has_text="Upstairs").get_by_role("combobox").select_option(label="Hall")
    page.get_by_role("button", name="Add to Upstairs").click()
    visitor.until_text("Remove Hall from Upstairs")
    page.get_by_role("button", name="Remove Hall from Upstairs").click()
    page.get_by_role("button", name="Remove Hall from Upstairs").wait_for(state="detached")
    page.get_by_role("button", name="Undo").click()
    visitor.until_text("Hall was added to Upstairs.", "#toasts")
    page.get_by_role("button", name="Remove Hall from Upstairs").click()
    visitor.until_text("Hall was removed from Upstairs.", "#toasts")
    page.get_by_label("New zone name").fill("Outside")
    page.get_by_role("button", name="Add zone").click()
    page.get_by_role("button", name="Remove Outside").click()
    page.wait_for_url("**/rooms?home=*")
    assert not page.get_by_role("button", name="Remove Outside").count()
    visitor.go(next(f"/rooms/{one}" for one, name in rooms.items() if name == "Hall"))
    page.get_by_text("Edit room").click()
    page.get_by_label("Name").fill("Entrance")
    page.get_by_role("button", name="Rename").click()
    until(lambda: visitor.text("h1") == "Entrance", 5, "the room is renamed")
    house.home.cli("rooms", "rename", "Entrance", "Hall")

    visitor.go("/names")
    page.locator(".card", has_text="Living Room TV").get_by_role("button").first.click()
    visitor.until_text("All names are fine")
    assert not listed("Living Room TV")
    (renamed,) = [one["name"] for one in house.home.cli("accessories", "--json") if one["name"] in ("TV", "Television")]
    house.home.cli("rename", renamed, "Living Room TV", "--kind", "accessory")


def test_scene_runs_and_appears_in_the_activity(house, visit):
    house.home.cli("scenes", "add", "Evening")
    house.home.cli("scenes", "set", "Evening", "The Lightbulb", "on=yes", "brightness=25")
    house.report("The Lightbulb", "25", False)
    visitor = visit("/scenes")
    visitor.until_text("Evening")
    visitor.page.get_by_role("button", name="Run Evening").click()
    until(lambda: house.held("The Lightbulb", "8") == 25 and house.held("The Lightbulb", "25"), 5, "the scene was run")
    visitor.until_text("just now")
    visitor.go("/activity")
    visitor.until_text("Evening: ")
    house.home.cli("scenes", "remove", "Evening")
    visitor.go("/scenes")
    visitor.until_text("No scenes yet")


def test_page_creates_a_scene_from_current_states(house, visit):
    house.report("The Lightbulb", "25", True)
    house.report("The Lightbulb", "8", 40)
    house.report("The Fan", "25", False)
    visitor = visit("/scenes")
    page = visitor.page
    page.get_by_label("New scene name").fill("Reading")
    page.get_by_role("button", name="Add scene").click()
    visitor.until_text("doesn't change anything yet")
    page.get_by_label("The Lightbulb").check()
    page.get_by_label("The Fan off").check()
    page.get_by_role("button", name="Add to scene").click()
    card = page.locator(".card", has_text="The Lightbulb")
    until(lambda: "40 %" in card.inner_text(), 5, "the scene has the lamp's state")
    assert "Turn off The Fan" in page.locator(".card", has_text="The Fan").inner_text()
    # The lamp changes, so the scene can adopt its state again.
    house.report("The Lightbulb", "8", 70)
    page.get_by_role("button", name="The Lightbulb: as it is now").click()
    until(lambda: "70 %" in card.inner_text(), 5, "the scene has the new state")
    page.get_by_role("button", name="Remove The Fan from the scene").click()
    page.locator(".card", has_text="The Fan").wait_for(state="detached")
    house.report("The Lightbulb", "8", 10)
    page.get_by_role("button", name="Run").click()
    until(lambda: house.held("The Lightbulb", "8") == 70, 5, "the scene was run")
    page.locator("summary", has_text="Name").click()
    page.get_by_label("Name").fill("Kitchen")
    page.get_by_label("Name").press("Enter")
    visitor.until_text("exists in this home")
    page.get_by_label("Name").fill("Late Reading")
    page.get_by_label("Name").press("Enter")
    until(lambda: visitor._now("h1") == "Late Reading", 5, "the scene is renamed")
    page.locator("summary", has_text="Name").click()
    page.get_by_role("button", name="Remove scene").click()
    visitor.until_text("No scenes yet")
    visitor.complaints = [one for one in visitor.complaints if "409" not in one]


def test_qr_code_is_read_from_a_photo(house, visit, tmp_path):
    picture, nothing = tmp_path / "code.png", tmp_path / "nothing.svg"
    nothing.write_text('<svg xmlns="http://www.w3.org/2000/svg" width="300" height="300"><circle cx="150" cy="150" r="90"/></svg>')
    lamps = [{"id": "desk", "name": "Desk Lamp", "brightness": True}]
    bridge = Daemon(house.page.host, tmp_path / "bridge", configuration("Photographed", lamps)).start()
    try:
        bridge.until_published(60)
        bridge.cli("setup", "--png", picture)
        visitor = visit("/add")
        page = visitor.page
        page.get_by_role("button", name="Look for accessories").click()
        visitor.until_text("Or enter its code")
        page.locator("#scan-photo input").set_input_files(nothing)
        visitor.until_text("No accessory QR code")
        page.locator("#scan-photo input").set_input_files(picture)
        visitor.until_text("Set up your accessories", "h1", timeout=40)
        assert "Desk Lamp" in house.home.cli("accessories").stdout
        house.home.cli("remove", "Photographed", "--yes")
    finally:
        bridge.close()


def test_delayed_change_completes_and_invalid_values_are_rejected(house, visit):
    visitor = visit()
    house.report("The Lightbulb", "25", False)
    until(lambda: "Off" in tile(visitor, "The Lightbulb").inner_text(), 5, "off")
    # The hub becomes unavailable between display and tap.
    os.kill(house.home.process.pid, signal.SIGSTOP)
    try:
        tile(visitor, "The Lightbulb").get_by_role("button").click()
        visitor.page.locator(".tile.pending").first.wait_for()
    finally:
        os.kill(house.home.process.pid, signal.SIGCONT)
    until(lambda: house.held("The Lightbulb", "25"), 10, "it is switched as soon as the hub continues")
    status, _, body = fetch(
        house.page.host, house.page.address, visitor.page.locator(".tile form").first.get_attribute("action"), "POST",
        {"color": "#12345"}, headers={"Accept": "application/json"})
    assert status == 400 and "message" in json.loads(body)


def test_page_decides_about_apps_if_it_is_the_system_app(house, lan, tmp_path):
    with lan.add_host("settings", "10.77.0.33") as host:
        home = HomeDaemon(host, tmp_path / "home", f"system-app: {program('homeweb')}\n").start()
        page = Page(host, home, tmp_path / "page", listen="0.0.0.0:0")
        try:
            page.start(allowed=False)
            visitor = house.chromium.open(page.address.replace("0.0.0.0", host.address), f"/enter#{page.token}")
            visitor.until_text("Waiting for permission")
            visitor.go("/privacy")
            card = visitor.page.locator(".card", has_text="org.lamplighter.homeweb")
            assert "show and control the home in a browser" in card.inner_text()
            card.get_by_role("button", name="Allow").click()
            visitor.until_text("Can see and control")
            visitor.go("/")
            visitor.until_text("No homes yet")
            visitor.page.get_by_label("Home name").fill("Villa")
            with visitor.page.expect_navigation():
                visitor.page.get_by_role("button", name="Add home").click()
            visitor.until_text("This home is empty")
            visitor.go("/automations/new")
            visitor.page.get_by_label("Name").fill("Tea Time")
            visitor.page.get_by_label("In words").first.check()
            visitor.page.get_by_label("Events, one per line").fill("every 2h")
            visitor.page.get_by_label("Notification to send").fill("Tea")
            visitor.page.get_by_role("button", name="Add automation").click()
            visitor.until_text("Tea Time", "h1")
            visitor.go("/privacy")
            assert "Automations: Tea Time" in card.inner_text()
            card.get_by_role("button", name="Revoke").click()
            visitor.until_text("Has no access")
            assert "Automations that don't run without access: Tea Time" in card.inner_text()
            visitor.go("/")
            visitor.until_text("isn.t allowed to access the homes")
            visitor.context.close()
        finally:
            page.close()
            home.close()


def test_pages_work_without_javascript(house, visit):
    visitor = visit(java_script_enabled=False)
    house.report("The Lightbulb", "25", False)
    until(lambda: not house.held("The Lightbulb", "25"), 5, "off at the lamp")
    house.home.cli("read", "The Lightbulb")
    # The page shows the new value on its next load.
    until(lambda: "Off" in tile(visitor.go("/"), "The Lightbulb").inner_text(), 5, "off on the page", interval=0.1)
    tile(visitor, "The Lightbulb").get_by_role("button").click()
    until(lambda: house.held("The Lightbulb", "25"), 5, "switched by a form")
    visitor.go(house.path(visitor, "The Lightbulb"))
    visitor.page.get_by_role("slider", name="Brightness").fill("35")
    visitor.page.locator("form.slider", has_text="Brightness").get_by_role("button", name="Set").click()
    until(lambda: house.held("The Lightbulb", "8") == 35, 5, "dimmed by a form")
    visitor.until_text("35 %")


def test_page_reads_each_value_once(house, visit):
    """The values on a page are read once (home model 12.1, R4, R7, V3); the hub subscribes to all state."""
    (lamp,) = [one for one in house.villa["accessories"] if one["name"] == "The Lightbulb"]
    values = {(lamp["aid"], one["iid"]) for service in lamp["services"] if service["type"].lstrip("0").startswith("43")
              for one in service["characteristics"] if "pr" in one["metadata"]["perms"]}
    mark = house.mark
    visitor = visit()
    visitor.page.wait_for_function("() => !document.querySelector('.stale')")
    # The hub follows some hundred values, so only values that accessories don't report are read.
    assert len([value for read in house.reads(mark) for value in read]) < 100
    # Another grouping causes no reads. The hub itself checks at most 50 values at a time.
    mark = house.mark
    for path in ("/?by=kind", "/?by=category", "/"):
        visitor.go(path)
        visitor.page.wait_for_function("() => !document.querySelector('.stale')")
    assert all(len(read) <= 50 for read in house.reads(mark))
    # Opening an accessory reads it at most once.
    visitor.go(house.path(visitor, "The Lightbulb"))
    visitor.until_text("Brightness")
    visitor.page.reload()
    visitor.until_text("Brightness")
    reads = house.reads(mark)
    assert sum(set(read) <= values for read in reads) <= 1, reads
    assert values & house.subscribed


def test_technical_details_are_on_a_separate_page(house, visit):
    visitor = visit()
    text = visitor.text()
    assert "Accessory Information" not in text and not re.search(r"\b[0-9A-F]{8}-[0-9A-F]{4}-", text)
    visitor.go(house.path(visitor, "The Lightbulb"))
    assert not re.search("Accessory Information|Characteristic", visitor.text())
    visitor.page.get_by_role("link", name="Details").click()
    visitor.until_text("Accessory Information")
    assert re.search(r"\b[0-9A-F]{8}-[0-9A-F]{4}-", visitor.text())


def test_graph_shows_past_values(house, visit):
    """The hub records values by itself; pages show them for a day, a week and a month."""
    for value in (19.5, 22.5, 21.0):
        house.report("The Temperature Sensor", "11", value)
    visitor = visit()
    visitor.go(house.path(visitor, "The Temperature Sensor"))
    picture = visitor.page.get_by_role("img", name="Graph: Temperature, last 24 hours")
    picture.scroll_into_view_if_needed()
    until(lambda: picture.evaluate("image => image.complete && image.naturalWidth === 640"), 10, "the graph is drawn")
    picture.click()
    visitor.page.get_by_role("link", name="7 days").click()
    source = visitor.page.get_by_role("img", name="Graph: Temperature, last 7 days").get_attribute("src")
    # The hub combines changes of measurements within ten seconds.
    svg = lambda: visitor.page.evaluate("source => fetch(source, {cache: 'reload'}).then((answer) => answer.text())", source)
    until(lambda: "21" in svg() and 'class="line"' in svg(), 20, "the last value is in the graph")
    assert visitor.page.evaluate("source => fetch(source.replace(/history.*svg/, 'history/x.svg')).then((answer) => answer.status)", source) == 404
    visitor.complaints = [one for one in visitor.complaints if "404" not in one]


def test_every_view_fits_its_window(house, visit, tmp_path):
    """Set PICTURES=folder to keep the screenshots."""
    folder = Path(os.environ.get("PICTURES", tmp_path))
    folder.mkdir(parents=True, exist_ok=True)
    for name, kind, value in (
            ("The Lightbulb", "25", True), ("The Lightbulb", "8", 60), ("The Lightbulb", "13", 35), ("The Lightbulb", "2F", 70),
            ("The Temperature Sensor", "11", 21.5), ("The Thermostat", "11", 20.5), ("The Smoke Sensor", "76", 1),
            ("The Window", "6D", 40)):
        house.report(name, kind, value)
    wide = []
    long = "Donaudampfschifffahrtsgesellschaftskapitaenslampe"
    house.home.cli("rename", "The Fan", long)
    # Colors don't affect widths.
    for scheme in ("light", "dark") if "PICTURES" in os.environ else ("light",):
        for name, size in {"phone": (390, 844), "desktop": (1200, 900)}.items():
            visitor = visit(viewport={"width": size[0], "height": size[1]}, color_scheme=scheme)
            visitor.until_text("The Lightbulb")
            lamp, thermostat, fan = (house.path(visitor, one) for one in ("The Lightbulb", "The Thermostat", long))
            visitor.go(lamp)
            accessory = visitor.page.get_by_role("link", name="Details").get_attribute("href")
            views = {
                "home": "/", "kinds": "/?by=kind", "lamp": lamp, "thermostat": thermostat, "accessory": accessory, "long": fan,
                "scenes": "/scenes", "activity": "/activity", "graphs": lamp + "/history", "access": "/access", "more": "/more", "rooms": "/rooms", "names": "/names",
                "search": "/search?q=the", "accessories": "/accessories",
                "add": "/add", "privacy": "/privacy", "bridge": "/bridge", "automations": "/automations",
                "automation-form": "/automations/new", "people": "/people", "nothing": "/nothing",
            }
            for view, path in views.items():
                visitor.go(path)
                visitor.page.wait_for_function("() => !document.querySelector('.stale')")
                visitor.page.screenshot(path=folder / f"{view}-{name}-{scheme}.png")
                if visitor.page.evaluate("document.documentElement.scrollWidth > innerWidth"):
                    wide.append((view, name))
            # The browser reports missing pages as errors.
            visitor.complaints = [one for one in visitor.complaints if "404" not in one]
    house.home.cli("rename", long, "The Fan")
    assert not wide, wide


def test_page_is_in_the_language_of_the_browser(house, visit):
    german, english = visit(locale="de-DE"), visit(locale="en-US")
    house.report("The Lightbulb", "25", False)
    house.report("The Temperature Sensor", "11", 23.5)
    for visitor, off, heading, number in ((german, "aus", "Mehr", "23,5 °C"), (english, "off", "More", "23.5 °C")):
        until(lambda: re.search(rf"\b{off}\b", tile(visitor, "The Lightbulb").inner_text(), re.I), 5, off)
        until(lambda: number in strip(visitor, "Bedroom"), 3, number)
        assert heading in visitor.text(".bar")
    assert german.page.evaluate("document.documentElement.lang") == "de"
    assert german.page.get_by_role("navigation", name="Seiten").is_visible()
    # A live change has the language of its page.
    house.report("The Lightbulb", "25", True)
    until(lambda: re.search(r"\ban\b", tile(german, "The Lightbulb").inner_text(), re.I), 5, "an")
    until(lambda: re.search(r"\bon\b", tile(english, "The Lightbulb").inner_text(), re.I), 5, "on")
    german.page.get_by_role("link", name="Kitchen").first.click()
    german.page.get_by_role("link", name="Aktivität").first.wait_for()
    german.go("/nothing")
    german.until_text("Diese Seite gibt es nicht")
    # The browser reports missing pages as errors.
    german.complaints = [one for one in german.complaints if "404" not in one]
