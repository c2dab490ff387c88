"""The lights of a Hue bridge are HomeKit lights. aiohue reads them and changes them as another app would.

The Hue bridge is hue_bridge.py. With DIYHUE=/path/of/diyHue/BridgeEmulator and DIYHUE_PYTHON=/an/interpreter/with/its/packages
the tests that work with any Hue bridge run against diyHue, too.
"""

import json
import os
import ssl
import stat
import subprocess
import sys
import time
import urllib.request
import warnings
from pathlib import Path

import pytest
from aiohue.v2 import HueBridgeV2
from conftest import configuration
from lan import end, until
from scripted_device import ScriptedDevice

DIYHUE = os.environ.get("DIYHUE")
JUDGE = "a-key-of-this-test-and-no-other-0123456789"
PRESS = "press the link button of"


def make_certificate(directory, name, common_name="001788fffe123456"):
    """Create a self-signed certificate of a bridge, and its key."""
    certificate, key = directory / f"{name}.pem", directory / f"{name}.key"
    subprocess.run(
        ["openssl", "req", "-new", "-x509", "-nodes", "-days", "7000", "-newkey", "ec", "-pkeyopt",
         "ec_paramgen_curve:P-256", "-subj", f"/C=NL/O=Philips Hue/CN={common_name}", "-keyout", key, "-out", certificate],
        check=True, capture_output=True)
    return certificate, key


class OwnBridge(ScriptedDevice):
    """hue_bridge.py on the host `phone`. It keeps its keys across restarts."""

    script = "hue_bridge.py"
    id = "001788fffe123456"
    colored, white, plug = "Den", "Hall", "Plug"

    def __init__(self, host, directory):
        self.host, self.events = host, []
        self.certificate = make_certificate(directory, "first")
        self.settings = {"address": host.address, "keys": [JUDGE]}

    def start(self):
        for event in self.events:
            self.settings["keys"] = event.get("keys", self.settings["keys"])
        self.settings["certificate"], self.settings["key"] = map(str, self.certificate)
        super().start()
        return self

    def press(self):
        self.send(press=True)


class DiyHue:
    """diyHue on the host `phone`."""

    id = "001122fffe334455"
    colored, white, plug = "Den", "Hall", "Plug"

    def __init__(self, host, directory):
        self.host, self.directory = host, directory / "diyhue"
        self.directory.mkdir()
        certificate, key = make_certificate(directory, "diyhue", self.id)
        (self.directory / "cert.pem").write_text(key.read_text() + certificate.read_text())
        kinds = {"Den": "LCT015", "Hall": "LWB010", "Desk": "LTW001", "Plug": "LOM001"}
        (self.directory / "lights.yaml").write_text(json.dumps({
            str(number): {"name": name, "modelid": model, "protocol": "dummy"}
            for number, (name, model) in enumerate(kinds.items(), 1)}))
        date = "2026-01-01T00:00:00"
        user = {"name": "judge", "client_key": None, "create_date": date, "last_use_date": date}
        (self.directory / "config.yaml").write_text(json.dumps({
            "timezone": "Europe/London", "name": "DiyHue Bridge", "swversion": "1967054020", "apiversion": "1.67.0",
            "discovery": False, "mqtt": {"enabled": False}, "deconz": {"enabled": False}, "Remote API enabled": False,
            "alarm": {"enabled": False, "lasttriggered": 0}, "netmask": "255.255.255.0", "users": {}, "hue": {}, "Hue Essentials key": "none",
            "tradfri": {}, "linkbutton": {"lastlinkbuttonpushed": 1599398980}, "whitelist": {JUDGE: user}}))
        self.process = None

    def start(self):
        with open(self.directory / "log", "ab") as log:
            self.process = self.host.popen(
                "sh", "-c", 'cd "$1" && export PYTHONPATH="$2" && shift 2 && exec "$@"', "sh", self.directory, DIYHUE,
                os.environ.get("DIYHUE_PYTHON", sys.executable), Path(DIYHUE) / "HueEmulator3.py", "--bind-ip",
                self.host.address, "--ip", self.host.address, "--mac", "00:11:22:33:44:55", "--config_path",
                self.directory, stdout=log, stderr=log)
        # diyHue checks for updates first, which takes long without a network.
        until(self._answers, 60, "diyHue answers")
        return self

    def _answers(self):
        script = f"import socket; socket.create_connection(('{self.host.address}', 443), 1)"
        return self.host.run(sys.executable, "-c", script, check=False).returncode == 0

    def press(self):
        async def put():
            context = ssl._create_unverified_context()
            request = urllib.request.Request(
                f"https://{self.host.address}/api/{JUDGE}/config", json.dumps({"linkbutton": True}).encode(), method="PUT")
            urllib.request.urlopen(request, context=context).read()

        self.host.run_async(put())

    def stop(self):
        end(self.process)

    close = stop


BRIDGES = [OwnBridge, DiyHue] if DIYHUE else [OwnBridge]


@pytest.fixture
def hue(request, lan, tmp_path):
    made = getattr(request, "param", OwnBridge)(lan.phone, tmp_path).start()
    yield made
    made.close()


any_bridge = pytest.mark.parametrize("hue", BRIDGES, indirect=True)


def make_bridge(make_daemon, **keys):
    return make_daemon(configuration(drivers=[{"driver": "hue", **keys}]))


def warned(daemon, text, timeout=20):
    until(lambda: text in " ".join(daemon.status["warnings"]), timeout, f"the status contains: {text}")


def named(daemon, name):
    return next((light for light in daemon.lights.values() if light["name"] == name), None)


