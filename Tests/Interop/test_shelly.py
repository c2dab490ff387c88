"""A Shelly device on another host is shown as a light or a cover. aioshelly reads and changes its state."""

import asyncio
import json
import time

import pytest
from aiohttp import ClientSession
from aioshelly.common import ConnectionOptions
from aioshelly.rpc_device import RpcDevice
from conftest import configuration
from controllers import Phone, eventually, short
from lan import until
from scripted_device import ScriptedDevice, made_devices, until_light

MAC = "a8032abe54dc"
PASSWORD = "correct horse"


class Device(ScriptedDevice):
    script = "shelly_device.py"

    def __init__(self, host, outputs=None, **settings):
        super().__init__(host, outputs=outputs or {"light:0": {}}, **settings)

    def judge(self, scenario):
        """Run a scenario with aioshelly."""
        async def body():
            async with ClientSession() as session:
                credentials = {"username": "admin", "password": self.settings["password"]} \
                    if "password" in self.settings else {}
                client = await RpcDevice.create(
                    session, None, ConnectionOptions(self.host.address, device_mac=MAC.upper(), **credentials))
                await client.initialize()
                try:
                    return await scenario(client)
                finally:
                    await client.shutdown()

        return self.host.run_async(body())

    def status(self, key):
        """Return the status of an output, read by aioshelly."""
        async def read(client):
            return client.status[key]

        return self.judge(read)


@pytest.fixture
def make_device(lan):
    yield from made_devices(Device, lan.phone)


def make_bridge(make_daemon):
    return make_daemon(configuration(drivers=[{"driver": "shelly"}]))


def name(output):
    return f"shelly/{MAC}/{output}"


def light(daemon, output="light:0", **expected):
    return until_light(daemon, name(output), **expected)


@pytest.mark.parametrize("kind", ["light", "rgb", "rgbw", "cct", "rgbcct"])
def test_discovers_and_controls_a_device_and_reports_external_changes(kind, make_daemon, make_device):
    output = f"{kind}:0"
    device = make_device(outputs={output: {"ct_range": [2700, 6500]} if "cct" in kind else {}})
    daemon = make_bridge(make_daemon)
    light(daemon, output, reachable=True, on=False, name="Shelf")
    daemon.cli("lights", "set", name(output), "on=true", "brightness=40")
    light(daemon, output, on=True, brightness=40)
    assert device.status(output)["brightness"] == 40
    if "rgb" in kind:
        daemon.cli("lights", "set", name(output), "hue=120", "saturation=100")
        light(daemon, output, hue=120.0, saturation=100.0)
        assert device.status(output)["rgb"] == [0, 255, 0]
    if "cct" in kind:
        daemon.cli("lights", "set", name(output), "temperature=250")
        light(daemon, output, temperature=250)
        assert device.status(output)["ct"] == 4000

    async def change(client):
        space = {"light": "Light"}.get(kind, kind.upper())
        await client.call_rpc(f"{space}.Set", {"id": 0, "on": False, "brightness": 77})

    device.judge(change)
    start = time.monotonic()
    light(daemon, output, timeout=3, on=False, brightness=77)
    print(f"an external change was shown after {(time.monotonic() - start) * 1000:.0f} ms")
    device.send({output: {"output": True}})
    light(daemon, output, timeout=3, on=True, brightness=77)


def test_cover_moves_and_stops_and_reports_external_changes(make_daemon, make_device):
    device = make_device(outputs={"cover:0": {"slat": {"enable": True}}})
    daemon = make_bridge(make_daemon)
    light(daemon, "cover:0", reachable=True, position=0, tilt=-90, movement="stopped", name="Shelf")
    daemon.cli("lights", "set", name("cover:0"), "position=60")
    light(daemon, "cover:0", movement="opening")
    assert device.status("cover:0")["target_pos"] == 60
    device.send({"cover:0": {"current_pos": 30}})
    light(daemon, "cover:0", position=30, movement="opening")
    daemon.cli("lights", "set", name("cover:0"), "movement=stopped")
    light(daemon, "cover:0", movement="stopped")
    daemon.cli("lights", "set", name("cover:0"), "tilt=90")
    light(daemon, "cover:0", tilt=90)

    async def change(client):
        await client.call_rpc("Cover.GoToPosition", {"id": 0, "pos": 10})

    device.judge(change)
    light(daemon, "cover:0", position=30, movement="closing")
    device.send({"cover:0": {"state": "stopped", "current_pos": 10, "target_pos": None}})
    light(daemon, "cover:0", position=10, movement="stopped")
    # Without calibration, it only opens and closes.
    device.send({"cover:0": {"pos_control": False, "current_pos": None, "state": "closed"}})
    light(daemon, "cover:0", position=0)
    daemon.cli("lights", "set", name("cover:0"), "position=80")
    light(daemon, "cover:0", movement="opening")


