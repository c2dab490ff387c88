"""A first-generation Shelly device on another host is shown. aioshelly reads and changes its state."""

import json
import time

import pytest
from aiohttp import ClientSession
from aioshelly.block_device import COAP, BlockDevice
from aioshelly.common import ConnectionOptions
from conftest import configuration
from lan import PATIENCE, until
from scripted_device import ScriptedDevice, made_devices, until_light

MAC = "a4cf12f45301"
PASSWORD = "correct horse"
WAIT = 3


class Device(ScriptedDevice):
    script = "shelly_gen1_device.py"

    def judge(self, bridge, scenario):
        """Run a scenario with aioshelly on the bridge's host, where it shares the multicast group with the bridge."""
        async def body():
            async with ClientSession() as session, COAP() as packets:
                credentials = {"username": "admin", "password": self.settings["password"]} \
                    if "password" in self.settings else {}
                client = await BlockDevice.create(
                    session, packets, ConnectionOptions(self.host.address, device_mac=MAC.upper(), **credentials))
                await client.initialize()
                try:
                    return await scenario(client)
                finally:
                    await client.shutdown()

        return bridge.run_async(body())

    def requests(self):
        return [event["request"] for event in self.events if "request" in event]


@pytest.fixture
def make_device(lan):
    yield from made_devices(Device, lan.phone)


def make_bridge(make_daemon, **settings):
    return make_daemon(configuration(drivers=[{"driver": "shelly-gen1", **settings}]))


def name(part):
    return f"shelly-gen1/{MAC}/{part}"


def block(client, kind):
    return next(block for block in client.blocks if block.type == kind)


def test_discovers_and_controls_a_light_and_reports_external_changes(lan, make_daemon, make_device):
    device = make_device(kind="dimmer")
    daemon = make_bridge(make_daemon)
    key = name("light:0")
    until_light(daemon, key, reachable=True, on=False, brightness=50, name="Hall")
    daemon.cli("lights", "set", key, "on=true", "brightness=40")
    until_light(daemon, key, on=True, brightness=40)

    async def change(client):
        assert client.status["lights"][0]["brightness"] == 40
        assert block(client, "light").brightness == 40
        await block(client, "light").set_state(turn="off", brightness=77)

    device.judge(lan.bridge, change)
    until_light(daemon, key, timeout=WAIT, on=False, brightness=77)
    # Packets about changes make the bridge poll three times within the usual interval.
    start = time.monotonic()
    for brightness in (11, 12, 13):
        device.send({"lights": {"0": {"brightness": brightness}}})
        until_light(daemon, key, timeout=WAIT, brightness=brightness)
    assert time.monotonic() - start < 5 * PATIENCE


@pytest.mark.long
def test_bulb_shows_colors_and_whites(lan, make_daemon, make_device):
    device = make_device(kind="bulb", password=PASSWORD)
    daemon = make_bridge(make_daemon)
    key = name("light:0")
    until(lambda: "password-file" in " ".join(daemon.status["warnings"]), 15, "the status warns of the password")
    file = daemon.directory / "shelly.password"
    file.write_text("something else\n")
    file.chmod(0o600)
    daemon.configure(configuration(drivers=[{"driver": "shelly-gen1", "password-file": str(file)}]))
    daemon.cli("reload")
    until(lambda: "rejected the password" in " ".join(daemon.status["warnings"]), 15, "the status reports the wrong password")
    file.write_text(f"{PASSWORD}\n")
    until_light(daemon, key, timeout=30, reachable=True, on=False, temperature=333)
    daemon.cli("lights", "set", key, "on=true", "hue=120", "saturation=100", "brightness=40")
    until_light(daemon, key, on=True, hue=120.0, saturation=100.0, brightness=40)

    async def look(client):
        light = block(client, "light")
        assert (light.mode, light.red, light.green, light.blue, light.gain) == ("color", 0, 255, 0, 40)
        await light.set_state(mode="white", temp=4000, brightness=20)

    device.judge(lan.bridge, look)
    until_light(daemon, key, timeout=WAIT, temperature=250, brightness=20)
    assert PASSWORD not in json.dumps(device.events)
    assert PASSWORD not in daemon.log and "something else" not in daemon.log


@pytest.mark.long
def test_silent_relay_with_a_probe_is_polled(lan, make_daemon, make_device):
    device = make_device(kind="relay", silent=True)
    daemon = make_bridge(make_daemon, discover=False, hosts=[lan.phone.address])
    until_light(daemon, name("relay:0"), reachable=True, on=False)
    until_light(daemon, name("probe:0"), temperature=23.06)
    daemon.cli("lights", "set", name("relay:0"), "on=true")
    assert device.requests() == ["/relay/0?turn=on"]

    async def change(client):
        assert client.status["relays"][0]["ison"] and block(client, "sensor").extTemp == 23.06
        await block(client, "relay").set_state(turn="off")

    device.judge(lan.bridge, change)
    until_light(daemon, name("relay:0"), timeout=8, on=False)


@pytest.mark.long
def test_roller_moves_and_stops(lan, make_daemon, make_device):
    device = make_device(kind="roller")
    daemon = make_bridge(make_daemon)
    key = name("roller:0")
    until_light(daemon, key, reachable=True, position=0, movement="stopped")
    found = daemon.cli("devices", "discover").stdout
    assert "shellytest" in found and "Printer" not in found
    daemon.cli("lights", "set", key, "position=60")
    until_light(daemon, key, movement="opening")
    device.send({"rollers": {"0": {"current_pos": 30}}})
    until_light(daemon, key, position=30, movement="opening")
    daemon.cli("lights", "set", key, "movement=stopped")
    until_light(daemon, key, position=30, movement="stopped")

    async def change(client):
        assert block(client, "roller").rollerPos == 30
        await block(client, "roller").set_state(go="close")

    device.judge(lan.bridge, change)
    until_light(daemon, key, timeout=WAIT, movement="closing")
    assert device.requests()[:2] == ["/roller/0?go=to_pos&roller_pos=60", "/roller/0?go=stop"]
