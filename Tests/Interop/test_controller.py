"""Our controller finds a bridge of HAP-python through Avahi, pairs with it and controls it."""

import sys
from pathlib import Path

import pytest
from daemon import program
from talker import Talker

ON, BRIGHTNESS, TEMPERATURE, LOCK_TARGET, BUTTON_EVENT = "25", "8", "11", "1E", "73"
DEVICE, CODE = "5A:11:C0:DE:00:01", "031-45-154"
HERE = Path(__file__).parent


class Probe(Talker):
    def do(self, command, **members):
        self.say({"do": command, **members})
        line = self._outcome()
        assert "answer" in line, line
        return line["answer"]

    def fails(self, command, **members):
        self.say({"do": command, **members})
        return self._outcome()["error"]

    def _outcome(self):
        return self.until(lambda line: "answer" in line or "error" in line, keeping=True)

    def value(self, place, value):
        self.until(lambda line: line.get("values", {}).get(place) == value)

    def connected(self):
        self.until(lambda line: line.get("state") == "connected")


@pytest.fixture(scope="module")
def hub(lan):
    """A third host with an Avahi daemon, on which our controller runs."""
    with lan.add_host("hub", "10.77.0.3") as host:
        yield host


@pytest.fixture
def probe(hub, tmp_path):
    made = Probe(hub, tmp_path / "probe.log", program("hap-controller-probe"))
    yield made
    made.close()


@pytest.fixture
def python_bridge(lan, tmp_path):
    """Start HAP-python's bridge on the host `phone`, or on another host; its pairing outlives its process."""
    started = []

    def start(port=51826, host=None):
        host = host or lan.phone
        made = Talker(
            host, tmp_path / "bridge.log", sys.executable, HERE / "python_bridge.py", host.address, port,
            tmp_path / "accessory.state")
        started.append(made)
        assert made.until(lambda line: "ready" in line)["ready"] == DEVICE
        return made

    yield start
    for made in started:
        made.close()


def places(probe):
    """Return characteristics by type. Outside Accessory Information, each type used here occurs once."""
    return {entry["type"]: entry["id"] for entry in probe.do("characteristics")}


def test_controller_pairs_with_and_controls_a_hap_python_bridge(probe, python_bridge):
    bridge = python_bridge()
    found = probe.do("find", device=DEVICE)
    assert found["paired"] is False and found["category"] == 2 and found["name"].startswith("Python Bridge")

    # Pairing with a wrong code has no effect.
    assert "setup code is wrong" in probe.fails("pair", device=DEVICE, code="111-22-333")
    us = probe.do("pair", device=DEVICE, code=CODE)
    probe.connected()
    assert probe.do("pairings") == [{"id": us, "admin": True}]
    assert probe.do("find", device=DEVICE, paired=True)["paired"] is True

    # Reads and writes return a status for each characteristic.
    where = places(probe)
    lamp = {kind: where[kind] for kind in (ON, BRIGHTNESS)}
    assert probe.do("read", ids=list(lamp.values())) == {lamp[ON]: False, lamp[BRIGHTNESS]: 0}
    outcome = probe.do("write", values={lamp[ON]: True, lamp[BRIGHTNESS]: 40})
    assert {entry["status"] for entry in outcome.values()} == {0}
    assert bridge.until(lambda line: line.get("wrote") == ["Lamp", "On", 1])
    assert probe.do("write", values={where[LOCK_TARGET]: 1})[where[LOCK_TARGET]]["status"] == 0
    bridge.until(lambda line: line.get("wrote") == ["Latch", "LockTargetState", 1])
    aid = int(lamp[ON].split(".")[0])
    assert probe.do("identify", aid=aid) == 0
    # With this many ids, the request target is longer than a frame.
    everything = [entry["id"] for entry in probe.do("characteristics") if "pr" in entry["perms"]] * 8
    # A button reads as null, which isn't a value and doesn't show the accessory's state.
    assert set(everything) - set(probe.do("read", ids=everything)) == {where[BUTTON_EVENT]}

    # Events.
    probe.do("subscribe", ids=[lamp[BRIGHTNESS], where[TEMPERATURE], where[BUTTON_EVENT]])
    probe.value(where[TEMPERATURE], 0)
    bridge.say(["Thermometer", "CurrentTemperature", 21.5])
    probe.value(where[TEMPERATURE], 21.5)
    for _ in range(2):
        bridge.say(["Button", "ProgrammableSwitchEvent", 0])
        probe.until(lambda line: line.get("occurrence") == where[BUTTON_EVENT])

    # After a crash, the bridge has another port. It is found again, subscribed to again, and missed changes are read.
    bridge.process.kill()
    bridge.process.wait()
    probe.until(lambda line: "unreachable" in line.get("state", ""))
    bridge = python_bridge(port=51999)
    bridge.say(["Lamp", "Brightness", 75])
    probe.connected()
    bridge.say(["Thermometer", "CurrentTemperature", 19.5])
    probe.value(where[TEMPERATURE], 19.5)
    assert probe.do("read", ids=[lamp[BRIGHTNESS]]) == {lamp[BRIGHTNESS]: 75}

    # The pairing and its data are removed on both sides.
    assert probe.do("unpair") is True
    probe.until(lambda line: line.get("state") == "stopped")
    assert probe.do("find", device=DEVICE, paired=False)["paired"] is False


def test_controller_pairs_with_and_controls_lamplighter_over_link_local_ipv6(probe, daemon):
    status, setup = daemon.until_stable(), daemon.cli("setup", "--json")
    device = status["deviceId"]
    # A link-local address needs its interface.
    found = probe.do("find", device=device, ipv6=True)
    assert found["endpoints"] and all(place.startswith("[fe80:") and "%" in place for place in found["endpoints"])
    assert probe.do("identify", device=device, ipv6=True) is True
    probe.do("pair", device=device, code=setup["code"])
    probe.connected()
    where = {entry["id"]: entry["type"] for entry in probe.do("characteristics")}
    lamp = next(place for place, kind in where.items() if kind == ON)
    probe.do("subscribe", ids=[lamp])
    assert probe.do("write", values={lamp: True})[lamp]["status"] == 0
    assert probe.do("read", ids=[lamp]) == {lamp: True}
    assert probe.do("unpair") is True
    assert probe.do("find", device=device, paired=False)["paired"] is False
