"""A WLED device on another host is HomeKit lights behind the bridge; the python library wled is the judge and another hand."""

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


def make_bridge(make_daemon, **keys):
    return make_daemon(configuration(drivers=[{"driver": "wled", **keys}]))


def light(daemon, key=KEY, **expected):
    return until_light(daemon, key, **expected)


def judge(device, scenario):
    async def body():
        async with WLED(device.host.address) as client:
            return await scenario(client, await client.update())

    return device.host.run_async(body())


@pytest.mark.parametrize("kind", [1, 3, 7], ids=["rgb", "rgbw", "rgbcct"])
def test_found_commanded_and_changed_by_others(kind, make_daemon, make_device):
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
    print(f"a change by others was shown after {(time.monotonic() - start) * 1000:.0f} ms")
    assert max(event["busy"] for event in device.events if "busy" in event) == 1


def test_segments_are_lights_on_request(make_daemon, make_device):
    device = make_device(segments=2)
    daemon = make_bridge(make_daemon, segments=True)
    light(daemon, f"{KEY}/0", reachable=True, on=False)
    daemon.cli("lights", "set", f"{KEY}/1", "on=true", "brightness=50")
    light(daemon, f"{KEY}/1", on=True, brightness=50)
    assert not light(daemon, f"{KEY}/0")["on"], "the other one stays dark"
    daemon.cli("lights", "set", f"{KEY}/0", "on=true", "hue=0", "saturation=100")
    light(daemon, f"{KEY}/0", on=True, hue=0.0)
    daemon.cli("lights", "set", f"{KEY}/1", "on=false")
    light(daemon, f"{KEY}/1", on=False)

    async def look(client, found):
        assert [segment.on for segment in found.state.segments.values()] == [True, False]

    judge(device, look)


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
        daemon.cli("lights", "set", KEY, "on=true", "brightness=40")
        until(lambda: any("post" in event for event in moved.events), 5, "the command is at the new address")
        moved.close()


def test_without_a_websocket_it_is_asked(make_daemon, make_device):
    device = make_device()
    device.tell(refuse=True)
    daemon = make_bridge(make_daemon)
    light(daemon, reachable=True, on=False)
    for on in (True, False):
        device.tell(on=on)
        light(daemon, on=on, timeout=10)
    device.tell(refuse=False)
    until(lambda: any("websocket" in event for event in device.events), 20, "the WebSocket is opened")
    device.tell(on=True)
    light(daemon, on=True, timeout=3)
    device.tell(cut=True, on=False)
    light(daemon, on=False, timeout=3)


def test_a_device_that_hangs_is_out_of_reach_until_it_answers(make_daemon, make_device):
    device = make_device()
    daemon = make_bridge(make_daemon)
    light(daemon, reachable=True)
    device.tell(hang=True)
    assert daemon.cli("lights", "set", KEY, "on=true", check=False).returncode != 0
    light(daemon, reachable=False)
    device.tell(hang=False)
    light(daemon, reachable=True, timeout=40)


def test_what_another_program_shows_is_said(make_daemon, make_device):
    device = make_device()
    daemon = make_bridge(make_daemon)
    light(daemon, reachable=True)
    device.tell(live=True)
    until(lambda: "another program" in " ".join(daemon.status["warnings"]), 5, "the status says it")
    device.tell(live=False)
    until(lambda: daemon.status["warnings"] == [], 5, "and says it no more")
