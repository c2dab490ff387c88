"""Automations of the real hub on the real bridge: values, presses, outages, and kill -9 at any step of a run."""

import os
import time

import pytest
from clock import WallClock
from conftest import configuration
from home import HomeDaemon, hub  # noqa: F401 (fixture)
from lan import until
from test_homehubd import SYSTEM_APP, App

ON, MOTION, PRESS = "25", "22", "73"
DEVICES = [
    {"id": "lamp", "name": "Lamp"}, {"id": "hall", "name": "Hall", "kind": "sensor", "readings": ["motion"]},
    {"id": "remote", "name": "Remote", "kind": "button", "buttons": ["top"]}]


@pytest.fixture
def bridge(make_daemon):
    made = make_daemon(configuration("Demo", DEVICES))
    made.until_published()
    return made


@pytest.fixture
def home(hub, bridge, tmp_path):
    """A hub with a home and the bridge; this program is its system app."""
    made = HomeDaemon(hub, tmp_path / "home").start()
    made.cli("homes", "add", "Villa")
    made.add(bridge.setup_code, bridge.status["deviceId"])
    made.terminate()
    made.configuration_path.write_text(f"system-app: {os.path.realpath('/proc/self/exe')}\n")
    yield made
    made.close()


class SystemApp(App):
    """A session of the system app in the first home."""

    def __init__(self, home):
        super().__init__(home)
        assert self.open(app=SYSTEM_APP)["result"]["isSystemApp"]
        self.home = self.get("homes.list")["homes"][0]["id"]

    def get(self, method, **params):
        answer = self.ask(method, **params)
        assert "result" in answer, answer
        return answer["result"]

    @property
    def accessories(self):
        revision = self.get("homes.list")["homes"][0]["revision"]
        return self.get("accessories.list", home=self.home, revision=revision, offset=0)["accessories"]

    def characteristic(self, name, type):
        accessory = next(one for one in self.accessories if one["name"] == name)
        return next(
            part["id"] for service in accessory["services"] for part in service["characteristics"]
            if part["type"].lstrip("0").partition("-")[0] == type)

    def until_reachable(self, count=4):
        until(lambda: sum(one["isReachable"] for one in self.accessories) == count, 20, "the accessories are reachable")

    def add(self, name, event, *steps, **members):
        return self.get(
            "automations.add", home=self.home, name=name, definition={"events": [event], "steps": list(steps), **members})

    @property
    def records(self):
        """The history, oldest first."""
        return self.get("automations.history", home=self.home)[::-1]


def set_value(characteristic, value):
    return {"kind": "write", "values": [{"characteristic": characteristic, "value": value}]}


def is_on(bridge):
    return bridge.lights["simulated/lamp"]["on"]


def test_value_changes_presses_and_outages_start_runs(home, bridge):
    home.start()
    with SystemApp(home) as app:
        app.until_reachable()
        lamp = app.characteristic("Lamp", ON)
        motion = app.characteristic("Hall", MOTION)
        press = app.characteristic("Remote", PRESS)
        app.add(
            "Light", {"kind": "characteristic", "characteristic": motion, "value": True}, set_value(lamp, True),
            {"kind": "wait", "for": 1}, set_value(lamp, False))
        app.add("Press", {"kind": "button", "characteristic": press, "press": "double"}, {"kind": "notify", "text": "Ding"})
        hall = next(one["id"] for one in app.accessories if one["name"] == "Hall")
        app.add("Away", {"kind": "unreachable", "accessory": hall, "for": 1}, {"kind": "notify", "text": "Away"})

        bridge.cli("simulate", "simulated/hall", "motion=yes")
        until(lambda: is_on(bridge), 10, "the lamp is on")
        until(lambda: not is_on(bridge), 10, "the lamp is off again")
        bridge.cli("simulate", "simulated/remote", "press=single")
        bridge.cli("simulate", "simulated/remote", "press=double")
        until(lambda: len(app.records) == 2, 10, "a double press")
        bridge.terminate()
        until(lambda: len(app.records) == 3, 20, "the outage")
        bridge.start()
        app.until_reachable()
        assert [record["result"]["result"] for record in app.records] == ["ran"] * 3
        assert all("error" not in one for record in app.records for one in record["outcomes"])


@pytest.mark.parametrize("delay", [0.0, 0.012, 0.1])
def test_killed_hub_does_not_repeat_a_run(home, bridge, tmp_path, delay):
    clock = WallClock(tmp_path)
    home.environment = {**clock.environment, "TZ": "UTC"}
    home.start()
    due = (int(time.time()) // 60 + 10) * 60
    with SystemApp(home) as app:
        app.until_reachable()
        # The hub handles times only ten seconds after its start.
        time.sleep(11)
        lamp = app.characteristic("Lamp", ON)
        app.add("Clock", {"kind": "calendar", "time": time.strftime("%H:%M", time.gmtime(due))}, set_value(lamp, True))
        clock.shift(due - time.time() + 1)
        app.add("Notice", {"kind": "characteristic", "characteristic": lamp}, {"kind": "notify", "text": "On"})
        time.sleep(delay)
        home.kill()
    ran_before = is_on(bridge)
    bridge.cli("simulate", "simulated/lamp", "on=false")
    home.start()
    with SystemApp(home) as app:
        app.until_reachable()
        time.sleep(12)
        until(lambda: any(one["cause"]["cause"] == "event" for one in app.records) or not ran_before, 5, "a record")
        runs = [one for one in app.records if one["result"]["result"] == "ran" and one["cause"]["event"]["kind"] == "calendar"]
        assert len(runs) == 1
        # At most once; exactly once if the kill came before the record.
        assert not (ran_before and is_on(bridge))
        if runs[0].get("outcomes"):
            assert ran_before != is_on(bridge)
