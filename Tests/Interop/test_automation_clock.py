"""Automations of the real hub while its clock is set and its time zone changes."""

import collections
import datetime
import time

import pytest
from clock import WallClock
from conftest import configuration
from home import HomeDaemon, hub  # noqa: F401 (fixture)
from lan import until

DEVICES = [
    {"id": "lamp", "name": "Lamp"}, {"id": "hall", "name": "Hall", "kind": "sensor", "readings": ["motion"]},
    {"id": "window", "name": "Window", "kind": "sensor", "readings": ["contact"]}]
DAY = "2027-06-15"
#: The duration of states and runs, in seconds.
DURATION = 8
#: The hub handles times only ten seconds after its start.
START = 25


class House(HomeDaemon):
    """A home whose clock begins at six in the morning in UTC, and its bridge."""

    def __init__(self, host, directory, bridge):
        super().__init__(host, directory)
        self.bridge = bridge
        self.clock = WallClock(directory)
        self.environment = {**self.clock.environment, "TZ": ""}
        self.set_clock("06:00:00")
        self.start()
        self.cli("homes", "add", "Villa")
        self.add(bridge.setup_code, bridge.status["deviceId"])

    def set_clock(self, text):
        self.clock.set(f"{DAY} {text}")

    def simulate(self, key, change):
        self.bridge.cli("simulate", f"simulated/{key}", change)

    def is_lamp_on(self):
        return self.bridge.lights["simulated/lamp"]["on"]

    def at(self, *times, **options):
        """Add automations that only leave entries in the history."""
        for name in times:
            more = [f"--missed={options['missed']}"] if options else []
            self.cli("automations", "add", name.replace(":", " "), "--at", name, *more, "--notify", name)

    @property
    def results(self):
        """The number of each result of an evaluation, by the names of the automations."""
        names = {one["id"]: one["name"] for one in self.cli("automations", "--json")}
        found = collections.defaultdict(collections.Counter)
        for record in self.cli("automations", "history", "--json"):
            found[names[record["trigger"]]][record["result"]["result"]] += 1
        return found

    def next(self, name):
        """The next time of an automation in UTC."""
        (moment,) = (one["next"] for one in self.cli("automations", "--json") if one["name"] == name)
        return datetime.datetime.fromtimestamp(moment / 1000, datetime.UTC).strftime("%H:%M")


@pytest.fixture
def house(hub, make_daemon, tmp_path):
    bridge = make_daemon(configuration("Demo", DEVICES) | {"include": ["all"]})
    bridge.until_published()
    made = House(hub, tmp_path / "home", bridge)
    yield made
    made.close()


def test_each_scheduled_time_runs_once_if_the_clock_is_set_forward_and_back(house):
    house.at("7:00", "9:00")
    house.at("7:30", missed="4h")
    house.set_clock("08:59:58")
    expected = {"7 00": {"skippedByClock": 1}, "7 30": {"ran": 1}, "9 00": {"ran": 1}}
    until(lambda: house.results == expected, START, "they run or are skipped")
    house.set_clock("06:00:00")
    house.at("7:31", "9:01")
    house.set_clock("06:59:58")
    expected["7 00"] = {"skippedByClock": 1, "ran": 1}
    until(lambda: house.results == expected, START, "the skipped one runs")
    for text, name in [("07:30:58", "7 31"), ("09:00:58", "9 01")]:
        house.set_clock(text)
        until(lambda name=name: name in house.results, START, f"it's {name}")
    assert house.results == expected | {"7 31": {"ran": 1}, "9 01": {"ran": 1}}


def test_durations_are_kept_if_the_clock_is_set_forward_and_back(house):
    house.cli("automations", "add", "Light", "--when", "hall motion", "--set", "lamp on", "--for", f"{DURATION}s")
    house.cli("automations", "add", "Open", "--when", f"window open for {DURATION}s", "--notify", "Open")
    for count, text in enumerate(["09:00:00", "06:00:00"], start=1):
        began = time.monotonic()
        house.simulate("window", "contact=false")
        house.simulate("hall", "motion=true")
        until(house.is_lamp_on, 5, "the lamp is on")
        house.set_clock(text)
        expected = {"Light": {"ran": count, "ended": count}, "Open": {"ran": count}}
        until(lambda expected=expected: house.results == expected, START, "both are over")
        assert time.monotonic() - began >= DURATION and not house.is_lamp_on()
        house.simulate("window", "contact=true")
        house.simulate("hall", "motion=false")


def test_changed_time_zone_of_the_home_applies_immediately(house):
    house.at("6:01", "8:01")
    house.cli("homes", "location", "Villa", "52.52,13.40", "--time-zone", "Europe/Berlin")
    house.set_clock("06:00:58")
    until(lambda: house.results, START, "a scheduled time is reached")
    assert house.results == {"8 01": {"ran": 1}}
    assert house.next("6 01") == "04:01"


@pytest.mark.long
def test_changed_system_time_zone_applies_within_a_minute(house):
    house.at("6:30", "8:30")
    assert house.next("8 30") == "08:30"
    house.host.run("mount", "--bind", "/usr/share/zoneinfo/Europe/Berlin", "/etc/localtime")
    try:
        until(lambda: house.next("8 30") == "06:30", 70, "the hub reads the time zone again", interval=0.5)
        house.set_clock("06:29:58")
        until(lambda: house.results, START, "a scheduled time is reached")
        assert house.results == {"8 30": {"ran": 1}}
    finally:
        house.host.run("umount", "/etc/localtime")
