"""`homehub` with accessories of HAP-python: numbers, formats, codes, outages and repairs."""

import base64
import itertools
import json
import re
import sys
import time
from pathlib import Path

import pytest

from home import hub, make_home  # noqa: F401 (fixtures)
from lan import PATIENCE, until
from python_device import CODE
from talker import Talker
from web import Page, fetch

HERE = Path(__file__).parent
DEVICE = "5A:11:C0:DE:00:07"
LAMP = {"type": "Lightbulb", "values": ["Brightness"]}


@pytest.fixture
def home(make_home):
    daemon = make_home()
    daemon.cli("homes", "add", "Villa")
    return daemon


@pytest.fixture
def device(lan, tmp_path):
    """Start an accessory of HAP-python. Its pairing outlives its process."""
    started = []

    def start(services=(LAMP,), name="Meter", id=DEVICE, port=51830, **more):
        description = {"id": id, "name": name, "services": list(services), **more}
        made = Talker(
            lan.phone, tmp_path / "device.log", sys.executable, HERE / "python_device.py", lan.phone.address, port,
            tmp_path / f"{id}.state", json.dumps(description))
        started.append(made)
        made.payload = made.until(lambda line: "ready" in line)["payload"]
        return made

    yield start
    for made in started:
        made.close()


def add(home, *more, id=DEVICE):
    return home.add(CODE, id, "--json", *more)


def value(home, target, word):
    (found,) = home.cli("read", target, word, "--json")
    return found["value"]


# Numbers


COUNTER = {
    "type": "5A110000-0000-4000-8000-000000000001", "values": [
        {"type": "5A110000-0000-4000-8000-000000000002", "description": "Counter", "format": "uint64",
         "permissions": ["pr", "pw", "ev"], "minValue": 0, "maxValue": 2**64 - 1, "value": 2**63 + 1},
        {"type": "5A110000-0000-4000-8000-000000000003", "description": "Ratio", "format": "float",
         "permissions": ["pr", "pw", "ev"], "minValue": 0, "maxValue": 1, "minStep": 0.25, "value": 0},
    ]}


def test_integer_of_64_bits_keeps_every_digit(home, device):
    meter = device([LAMP, COUNTER])
    add(home)
    assert value(home, "Meter", "counter") == 2**63 + 1
    assert str(2**64 - 1) in home.cli("show", "Meter").stdout
    home.cli("write", "Meter", f"counter={2**64 - 1}")
    meter.until(lambda line: line.get("wrote") == ["Counter", 2**64 - 1])
    assert value(home, "Meter", "counter") == 2**64 - 1
    refused = home.cli("write", "Meter", f"counter={2**64}", check=False)
    assert refused.returncode != 0 and str(2**64 - 1) in refused.stderr
    with home.watching("Meter", "counter") as watch:
        # Reports before the subscription don't reach the app, so repeat them.
        numbers = itertools.cycle([7, 2**63 + 7])
        until(
            lambda: meter.say(["Counter", next(numbers)]) or watch.received_lines(lambda line: line.get("value") == 2**63 + 7), 20,
            "the event is reported", interval=0.5)
    meter.say(["Counter", 2**63 + 9])
    until(lambda: value(home, "Meter", "counter") == 2**63 + 9, 5, "the current value is read")
    assert home.terminate() == 0
    meter.close()
    home.start()
    assert str(2**63 + 9) in home.cli("show", "Meter").stdout


def test_value_is_marked_with_its_age_after_a_failed_read_until_another_arrives(home, device, tmp_path):
    sensor = device([{"type": "TemperatureSensor"}])
    sensor.say(["CurrentTemperature", 20.5])
    add(home)
    until(lambda: value(home, "Meter", "temperature") == 20.5, 10, "the value is read")
    assert "read" not in home.cli("accessories").stdout, "the accessory reports its values"
    page = Page(home.host, home, tmp_path / "page").start()
    try:
        def shown():
            # A sensor is in the strip of its room.
            body = fetch(home.host, page.address, token=page.token)[2]
            found = re.search(r'<ul class="strip".*?</svg>([^<]*)', body, re.DOTALL)
            return found and found[1]

        until(lambda: shown() == "20.5 °C", 10, "the page shows the value")
        sensor.say(["fail", True])
        until(lambda: home.cli("read", "Meter", "temperature", check=False).returncode != 0, 10, "the read fails")
        assert "read just now" in home.cli("accessories").stdout
        assert shown() == "20.5 °C"
        sensor.say(["fail", False])
        sensor.say(["CurrentTemperature", 21])
        until(lambda: "read" not in home.cli("accessories").stdout, 20, "a value has arrived")
        until(lambda: shown() == "21 °C", 10, "the page is current")
    finally:
        page.close()


#: Two values of each format, in HAP-python's form.
FORMATS = {
    "bool": (True, False), "uint8": (200, 255), "uint16": (60_000, 0), "uint32": (4_000_000_000, 1), "uint64": (2**63 + 1, 5),
    "int": (-40, 2**31 - 1), "float": (0.25, -1.5), "string": ("Grüße", "a \"quoted\" = word"), "data": ("AQID", "/w=="),
    "tlv8": ("AQEA", "AQEB"),
}


