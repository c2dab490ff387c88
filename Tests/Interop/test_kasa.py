"""Simulated devices from python-kasa's fixtures are shown as lights to aiohomekit. python-kasa reads their state."""

import asyncio
import time

import pytest
from controllers import BRIGHTNESS, HUE, ON, SATURATION, Phone, named
from kasa import Device, Discover, Module

from conftest import configuration
from lan import until
from scripted_device import Script
from sources import unpacked

MAC = "1c3bf3000001"
KEY = f"kasa/{MAC}"


class Peer(Script):
    script = "kasa_device.py"

    def __init__(self, host, fixture):
        super().__init__(host, unpacked("python_kasa"), fixture, MAC, "Den")

    def change(self, module, method, **values):
        """Change the device locally."""
        self.send({module: {method: values}})


@pytest.fixture
def make_peer(lan):
    made = []

    def make(fixture):
        made.append(Peer(lan.phone, fixture))
        return made[-1]

    yield make
    for peer in made:
        peer.kill()


def make_bridge(make_daemon, **keys):
    made = make_daemon(configuration(drivers=[{"driver": "kasa", **keys}]))
    made.until_published()
    return made


def wait_for(daemon, key=KEY, timeout=20, **expected):
    return until(
        lambda: (light := daemon.lights.get(key)) and expected.items() <= light.items() and light, timeout,
        f"{key} has {expected}, {daemon.lights.get(key)}", interval=0.1)


async def judged(address):
    device = await Discover.discover_single(address)
    await device.update()
    return device


async def test_discovers_and_controls_a_bulb_and_reports_external_changes(make_daemon, make_peer, lan):
    peer = await asyncio.to_thread(make_peer, "KL130(EU)_1.0_1.8.8")
    daemon = await asyncio.to_thread(make_bridge, make_daemon)
    await asyncio.to_thread(wait_for, daemon, reachable=True)
    async with Phone() as phone:
        pairing = await phone.pair(daemon.status["deviceId"], daemon.setup_code)
        aid, iids = named(await pairing.list_accessories_and_characteristics(), "Den")

        async def write(**values):
            writes = [(aid, iids[globals()[name]], value) for name, value in values.items()]
            assert await pairing.put_characteristics(writes) == {}
            device = await judged(lan.phone.address)
            try:
                light = device.modules[Module.Light]
                return device.is_on, light.brightness, light.hsv[:2], light.color_temp
            finally:
                await device.disconnect()

        async def read():
            answer = await pairing.get_characteristics([(aid, iids[kind]) for kind in (ON, BRIGHTNESS, HUE, SATURATION)])
            return [entry["value"] for entry in answer.values()]

        assert (await write(ON=True))[0] is True
        assert (await write(BRIGHTNESS=40))[:2] == (True, 40)
        assert (await write(HUE=120.0, SATURATION=100.0))[2:] == ((120, 100), 0)
        assert (await write(ON=False))[0] is False
        service = "smartlife.iot.smartbulb.lightingservice"
        peer.change(service, "transition_light_state", on_off=1, brightness=70, hue=240, saturation=100, color_temp=0)
        start = time.monotonic()
        while await read() != [True, 70, 240, 100]:
            assert time.monotonic() - start < 15, "a local change is shown"
            await asyncio.sleep(0.1)


