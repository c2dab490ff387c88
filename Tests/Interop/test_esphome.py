"""A simulated ESPHome device with aioesphomeapi's messages is shown as lights, a fan, sensors and a cover."""

import base64

import pytest
from conftest import configuration
from lan import until
from scripted_device import ScriptedDevice, made_devices

MAC = "063569ABF679"
KEY = base64.b64encode(bytes(range(32))).decode()
RED = {"hue": 0, "saturation": 100}


class Device(ScriptedDevice):
    script = "esphome_device.py"

    def unplug(self):
        self.send(end=True)
        self.process.wait(10)


@pytest.fixture
def make_device(lan):
    yield from made_devices(Device, lan.phone)


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
def test_discovers_and_controls_a_device_and_reports_external_changes(key, make_daemon, make_device, key_file):
    device = make_device(key=key)
    keys = {"devices": {"den": {"key-file": str(key_file)}}} if key else {}
    daemon = make_daemon(configuration(drivers=[{"driver": "esphome", "discover": True, **keys}]) | {"include": ["lights"]})
    light(daemon, "dim", reachable=True, on=False)
    until(lambda: len(daemon.lights) == 9, 10, "a light for each color mode, and no sensor")
    assert daemon.status["kinds"] == [{"kind": "lights", "count": 9}]
    hidden = ["fans", "sensors", "covers", "garage-doors", "scenes"]
    assert daemon.status["hiddenKinds"] == [{"kind": kind, "count": 1} for kind in hidden]
    assert daemon.status["includeLine"] == f"include: [lights, {', '.join(hidden)}]"
    daemon.cli("lights", "set", f"esphome/{MAC}/dim", "on=true", "brightness=40")
    light(daemon, "dim", on=True, brightness=40)
    # A device doesn't acknowledge commands, so the bridge may show a value before the device has it.
    until(lambda: device.events, 5, "the command arrives")
    assert device.events[0] == {"command": "dim", "state": True, "brightness": pytest.approx(0.4)}
    for name in ("color", "color_white", "locked", "color_temper", "color_cold_warm"):
        daemon.cli("lights", "set", f"esphome/{MAC}/{name}", "hue=120", "saturation=100")
        light(daemon, name, hue=120, saturation=100)
    for name in ("temper", "cold_warm", "color_temper", "color_cold_warm"):
        daemon.cli("lights", "set", f"esphome/{MAC}/{name}", "temperature=300")
        light(daemon, name, temperature=300)
    until(lambda: len(device.events) >= 10, 5, "all commands arrive")
    device.send(light="color", state=True, red=1, green=0, blue=0)
    light(daemon, "color", on=True, **RED)
    device.send(light="dim", state=False)
    light(daemon, "dim", on=False, brightness=40)


def test_device_keeps_its_aid_at_another_address_and_port(make_daemon, make_device, lan):
    device = make_device()
    daemon = make_bridge(make_daemon)
    aid = light(daemon, "dim", reachable=True)["aid"]
    device.unplug()
    light(daemon, "dim", reachable=False)
    with lan.add_host("lamp", "10.77.0.9") as other:
        moved = make_device(other)
        assert light(daemon, "dim", reachable=True, timeout=60)["aid"] == aid
        daemon.cli("lights", "set", f"esphome/{MAC}/dim", "brightness=40")
        until(lambda: moved.events, 5, "the command arrives at the new address")
        moved.close()


def test_status_warns_of_a_device_until_its_key_is_configured(make_daemon, make_device, key_file):
    make_device(key=KEY)
    daemon = make_bridge(make_daemon)
    until(lambda: "den: {key-file: /etc/lamplighter/den.key}" in warnings(daemon), 10, "the warning shows the missing key-file")
    assert daemon.lights == {}
    wrong = key_file.with_name("wrong.key")
    wrong.write_text(base64.b64encode(bytes(32)).decode())
    wrong.chmod(0o600)
    drivers = [{"driver": "esphome", "devices": {"den": {"key-file": str(wrong)}}}]
    daemon.configure(configuration(drivers=drivers))
    daemon.cli("reload")
    until(lambda: "wrong.key is wrong for den" in warnings(daemon), 10, "the wrong key is a warning")
    wrong.write_text(KEY)
    light(daemon, "dim", reachable=True, timeout=30)
    until(lambda: daemon.status["warnings"] == [], 20, "there are no more warnings")
    assert KEY not in daemon.log