def test_custom_characteristics_of_every_format_are_read_and_written(home, device):
    meter = device([LAMP, {"type": "5A110000-0000-4000-8000-000000000010", "values": [
        {"type": f"5A110000-0000-4000-8000-0000000001{index:02}", "description": f"The {form}", "format": form,
         "permissions": ["pr", "pw", "ev"], "value": value}
        for index, (form, (value, _)) in enumerate(FORMATS.items())]}])
    add(home)
    assert "5A110000" not in home.cli("show", "Meter").stdout

    def shown(form, text):
        return base64.b64decode(text).hex() if form in ("data", "tlv8") else text

    for form, (first, then) in FORMATS.items():
        assert value(home, "Meter", f"The {form}") == shown(form, first), form
        word = json.dumps(then) if form == "bool" else shown(form, then)
        home.cli("write", "Meter", f"The {form}={word}")
        meter.until(lambda line: line.get("wrote") == [f"The {form}", then])
        assert value(home, "Meter", f"The {form}") == shown(form, then), form
    for form, (first, _) in FORMATS.items():
        meter.say([f"The {form}", first])
        until(lambda: value(home, "Meter", f"The {form}") == shown(form, first), 5, f"the {form} is read again")


# Outages


def test_search_finds_a_device_that_returns_without_an_announcement(home, device, lan):
    device([LAMP], ttl=4)
    browser = home.app()
    browser.do("startBrowsing")
    browser.wait_for_event("browser.found")
    # The device is offline for longer than the TTL of its records, and returns without an announcement.
    lan.isolate(lan.phone)
    try:
        browser.wait_for_event("browser.removed", timeout=60)
        browser.do("stopBrowsing")
    finally:
        lan.join(lan.phone)
    # Avahi doubles the pause between its queries, so that on a busy machine the answer takes half a minute.
    browser.find(DEVICE, timeout=60)


def test_removed_accessory_is_found_again_by_a_search(home, device):
    device([LAMP])
    browser = home.app()
    for _ in range(2):
        add(home)
        browser.do("startBrowsing")
        home.cli("remove", "Meter", "--yes")
        browser.wait_for_event("browser.found", lambda line: line["accessory"]["deviceId"] == DEVICE, timeout=40)
        browser.do("stopBrowsing")


def test_accessory_removed_while_off_is_unpaired_when_it_returns(home, device):
    meter = device([LAMP])
    add(home)
    meter.close()
    until(lambda: not home.cli("accessories", "--json")[0]["isReachable"], 30, "it is unreachable")
    assert home.cli("accessories", "--json")[0]["problem"]["code"] == "unreachable"
    removed = home.cli("remove", "Meter", "--yes")
    assert "unpairs it when it responds again" in removed.stdout + removed.stderr
    home.kill()
    home.start()
    device([LAMP])
    browser = home.app()
    browser.find(DEVICE, timeout=40)
    add(home)


def test_reset_accessory_is_reported(home, device, lan, tmp_path):
    meter = device([LAMP])
    add(home)
    meter.close()
    # After a manual reset, the device has lost everything except its id.
    (tmp_path / f"{DEVICE}.state").unlink()
    device([LAMP])

    def problem():
        return home.cli("show", "Meter", "--json").get("problem", {}).get("code")

    until(lambda: problem() == "forgotten", 40, "it has lost the pairing")
    read = home.cli("read", "Meter", "on", check=False)
    assert read.returncode == 1 and "homehub repair" in read.stderr
    removed = home.cli("remove", "Meter", "--yes", "--json")
    assert len(removed["stale"]) == 1
    add(home)


def test_reset_accessory_with_a_new_id_is_reported(home, device):
    # Use a separate port, because later tests still see the advertisement.
    meter = device([LAMP], port=51833)
    add(home)
    meter.close()
    # The same device has another id at the same address.
    device([LAMP], id="5A:11:C0:DE:00:09", port=51833)
    until(
        lambda: home.cli("show", "Meter", "--json").get("problem", {}).get("code") == "forgotten", 40,
        "the hub detects the reset")
    assert "homehub repair" in home.cli("show", "Meter").stdout


def test_code_without_a_device_fails_early_and_lists_available_devices(home, device):
    meter = device([LAMP])
    home.app().find(DEVICE)
    began = time.monotonic()
    other = meter.payload[:-4] + ("AAAA" if meter.payload[-4:] != "AAAA" else "BBBB")
    refused = home.cli("add", "--payload", other, "--yes", check=False)
    assert refused.returncode != 0 and time.monotonic() - began < 15 * PATIENCE
    assert "no device on the network has this code" in refused.stderr and DEVICE in refused.stderr
    home.cli("add", "--payload", meter.payload, "--yes")
    again = home.cli("add", "--payload", meter.payload, "--yes", check=False)
    assert again.returncode != 0


# Watching


