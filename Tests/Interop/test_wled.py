"""A WLED device on another host is shown as a light. The wled package reads and changes its state."""

import time

import pytest
from conftest import configuration
from lan import until
from scripted_device import ScriptedDevice, made_devices, until_light
from wled import WLED

KEY = "wled/aabbccddeeff"


class Device(ScriptedDevice):
    script = "wled_device.py"


@pytest.fixture
def make_device(lan):
    yield from made_devices(Device, lan.phone)


def make_bridge(make_daemon):
    return make_daemon(configuration(drivers=[{"driver": "wled"}]))


def light(daemon, **expected):
    return until_light(daemon, KEY, **expected)


def judge(device, scenario):
    async def body():
        async with WLED(device.host.address) as client:
            return await scenario(client, await client.update())

    return device.host.run_async(body())


@pytest.mark.parametrize("kind", [1, 3, 7], ids=["rgb", "rgbw", "rgbcct"])
def test_discovers_and_controls_a_device_and_reports_external_changes(kind, make_daemon, make_device):
    device = make_device(kind=kind)
    daemon = make_bridge(make_daemon)
    light(daemon, reachable=True, on=False)
    daemon.cli("lights", "set", KEY, "on=true", "brightness=40")
    light(daemon, on=True, brightness=40)
    daemon.cli("lights", "set", KEY, "hue=120", "saturation=100")
    light(daemon, hue=120.0, saturation=100.0)
    if kind & 4:
        daemon.cli("lights", "set", KEY, "temperature=250")
        light(daemon, temperature=250)
        daemon.cli("lights", "set", KEY, "hue=120", "saturation=100")

    async def look(client, found):
        segment = found.state.segments[0]
        assert found.state.on and found.state.brightness == 102
        assert segment.color.primary[:3] == (0, 255, 0) and segment.effect_id == 0
        await client.master(on=False)
        await client.segment(0, color_primary=(0, 0, 255, 0)[:4 if kind & 2 else 3])

    judge(device, look)
    start = time.monotonic()
    light(daemon, timeout=3, on=False, hue=240.0, saturation=100.0)
    print(f"an external change was shown after {(time.monotonic() - start) * 1000:.0f} ms")
    assert max(event["busy"] for event in device.events if "busy" in event) == 1


def test_device_keeps_its_aid_at_another_address(make_daemon, make_device, lan):
    device = make_device()
    daemon = make_bridge(make_daemon)
    aid = light(daemon, reachable=True)["aid"]
    device.stop()
    light(daemon, reachable=False)
    assert daemon.cli("lights", "set", KEY, "on=true", check=False).returncode != 0
    with lan.add_host("lamp", "10.77.0.9") as other:
        moved = make_device(other)
        assert light(daemon, reachable=True, timeout=60)["aid"] == aid
        daemon.cli("lights", "set", KEY, "on=true", "brightness=40")
        until(lambda: any("post" in event for event in moved.events), 5, "the command arrives at the new address")
        moved.close()


def test_device_without_a_websocket_is_polled(make_daemon, make_device):
    device = make_device()
    device.send(refuse=True)
    daemon = make_bridge(make_daemon)
    light(daemon, reachable=True, on=False)
    for on in (True, False):
        device.send(on=on)
        light(daemon, on=on, timeout=10)
    device.send(refuse=False)
    until(lambda: any("websocket" in event for event in device.events), 20, "the WebSocket is opened")
    device.send(on=True)
    light(daemon, on=True, timeout=3)
    device.send(cut=True, on=False)
    light(daemon, on=False, timeout=3)


def test_hung_device_is_unreachable_until_it_answers(make_daemon, make_device):
    device = make_device()
    daemon = make_bridge(make_daemon)
    light(daemon, reachable=True)
    device.send(hang=True)
    assert daemon.cli("lights", "set", KEY, "on=true", check=False).returncode != 0
    light(daemon, reachable=False)
    device.send(hang=False)
    light(daemon, reachable=True, timeout=40)
