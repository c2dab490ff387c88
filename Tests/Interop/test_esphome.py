"""Devices of ESPHome's native API on another host, made of aioesphomeapi, are HomeKit lights behind the bridge."""

import base64
import json
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from conftest import configuration
from lan import end, until

MAC = "063569ABF679"
KEY = base64.b64encode(bytes(range(32))).decode()
RED = {"hue": 0, "saturation": 100}


class Device:
    """esphome_device.py on the host `phone`."""

    def __init__(self, host, **settings):
        self.settings = {"address": host.address, **settings}
        self.host = host
        self.process = None
        self.start()

    def start(self):
        self.commands = []
        self.process = self.host.popen(
            sys.executable, Path(__file__).with_name("esphome_device.py"), json.dumps(self.settings),
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.port = json.loads(self.process.stdout.readline())["port"]
        threading.Thread(target=self._read, args=(self.process,), daemon=True).start()

    def _read(self, process):
        for line in process.stdout:
            self.commands.append(json.loads(line))

    def tell(self, **change):
        self.process.stdin.write(json.dumps(change) + "\n")
        self.process.stdin.flush()

    def unplug(self):
        self.tell(end=True)
        self.process.wait(10)

    def close(self):
        if self.process.poll() is None:
            self.process.stdin.close()
        end(self.process)


@pytest.fixture
def make_device(lan):
    made = []

    def make(host=lan.phone, **settings):
        made.append(Device(host, **settings))
        return made[-1]

    yield make
    for device in made:
        device.close()


@pytest.fixture
def key_file(tmp_path):
    path = tmp_path / "den.key"
    path.write_text(KEY + "\n")
    path.chmod(0o600)
    return path


def make_bridge(make_daemon, **keys):
    return make_daemon(configuration(drivers=[{"driver": "esphome", **keys}]))


def light(daemon, name, timeout=15, **expected):
    """Wait until a light is as expected."""
    return until(
        lambda: (found := daemon.lights.get(f"esphome/{MAC}/{name}"))
        and expected.items() <= {"reachable": found["reachable"], **found}.items() and found,
        timeout, f"{name} has {expected}, {daemon.lights.get(f'esphome/{MAC}/{name}')}", interval=0.05)


def warnings(daemon):
    return " ".join(daemon.status["warnings"])


@pytest.mark.parametrize("key", [None, KEY], ids=["plain", "noise"])
def test_a_device_is_found_commanded_and_changed_from_outside(key, make_daemon, make_device, key_file):
    device = make_device(key=key)
    keys = {"devices": {"den": {"key-file": str(key_file)}}} if key else {}
    daemon = make_bridge(make_daemon, discover=True, **keys)
    light(daemon, "dim", reachable=True, on=False)
    until(lambda: len(daemon.lights) == 9, 10, "there is one for each colour mode, and no sensor")
    daemon.cli("lights", "set", f"esphome/{MAC}/dim", "on=true", "brightness=40")
    light(daemon, "dim", on=True, brightness=40)
    # Nothing is answered to a command: that the bridge shows it does not say that the device has it.
    until(lambda: device.commands, 5, "the command is there")
    assert device.commands[0] == {"command": "dim", "state": True, "brightness": pytest.approx(0.4)}
    for name in ("color", "color_white", "locked", "color_temper", "color_cold_warm"):
        daemon.cli("lights", "set", f"esphome/{MAC}/{name}", "hue=120", "saturation=100")
        light(daemon, name, hue=120, saturation=100)
    for name in ("temper", "cold_warm", "color_temper", "color_cold_warm"):
        daemon.cli("lights", "set", f"esphome/{MAC}/{name}", "temperature=300")
        light(daemon, name, temperature=300)
    until(lambda: len(device.commands) >= 10, 5, "all commands are there")
    device.tell(light="color", state=True, red=1, green=0, blue=0)
    light(daemon, "color", on=True, **RED)
    device.tell(light="dim", state=False)
    light(daemon, "dim", on=False, brightness=40)


def test_it_is_unplugged_and_comes_back_at_another_port(make_daemon, make_device):
    device = make_device()
    daemon = make_bridge(make_daemon)
    before = light(daemon, "dim", reachable=True)
    device.unplug()
    light(daemon, "dim", timeout=2, reachable=False)
    port = device.port
    device.start()
    assert device.port != port
    after = light(daemon, "dim", reachable=True, timeout=10)
    assert after["aid"] == before["aid"]


def test_unplugged_and_back_with_another_address(make_daemon, make_device, lan):
    device = make_device()
    daemon = make_bridge(make_daemon)
    aid = light(daemon, "dim", reachable=True)["aid"]
    device.unplug()
    light(daemon, "dim", reachable=False)
    with lan.add_host("lamp", "10.77.0.9") as other:
        moved = make_device(other)
        assert light(daemon, "dim", reachable=True, timeout=60)["aid"] == aid
        daemon.cli("lights", "set", f"esphome/{MAC}/dim", "brightness=40")
        until(lambda: moved.commands, 5, "the command is at the new address")
        moved.close()


def test_a_device_that_hangs_is_out_of_reach_soon_after_a_command(make_daemon, make_device):
    device = make_device()
    daemon = make_bridge(make_daemon)
    light(daemon, "dim", reachable=True)
    device.tell(mute=True)
    daemon.cli("lights", "set", f"esphome/{MAC}/dim", "on=true", check=False)
    light(daemon, "dim", timeout=20, reachable=False)
    device.tell(mute=False)
    light(daemon, "dim", timeout=20, reachable=True)


def test_a_device_without_its_key_is_told_in_the_status_and_found_with_it(make_daemon, make_device, key_file):
    make_device(key=KEY)
    daemon = make_bridge(make_daemon)
    until(lambda: "den: {key-file: /etc/lamplighter/den.key}" in warnings(daemon), 10, "the status says what to write")
    assert daemon.lights == {}
    wrong = key_file.with_name("wrong.key")
    wrong.write_text(base64.b64encode(bytes(32)).decode())
    wrong.chmod(0o600)
    drivers = [{"driver": "esphome", "devices": {"den": {"key-file": str(wrong)}}}]
    daemon.configure(configuration(drivers=drivers))
    daemon.cli("reload")
    until(lambda: "wrong.key is not that of den" in warnings(daemon), 10, "the wrong key is told")
    wrong.write_text(KEY)
    light(daemon, "dim", reachable=True, timeout=30)
    until(lambda: daemon.status["warnings"] == [], 20, "nothing is wrong any more, and the bridge is advertised")
    assert KEY not in daemon.log


def test_a_device_by_its_address_wants_a_key_or_has_none(make_daemon, make_device, key_file, lan):
    sealed = make_device(name="sealed", key=KEY, announce=False)
    plain = make_device(name="plain", announce=False)
    hosts = [{"host": lan.phone.address, "port": sealed.port},
             {"host": lan.phone.address, "port": plain.port, "key-file": str(key_file)}]
    for host, text in zip(hosts, ("wants an encryption key", "does not encrypt")):
        daemon = make_bridge(make_daemon, discover=False, hosts=[host])
        until(lambda: text in warnings(daemon), 10, text)
        daemon.close()
    hosts[0]["key-file"] = str(key_file)
    daemon = make_bridge(make_daemon, discover=False, hosts=hosts[:1])
    light(daemon, "dim", reachable=True)


def test_its_fan_and_its_sensors_are_shown_if_they_are_included(make_daemon, make_device):
    device = make_device()
    kinds = {"include": ["fans", "sensors"]}
    daemon = make_daemon(configuration(drivers=[{"driver": "esphome"}]) | kinds)
    light(daemon, "sensors", temperature=20, battery=90, motion=False, contact=True)
    assert set(daemon.lights) == {f"esphome/{MAC}/sensors", f"esphome/{MAC}/fan/fan"}, "no lights, and no uptime"
    device.tell(light="motion", state=True)
    light(daemon, "sensors", motion=True)
    device.tell(light="door", state=True)
    device.tell(light="temperature", state=-4.5)
    light(daemon, "sensors", contact=False, temperature=-4.5)
    daemon.cli("lights", "set", f"esphome/{MAC}/fan/fan", "on=true", "speed=50", "direction=counterclockwise")
    light(daemon, "fan/fan", on=True, speed=50, direction="counterclockwise")
    until(lambda: device.commands, 5, "the command is there")
    assert device.commands[0] == {"command": "fan", "state": True, "direction": 1, "speed_level": 2}
    device.tell(light="fan", state=False, oscillating=True, speed_level=3)
    light(daemon, "fan/fan", on=False, oscillates=True, speed=100)
    device.unplug()
    light(daemon, "sensors", reachable=False)