def test_fan_and_sensors_are_shown_if_included(make_daemon, make_device):
    device = make_device()
    kinds = {"include": ["fans", "sensors"]}
    daemon = make_daemon(configuration(drivers=[{"driver": "esphome"}]) | kinds)
    light(daemon, "sensors", temperature=20, battery=90, motion=False, contact=True)
    assert set(daemon.lights) == {f"esphome/{MAC}/sensors", f"esphome/{MAC}/fan/fan"}, "no lights, and no uptime"
    device.send(light="motion", state=True)
    light(daemon, "sensors", motion=True)
    device.send(light="door", state=True)
    device.send(light="temperature", state=-4.5)
    light(daemon, "sensors", contact=False, temperature=-4.5)
    daemon.cli("lights", "set", f"esphome/{MAC}/fan/fan", "on=true", "speed=50", "direction=counterclockwise")
    light(daemon, "fan/fan", on=True, speed=50, direction="counterclockwise")
    until(lambda: device.events, 5, "the command arrives")
    assert device.events[0] == {"command": "fan", "state": True, "direction": 1, "speed_level": 2}
    device.send(light="fan", state=False, oscillating=True, speed_level=3)
    light(daemon, "fan/fan", on=False, oscillates=True, speed=100)
    daemon.cli("lights", "set", f"esphome/{MAC}/fan/fan", "on", "mode=auto")
    light(daemon, "fan/fan", on=True, mode="auto")
    assert device.events[1] == {"command": "fan", "state": True, "preset_mode": "Auto"}
    device.send(light="fan", preset_mode="Sleep")
    light(daemon, "fan/fan", **{"mode": "manual", "on#option/preset/Sleep": True})
    daemon.cli("lights", "set", f"esphome/{MAC}/fan/fan", "speed=30")
    light(daemon, "fan/fan", **{"speed": 30, "on#option/preset/Sleep": False})
    assert device.events[2] == {"command": "fan", "speed_level": 1}


def test_cover_moves_and_stops_on_command(make_daemon, make_device):
    device = make_device()
    daemon = make_bridge(make_daemon)
    key = f"esphome/{MAC}/cover/blind"
    light(daemon, "cover/blind", reachable=True, position=0, tilt=90, movement="stopped")
    assert not any("car" in name for name in daemon.lights), "a garage door isn't shown as a cover"
    daemon.cli("lights", "set", key, "position=40", "tilt=-90")
    light(daemon, "cover/blind", movement="opening", tilt=-90)
    device.send(light="blind", position=0.25)
    light(daemon, "cover/blind", position=25, movement="opening")
    daemon.cli("lights", "set", key, "movement=stopped")
    until(lambda: len(device.events) == 2, 5, "both commands arrive")
    assert device.events == [
        {"command": "blind", "position": pytest.approx(0.4), "tilt": 0}, {"command": "blind", "stop": True}]
    device.send(light="blind", position=0.5, current_operation=0)
    light(daemon, "cover/blind", position=50, movement="stopped")


def test_select_entity_has_a_switch_for_each_option(make_daemon, make_device):
    device = make_device()
    daemon = make_daemon(configuration(drivers=[{"driver": "esphome"}]) | {"include": ["scenes"]})
    eco, boost = "on#option/select/Eco", "on#option/select/Boost"
    light(daemon, "select/mode", reachable=True, **{eco: True, boost: False})
    daemon.cli("devices", "set", f"esphome/{MAC}/select/mode", f"{boost}=true")
    light(daemon, "select/mode", **{eco: False, boost: True})
    until(lambda: device.events == [{"command": "mode", "key": 109, "state": "Boost"}], 5, "the option is chosen")
    device.send(light="mode", state="Eco")
    light(daemon, "select/mode", **{eco: True, boost: False})