@pytest.mark.parametrize("fixture, light", [
    ("LB100(US)_1.0_1.8.11", {"kind": "light", "brightness": 40}),
    ("KL120(US)_1.0_1.8.6", {"kind": "light", "brightness": 40, "temperature": 300}),
    ("KL430(US)_2.0_1.0.11", {"kind": "light", "brightness": 40, "temperature": 300}),
    ("KL420L5(US)_1.0_1.0.2", {"kind": "light", "brightness": 40, "hue": 30, "saturation": 80}),
    ("HS220(US)_2.0_1.0.3", {"kind": "light", "brightness": 40}), ("HS100(UK)_1.0_1.2.6", {"kind": "outlet"}),
    ("HS200(US)_3.0_1.1.5", {"kind": "switch"}),
])
def test_each_device_type_applies_the_values_that_it_supports(fixture, light, make_daemon, make_peer, lan):
    make_peer(fixture)
    daemon = make_bridge(make_daemon, discover=False, hosts=[lan.phone.address])
    wait_for(daemon, reachable=True, kind=light.pop("kind"))
    for on in ("false", "true"):
        daemon.cli("lights", "set", KEY, f"on={on}", *(f"{name}={value}" for name, value in light.items()))
    device = lan.phone.run_async(judged(lan.phone.address))
    assert device.is_on
    module = device.modules.get(Module.Light)
    if "brightness" in light:
        assert module.brightness == light["brightness"]
    if "hue" in light:
        assert module.hsv[:2] == (30, 80)
    if "temperature" in light:
        assert module.color_temp == 1_000_000 // 300
    wait_for(daemon, on=True, **light)


def test_power_strip_has_a_light_for_each_socket(make_daemon, make_peer, lan):
    make_peer("HS300(US)_2.0_1.0.3")
    daemon = make_bridge(make_daemon, discover=False, hosts=[lan.phone.address])
    keys = [f"{KEY}/SCRUBBED_CHILD_DEVICE_ID_{number}" for number in range(1, 7)]
    for number, key in enumerate(keys, 1):
        wait_for(daemon, key, reachable=True, kind="outlet", name=f"Den {number}")
    for key in keys[::2]:
        daemon.cli("lights", "set", key, "on=true")
    device = lan.phone.run_async(judged(lan.phone.address))
    assert [child.is_on for child in device.children] == [True, False] * 3
    assert device.device_type == Device.Type.Strip
    assert {key: light["on"] for key, light in daemon.lights.items()} == dict(zip(keys, [True, False] * 3))


@pytest.mark.parametrize("fixture, key, kinds", [
    ("HS110(US)_1.0_1.2.6", KEY, {"power", "energy", "voltage", "current"}),
    ("HS110(EU)_4.0_1.0.4", KEY, {"power", "energy", "voltage", "current"}),
    ("KL135(US)_1.0_1.0.15", KEY, {"power", "energy"}), ("KL130(EU)_1.0_1.8.8", KEY, {"power"}),
    ("HS300(US)_1.0_1.0.21", f"{KEY}/SCRUBBED_CHILD_DEVICE_ID_1", {"power", "energy", "voltage", "current"}),
])
def test_meter_readings_match_those_of_python_kasa(fixture, key, kinds, make_daemon, make_peer, lan):
    make_peer(fixture)
    keys = {"discover": False, "hosts": [lan.phone.address]}
    daemon = make_daemon(
        configuration(drivers=[{"driver": "kasa", **keys}]) | {"include": ["lights", "outlets", "energy"]})
    daemon.until_published()
    light = until(
        lambda: (light := daemon.lights.get(key)) and light.get("power") is not None and light, 20,
        f"{key} has a meter: {daemon.lights}")
    device = lan.phone.run_async(judged(lan.phone.address))
    energy = (device.children or [device])[0].modules[Module.Energy]
    expected = {
        "power": energy.current_consumption, "energy": energy.consumption_total, "voltage": energy.voltage,
        "current": energy.current}
    for name in kinds:
        assert light[name] == pytest.approx(expected[name], abs=0.06), name
    assert kinds == {name for name in expected if light.get(name) is not None}


def test_device_with_the_newer_protocol_causes_a_warning_and_no_light(make_daemon, make_peer, lan):
    make_peer("KP125M(US)_1.0_1.1.3")
    daemon = make_bridge(make_daemon)
    until(lambda: "KP125M" in " ".join(daemon.status["warnings"]), 10, "the status names it")
    assert "newer protocol" in " ".join(daemon.status["warnings"])
    assert daemon.lights == {}
