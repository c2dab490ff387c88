"""A Yeelight device on another host is a HomeKit light; the library yeelight, made by others, is the judge and another hand."""

import asyncio
import time

import pytest
from conftest import configuration
from lan import until
from scripted_device import ScriptedDevice, made_devices, until_light
from yeelight import Bulb, LightType
from yeelight.main import BulbType

KEY = "yeelight/0000000002eb9f61"


class Device(ScriptedDevice):
    script = "yeelight_device.py"
    #: It is in no mDNS that it would have to leave.
    close = ScriptedDevice.stop

    def judge(self, scenario):
        """What the library yeelight does with the device, or finds out."""
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
def test_found_commanded_and_changed_by_others(model, make_daemon, make_device):
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
    print(f"a change by others was shown after {(time.monotonic() - start) * 1000:.0f} ms")
    device.tell(power="off")
    light(daemon, timeout=3, on=False)


def test_the_background_light_of_a_ceiling_light_is_a_second_light(make_daemon, make_device):
    device = make_device(model="ceiling4")
    daemon = make_bridge(make_daemon)
    background = f"{KEY}/background"
    light(daemon, reachable=True, on=False)
    until_light(daemon, background, reachable=True, on=False)
    # Its maker's library knows such a device as well.
    assert device.judge(lambda bulb: (bulb.get_properties(), bulb.bulb_type)[1]) == BulbType.WhiteTempMood
    daemon.cli("lights", "set", background, "on=true", "hue=120", "saturation=80", "brightness=30")
    until_light(daemon, background, on=True, hue=120.0, saturation=80.0, brightness=30)
    light(daemon, on=False)
    wanted = {"bg_power": "on", "bg_lmode": "3", "bg_hue": "120", "bg_sat": "80", "bg_bright": "30"}
    shown = device.judge(lambda bulb: bulb.get_properties(list(wanted)))
    assert {name: shown[name] for name in wanted} == wanted
    daemon.cli("lights", "set", KEY, "on=true", "temperature=250")
    light(daemon, on=True, temperature=250)
    daemon.cli("lights", "set", background, "on=false")
    until_light(daemon, background, on=False)
    light(daemon, on=True)
    # By another hand.
    device.judge(lambda bulb: bulb.turn_on(light_type=LightType.Ambient))
    until_light(daemon, background, timeout=3, on=True)
    device.judge(lambda bulb: bulb.set_color_temp(2000, light_type=LightType.Ambient))
    until_light(daemon, background, timeout=3, on=True, temperature=500)
    device.judge(lambda bulb: bulb.turn_off())
    light(daemon, timeout=3, on=False)
    until_light(daemon, background, on=True)


def test_what_is_set_while_it_is_off_is_seen_when_it_goes_on(make_daemon, make_device):
    device = make_device()
    daemon = make_bridge(make_daemon)
    light(daemon, reachable=True, on=False)
    daemon.cli("lights", "set", KEY, "brightness=15")
    assert device.shown()["power"] == "off"
    daemon.cli("lights", "set", KEY, "on=true")
    light(daemon, on=True, brightness=15)
    assert device.shown()["bright"] == "15"


@pytest.mark.long
def test_a_slider_that_is_moved_for_long_stays_within_the_quota(make_daemon, make_device):
    device = make_device()
    daemon = make_bridge(make_daemon)
    light(daemon, reachable=True)
    daemon.cli("lights", "set", KEY, "on=true")
    start = time.monotonic()
    for step in range(70):
        daemon.cli("lights", "set", KEY, f"brightness={step + 1}", check=False)
    # What waits behind the others for longer than a command may take is refused, and may be said again.
    until(lambda: daemon.cli("lights", "set", KEY, "brightness=99", check=False).returncode == 0, 60, "the last one is taken",
          interval=1)
    light(daemon, brightness=99)
    calls = sum("call" in event for event in device.events)
    print(f"{calls} messages in {time.monotonic() - start:.0f} s")
    assert not any("exceeded" in event for event in device.events)
    assert device.shown()["bright"] == "99"


def test_by_its_address_without_a_search(make_daemon, make_device):
    device = make_device()
    daemon = make_bridge(make_daemon, discover=False, hosts=[device.host.address])
    light(daemon, reachable=True)
    daemon.cli("lights", "set", KEY, "on=true")
    assert device.shown()["power"] == "on"


def test_unplugged_and_back_with_another_address(make_daemon, make_device, lan):
    device = make_device()
    daemon = make_bridge(make_daemon)
    aid = light(daemon, reachable=True)["aid"]
    device.stop()
    light(daemon, reachable=False)
    assert daemon.cli("lights", "set", KEY, "on=true", check=False).returncode != 0
    with lan.add_host("lamp", "10.77.0.9") as other:
        moved = make_device(other)
        assert light(daemon, reachable=True, timeout=60)["aid"] == aid
        moved.stop()


def test_a_device_that_hangs_is_out_of_reach_until_it_answers(make_daemon, make_device):
    device = make_device()
    daemon = make_bridge(make_daemon)
    light(daemon, reachable=True)
    device.tell(hang=True)
    assert daemon.cli("lights", "set", KEY, "on=true", check=False).returncode != 0
    light(daemon, reachable=False)
    device.tell(hang=False)
    light(daemon, reachable=True, timeout=60)


def test_it_is_found_before_it_is_configured(make_daemon, make_device):
    make_device()
    daemon = make_daemon(configuration())
    found = daemon.cli("lights", "discover", "--json")["found"]
    assert [(source["driver"], source["state"]) for source in found if source["driver"] == "yeelight"] == [
        ("yeelight", "new")]
