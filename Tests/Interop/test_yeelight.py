"""A Yeelight device on another host is shown as a light. The yeelight package reads and changes its state."""

import asyncio
import time

import pytest
from conftest import configuration
from scripted_device import ScriptedDevice, made_devices, until_light
from yeelight import Bulb

KEY = "yeelight/0000000002eb9f61"


class Device(ScriptedDevice):
    script = "yeelight_device.py"
    #: The device doesn't use mDNS, so it is only stopped.
    close = ScriptedDevice.stop

    def judge(self, scenario):
        """Run a scenario with the yeelight package."""
        async def body():
            return await asyncio.to_thread(scenario, Bulb(self.host.address))

        return self.host.run_async(body())

    def shown(self):
        return self.judge(lambda bulb: bulb.get_properties())


@pytest.fixture
def make_device(lan):
    yield from made_devices(Device, lan.phone)


def make_bridge(make_daemon, **keys):
    return make_daemon(configuration(drivers=[{"driver": "yeelight", **keys}]))


def light(daemon, **expected):
    return until_light(daemon, KEY, **expected)


@pytest.mark.parametrize("model", ["color", "ct_bulb", "mono"])
def test_discovers_and_controls_a_device_and_reports_external_changes(model, make_daemon, make_device):
    device = make_device(model=model)
    daemon = make_bridge(make_daemon)
    light(daemon, reachable=True, on=False)
    daemon.cli("lights", "set", KEY, "on=true", "brightness=40")
    light(daemon, on=True, brightness=40)
    shown = device.shown()
    assert (shown["power"], shown["bright"]) == ("on", "40")
    if model == "color":
        daemon.cli("lights", "set", KEY, "hue=120", "saturation=80")
        light(daemon, hue=120.0, saturation=80.0)
        shown = device.shown()
        assert (shown["color_mode"], shown["hue"], shown["sat"]) == ("3", "120", "80")
    if model != "mono":
        daemon.cli("lights", "set", KEY, "temperature=250")
        light(daemon, temperature=250)
        shown = device.shown()
        assert (shown["color_mode"], shown["ct"]) == ("2", "4000")
    device.judge(lambda bulb: bulb.set_brightness(77))
    start = time.monotonic()
    light(daemon, timeout=3, on=True, brightness=77)
    print(f"an external change was shown after {(time.monotonic() - start) * 1000:.0f} ms")
    device.send(power="off")
    light(daemon, timeout=3, on=False)


def test_device_is_found_by_its_configured_address(make_daemon, make_device):
    device = make_device()
    daemon = make_bridge(make_daemon, discover=False, hosts=[device.host.address])
    light(daemon, reachable=True)
    daemon.cli("lights", "set", KEY, "on=true")
    assert device.shown()["power"] == "on"


def test_lights_discover_finds_a_device(make_daemon, make_device):
    make_device()
    daemon = make_daemon(configuration())
    found = daemon.cli("lights", "discover", "--json")["found"]
    assert [(source["driver"], source["state"]) for source in found if source["driver"] == "yeelight"] == [
        ("yeelight", "new")]