def light(daemon, name, timeout=15, **expected):
    """Wait until a light is as expected."""
    def near(have, want):
        return abs(have - want) <= 1 if isinstance(want, float) and have is not None else have == want

    return until(
        lambda: (found := named(daemon, name)) and all(near(found.get(key), want) for key, want in expected.items()) and found,
        timeout, f"{name} has {expected}: {named(daemon, name)}", interval=0.05)


def paired(make_daemon, hue, **keys):
    """A daemon that has paired with the bridge after its link button was pressed."""
    daemon = make_bridge(make_daemon, **keys)
    warned(daemon, PRESS)
    hue.press()
    light(daemon, hue.colored, reachable=True)
    return daemon


def set_light(daemon, name, *values):
    daemon.cli("lights", "set", named(daemon, name)["key"], *values)


def judge(hue, scenario):
    """Run a scenario with aiohue's view of the bridge."""
    async def body():
        async with HueBridgeV2(hue.host.address, JUDGE) as bridge:
            lights = {item.metadata.name: item for item in bridge.lights.items}
            return await scenario(bridge, lights)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return hue.host.run_async(body())


@any_bridge
def test_link_button_pairs_once(hue, make_daemon):
    daemon = paired(make_daemon, hue)
    until(lambda: daemon.status["warnings"] == [], 5, "the status has no more warnings")
    assert sorted(item["name"] for item in daemon.lights.values()) == ["Den", "Desk", "Hall", "Plug"]
    assert light(daemon, hue.plug)["kind"] == "outlet"
    kept = daemon.state_directory / "hue/hue" / f"{hue.id}.json"
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert stat.S_IMODE(kept.parent.stat().st_mode) == 0o700
    key = json.loads(kept.read_text())["application-key"]
    aid = light(daemon, hue.colored)["aid"]
    daemon.kill()
    daemon.start()
    assert light(daemon, hue.colored, reachable=True)["aid"] == aid
    until(lambda: daemon.status["warnings"] == [], 20, "there are no warnings, and the bridge is advertised")
    assert key not in daemon.log


@any_bridge
def test_controls_lights_and_reports_external_changes(hue, make_daemon):
    daemon = paired(make_daemon, hue)
    set_light(daemon, hue.colored, "on=true", "brightness=40")
    light(daemon, hue.colored, on=True, brightness=40)
    set_light(daemon, hue.colored, "hue=120", "saturation=100")
    light(daemon, hue.colored, hue=120, saturation=100)
    set_light(daemon, hue.white, "on=true", "brightness=1")
    light(daemon, hue.white, on=True, brightness=1)
    set_light(daemon, hue.plug, "on=true")
    light(daemon, hue.plug, on=True)

    async def look(bridge, lights):
        den = lights[hue.colored]
        assert den.on.on and abs(den.dimming.brightness - 40) < 0.5
        assert abs(den.color.xy.x - 0.17) < 0.01 and abs(den.color.xy.y - 0.7) < 0.01, "green, at the edge of its gamut"
        assert lights[hue.plug].on.on
        await bridge.lights.set_state(den.id, on=True, brightness=70, color_temp=300)
        await bridge.lights.turn_off(lights[hue.white].id)

    judge(hue, look)
    start = time.monotonic()
    light(daemon, hue.colored, timeout=3, on=True, brightness=70, temperature=300)
    light(daemon, hue.white, timeout=3, on=False)
    print(f"external changes were shown within {(time.monotonic() - start) * 1000:.0f} ms")
    set_light(daemon, hue.colored, "temperature=200")
    light(daemon, hue.colored, temperature=200)


def test_room_scene_is_recalled_once(hue, make_daemon):
    async def look(bridge, lights):
        scene, = bridge.scenes.scene.items
        assert scene.metadata.name == "Relax", "aiohue reads the same scene"

    judge(hue, look)
    daemon = make_daemon(configuration(drivers=[{"driver": "hue"}]) | {"include": ["lights", "scenes"]})
    warned(daemon, PRESS)
    hue.press()
    light(daemon, hue.colored, reachable=True)
    key, = until(lambda: [key for key in daemon.lights if key.endswith("/scenes")], 20, "the scenes are shown")
    assert daemon.lights[key]["name"] == "Attic Scenes"
    daemon.cli("devices", "set", key, "on")
    light(daemon, hue.colored, on=True, brightness=30)
    until(lambda: [on for name, on in daemon.lights[key].items() if name.startswith("on#")] == [False], 5, "it resets")
    assert [event["recalled"] for event in hue.events if "recalled" in event] == ["Relax"]


def test_changed_certificate_is_rejected_until_the_stored_one_is_removed(hue, make_daemon, tmp_path):
    daemon = paired(make_daemon, hue, discover=False, hosts=[hue.host.address])
    hue.stop()
    hue.certificate = make_certificate(tmp_path, "second")
    hue.start()
    kept = daemon.state_directory / f"hue/hue/{hue.id}.json"
    # Up to 60 s pass between two attempts.
    warned(daemon, f"remove {kept} and press its link button", timeout=75)
    light(daemon, hue.colored, reachable=False)
    assert not [event for event in hue.events if "authorized" in event], "the key was sent to another device"
    kept.unlink()
    warned(daemon, PRESS, timeout=75)
    hue.press()
    light(daemon, hue.colored, timeout=20, reachable=True)


def test_change_during_an_event_stream_outage_is_shown(hue, make_daemon):
    daemon = paired(make_daemon, hue)
    for round in range(3):
        hue.send(cut=True)
        hue.send(light="Den", on={"on": round % 2 == 0}, dimming={"brightness": 10 + round})
        light(daemon, "Den", timeout=5, on=round % 2 == 0, brightness=10 + round)
    assert light(daemon, "Den")["reachable"]