def bluetooth(kind, number, address, status, attributes=None, **more):
    return {"key": f"{kind}:{number}", "status": status, "attrs": attributes or {},
            "config": {"id": number, "addr": address, "name": None, **more}}


DOOR, REMOTE = "38:39:8f:74:b1:4f", "28:68:47:f0:12:c7"
BLUETOOTH = [
    bluetooth("bthomedevice", 200, DOOR, {"battery": 90}, {"model_id": 2}, name="Back door"),
    bluetooth("bthomedevice", 204, REMOTE, {"battery": 80}, {"model_id": 7}, name="Remote"),
    bluetooth("bthomesensor", 200, DOOR, {"value": False}, obj_id=45, idx=0),
    bluetooth("bthomesensor", 201, DOOR, {"value": 117}, obj_id=5, idx=0),
    bluetooth("bthomesensor", 202, DOOR, {"value": 90}, obj_id=1, idx=0)]


async def test_bluetooth_devices_are_separate_accessories_with_presses_and_values(make_daemon, make_device):
    device = await asyncio.to_thread(make_device, bluetooth=BLUETOOTH)
    daemon = await asyncio.to_thread(
        make_daemon, configuration(drivers=[{"driver": "shelly"}]) | {"include": ["sensors", "buttons"]})
    await asyncio.to_thread(daemon.until_published)
    door, remote = (f"bluetooth:{address.replace(':', '')}" for address in (DOOR, REMOTE))
    await asyncio.to_thread(
        light, daemon, door, reachable=True, contact=True, illuminance=117, battery=90, name="Back door")
    await asyncio.to_thread(light, daemon, remote, reachable=True, battery=80, name="Remote")

    async def read(client):
        return client.status["bthomesensor:201"]["value"], client.config["bthomedevice:204"]["model_id"]

    assert await asyncio.to_thread(device.judge, read) == (117, 7), "aioshelly reads the same components"
    async with Phone() as phone:
        pairing = await phone.pair(daemon.status["deviceId"], daemon.setup_code)
        buttons = {}
        for accessory in await pairing.list_accessories_and_characteristics():
            for service in accessory["services"]:
                values = {short(one["type"]): one for one in service["characteristics"]}
                if short(service["type"]) == "89":
                    buttons[accessory["aid"], values["73"]["iid"]] = values["23"]["value"]
        assert len(buttons) == 8
        seen = []
        pairing.dispatcher_connect(
            lambda event: seen.extend((buttons[key], one["value"]) for key, one in event.items() if one.get("value") is not None))
        assert await pairing.subscribe(list(buttons)) == {}
        for event, index in [("single_push", 0), ("double_push", 2), ("long_push", 3), ("hold_press", 1)]:
            device.send(event={"component": "bthomedevice:204", "event": event, "idx": index})
        device.send({"bthomesensor:200": {"value": True}})
        await asyncio.to_thread(light, daemon, door, contact=False)
        await eventually(lambda: len(seen) == 3, 5, f"three presses: {seen}")
        assert seen == [("Button 1", 0), ("Button 3", 1), ("Button 4", 2)]
        # A reconnection repeats no press.
        await asyncio.to_thread(daemon.restart)
        await asyncio.to_thread(light, daemon, remote, reachable=True)
        assert len(seen) == 3


def test_device_with_a_password_needs_the_correct_password(make_daemon, make_device, tmp_path):
    device = make_device(password=PASSWORD)
    daemon = make_bridge(make_daemon)
    until(lambda: "password-file" in " ".join(daemon.status["warnings"]), 15, "the status warns of the password")
    file = tmp_path / "shelly.password"
    file.write_text("something else\n")
    file.chmod(0o600)
    daemon.configure(configuration(drivers=[{"driver": "shelly", "password-file": str(file)}]))
    daemon.cli("reload")
    until(lambda: "rejected the password" in " ".join(daemon.status["warnings"]), 15, "the status reports the wrong password")
    file.write_text(f"{PASSWORD}\n")
    light(daemon, timeout=60, reachable=True)
    until(lambda: daemon.status["warnings"] == [], 5, "there are no more warnings")
    daemon.cli("lights", "set", name("light:0"), "on=true", "brightness=30")
    assert device.status("light:0")["brightness"] == 30
    device.send({"stale": True})
    daemon.cli("lights", "set", name("light:0"), "brightness=35")
    light(daemon, brightness=35)
    assert PASSWORD not in json.dumps(device.events)
    assert PASSWORD not in daemon.log and "something else" not in daemon.log