def test_watch_prints_changes_that_happened_while_the_daemon_was_down(home, device):
    meter = device([LAMP, COUNTER])
    add(home)
    with home.watching() as watch:
        def has_value(number):
            return lambda: watch.received_lines(lambda line: line.get("value") == number)

        def reachability():
            return [line["isReachable"] for line in watch.received_lines(lambda line: line["event"] == "reachabilityUpdated")]

        numbers = itertools.cycle([1, 2])
        until(lambda: meter.say(["Counter", next(numbers)]) or has_value(2)(), 20, "the values are watched", interval=0.5)
        # After its restart, the daemon finds another value.
        home.kill()
        meter.say(["Counter", 3])
        home.start()
        until(has_value(3), 30, "the value that changed while the daemon was stopped is reported")
        assert reachability() == []
        # The daemon reports an unreachable accessory after a while.
        home.kill()
        meter.close()
        home.start()
        until(reachability, 60, "the accessory is reported as unreachable")
        meter = device([LAMP, COUNTER])
        until(lambda: len(reachability()) == 2, 60, "it is reachable again")
        assert reachability() == [False, True]


# Repairs


def set_up(home):
    """Give the accessory a name, a room, a scene, a group, and make it a favorite."""
    home.cli("rooms", "add", "Study")
    home.cli("rename", "Meter", "Desk Lamp", "--kind", "accessory")
    home.cli("assign", "Desk Lamp", "Study")
    home.cli("scenes", "add", "Evening")
    home.cli("scenes", "set", "Evening", "Desk Lamp", "on=yes")
    home.cli("favorite", "Desk Lamp")


def settings(home):
    (lamp,) = home.cli("accessories", "--json")
    full = home.cli("show", "Desk Lamp", "--json")
    services = [(one["id"], one["name"], one["isFavorite"]) for one in full["services"]]
    return lamp["id"], lamp["room"], services, home.cli("scenes", "--json")


@pytest.mark.parametrize("new_id", [None, "5A:11:C0:DE:00:0A"], ids=["reset", "replaced"])
def test_repair_pairs_a_reset_or_replaced_device_and_keeps_its_settings(new_id, home, device, tmp_path):
    meter = device([LAMP], port=51834)
    add(home)
    set_up(home)
    before = settings(home)
    meter.close()
    if new_id is None:
        (tmp_path / f"{DEVICE}.state").unlink()
        meter = device([LAMP], port=51834)
        until(lambda: home.cli("show", "Desk Lamp", "--json").get("problem", {}).get("code") == "forgotten", 40, "it is reset")
    else:
        meter = device([LAMP], id=new_id, port=51835)
        wrong = home.cli("repair", "Desk Lamp", "--code", CODE, "--yes", check=False, timeout=90)
        assert wrong.returncode != 0 and "--device" in wrong.stderr, wrong.stderr
    chosen = ["--device", new_id] if new_id else []
    done = home.cli("repair", "Desk Lamp", "--code", CODE, "--yes", *chosen, timeout=90)
    assert "Desk Lamp is paired again." in done.stdout
    until(lambda: "problem" not in home.cli("show", "Desk Lamp", "--json"), 20, "it answers")
    assert settings(home) == before
    home.cli("scenes", "run", "Evening")
    meter.until(lambda line: line.get("wrote", [])[:1] == ["On"])


def test_page_pairs_a_reset_accessory_again(home, device, tmp_path):
    meter = device([LAMP], port=51838)
    add(home)
    set_up(home)
    before = settings(home)
    page = Page(home.host, home, tmp_path / "page")
    try:
        page.start()
        path = f"/accessories/{before[0]}"
        assert "Pair again" not in fetch(home.host, page.address, path)[2]
        meter.close()
        (tmp_path / f"{DEVICE}.state").unlink()
        device([LAMP], port=51838)
        until(lambda: "Pair again" in fetch(home.host, page.address, path)[2], 40, "the page notices the reset")
        assert fetch(home.host, page.address, path + "/pair", "POST", {"code": "518"})[0] == 400
        status, _, body = fetch(home.host, page.address, path + "/pair", "POST", {"code": CODE}, timeout=90)
        assert status == 303, body
        until(lambda: "Pair again" not in fetch(home.host, page.address, path)[2], 20, "it answers")
        assert settings(home) == before
    finally:
        page.close()


@pytest.mark.long
@pytest.mark.alone
def test_event_flood_uses_little_cpu_and_ends_with_the_last_value(home, device):
    meter = device([LAMP])
    add(home)
    with home.watching("Meter", "brightness"):
        assert value(home, "Meter", "brightness") is not None
        # The hub is subscribed to the value, which doesn't change yet.
        time.sleep(2)
        before, began = home.cpu_time, time.monotonic()
        meter.say(["Brightness", 77, 5])
        flooded = meter.until(lambda line: "flooded" in line, 20)["flooded"]
        share = (home.cpu_time - before) / (time.monotonic() - began)
        print(f"{flooded} events in 5 s: {share:.0%} of a core")
        assert share < 0.3
        until(lambda: shown(home) == 77, 15, "the last value is shown")
    assert "accessory events dropped" in home.log


def shown(home):
    """Return the brightness that the home has stored, without a read."""
    values = [one for service in home.cli("show", "Meter", "--all", "--json")["services"] for one in service["characteristics"]]
    return next(one.get("value") for one in values if one["type"] == "8")
