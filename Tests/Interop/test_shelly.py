"""A Shelly device on another host is HomeKit lights behind the bridge; the library aioshelly is the judge and another hand."""

import json
import time

import pytest
from aiohttp import ClientSession
from aioshelly.common import ConnectionOptions
from aioshelly.rpc_device import RpcDevice
from conftest import configuration
from lan import until
from scripted_device import ScriptedDevice, made_devices, until_light

MAC = "a8032abe54dc"
PASSWORD = "correct horse"


class Device(ScriptedDevice):
    script = "shelly_device.py"

    def __init__(self, host, outputs=None, **settings):
        super().__init__(host, outputs=outputs or {"light:0": {}}, **settings)

    def judge(self, scenario):
        """Run a scenario with aioshelly beside the bridge."""
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
        """An output's status, as aioshelly reads it."""
        async def read(client):
            return client.status[key]

        return self.judge(read)


@pytest.fixture
def make_device(lan):
    yield from made_devices(Device, lan.phone)


def make_bridge(make_daemon, **keys):
    return make_daemon(configuration(drivers=[{"driver": "shelly", **keys}]))


def name(output):
    return f"shelly/{MAC}/{output}"


def light(daemon, output="light:0", **expected):
    return until_light(daemon, name(output), **expected)


@pytest.mark.parametrize("kind", ["light", "rgb", "rgbw", "cct", "rgbcct"])
def test_found_commanded_and_changed_by_others(kind, make_daemon, make_device):
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
    print(f"a change by others was shown after {(time.monotonic() - start) * 1000:.0f} ms")
    device.tell({output: {"output": True}})
    light(daemon, output, timeout=3, on=True, brightness=77)


def test_relays_are_shown_where_a_lamp_is_behind_them_or_on_request(make_daemon, make_device):
    outputs = {"switch:0": {"name": "Hall"}, "switch:1": {"name": "Boiler"}}
    device = make_device(outputs=outputs, uses=["lights", "other"])
    daemon = make_bridge(make_daemon)
    assert light(daemon, "switch:0", reachable=True, on=False)["name"] == "Hall"
    assert name("switch:1") not in daemon.lights
    daemon.cli("lights", "set", name("switch:0"), "on=true")
    assert device.status("switch:0")["output"] is True
    daemon.configure(configuration(drivers=[{"driver": "shelly", "switches": True}]))
    daemon.cli("reload")
    light(daemon, "switch:1", reachable=True, name="Boiler")


def test_what_it_senses_is_shown_if_sensors_are_included(make_daemon, make_device):
    device = make_device(outputs={
        "light:0": {}, "temperature:100": {"name": "Cellar"}, "humidity:100": {}, "temperature:101": {}, "flood:0": {}})
    daemon = make_bridge(make_daemon)
    light(daemon, reachable=True)
    assert name("sensor:100") not in daemon.lights
    daemon.configure({**configuration(drivers=[{"driver": "shelly"}]), "include": ["lights", "sensors"]})
    daemon.cli("reload")
    light(daemon, "sensor:100", reachable=True, kind="sensor", name="Cellar", temperature=21.5, humidity=48.0)
    light(daemon, "sensor:0", leak=False)
    assert device.status("temperature:100")["tC"] == 21.5
    device.tell({"temperature:101": {"tC": -4.5, "tF": 23.9}})
    light(daemon, "sensor:101", timeout=3, name="Shelf Sensor 2", temperature=-4.5)
    device.tell({"flood:0": {"alarm": True}})
    light(daemon, "sensor:0", timeout=3, leak=True)
    device.stop()
    light(daemon, "sensor:0", reachable=False)


def test_a_password_is_asked_for_and_answered(make_daemon, make_device, tmp_path):
    device = make_device(password=PASSWORD)
    daemon = make_bridge(make_daemon)
    until(lambda: "password-file" in " ".join(daemon.status["warnings"]), 15, "the status says what is missing")
    file = tmp_path / "shelly.password"
    file.write_text("something else\n")
    file.chmod(0o600)
    daemon.configure(configuration(drivers=[{"driver": "shelly", "password-file": str(file)}]))
    daemon.cli("reload")
    until(lambda: "does not take the password" in " ".join(daemon.status["warnings"]), 15, "the status says it is wrong")
    file.write_text(f"{PASSWORD}\n")
    light(daemon, timeout=60, reachable=True)
    until(lambda: daemon.status["warnings"] == [], 5, "nothing is wrong any more")
    daemon.cli("lights", "set", name("light:0"), "on=true", "brightness=30")
    assert device.status("light:0")["brightness"] == 30
    device.tell({"stale": True})
    daemon.cli("lights", "set", name("light:0"), "brightness=35")
    light(daemon, brightness=35)
    assert PASSWORD not in json.dumps(device.events)
    assert PASSWORD not in daemon.log and "something else" not in daemon.log


def test_the_first_generation_is_refused_with_what_to_do(make_daemon, make_device):
    device = make_device(gen=1, announce=False)
    daemon = make_bridge(make_daemon, discover=False, hosts=[device.host.address])
    until(lambda: "first generation" in " ".join(daemon.status["warnings"]), 15, "the status says it")


def test_unplugged_and_back_with_another_address(make_daemon, make_device, lan):
    device = make_device()
    daemon = make_bridge(make_daemon)
    aid = light(daemon, reachable=True)["aid"]
    device.stop()
    light(daemon, reachable=False)
    assert daemon.cli("lights", "set", name("light:0"), "on=true", check=False).returncode != 0
    with lan.add_host("lamp", "10.77.0.9") as other:
        moved = make_device(other)
        assert light(daemon, reachable=True, timeout=60)["aid"] == aid
        moved.close()


def test_a_device_that_hangs_is_out_of_reach_until_it_answers(make_daemon, make_device):
    device = make_device()
    daemon = make_bridge(make_daemon)
    light(daemon, reachable=True)
    device.tell({"hang": True})
    assert daemon.cli("lights", "set", name("light:0"), "on=true", check=False).returncode != 0
    light(daemon, reachable=False)
    device.tell({"hang": False})
    light(daemon, reachable=True, timeout=60)


def test_a_new_name_is_shown_and_the_light_stays(make_daemon, make_device):
    device = make_device()
    daemon = make_bridge(make_daemon)
    aid = light(daemon, reachable=True, name="Shelf")["aid"]
    device.tell({"name": "Desk"})
    assert light(daemon, name="Desk", timeout=5)["aid"] == aid
