"""A light of Govee's LAN interface is a HomeKit light; govee-local-api, made by others, says what it shows."""

import asyncio
import json
import subprocess
import sys
import time
from pathlib import Path

import pytest
from govee_local_api import GoveeController

from conftest import configuration
from lan import until

DEVICE = "1F:B4:C3:A2:B1:C0:D9:E8"
KEY = "govee/1fb4c3a2b1c0d9e8"


class Light:
    """govee_device.py on a host."""

    def __init__(self, host, every=0):
        self.words = [host.address, DEVICE, "H6159", str(every)]
        self.host = host
        self.start()

    def start(self):
        self.process = self.host.popen(
            sys.executable, Path(__file__).with_name("govee_device.py"), *self.words, stdin=subprocess.PIPE, text=True)

    def change(self, **status):
        """Something happens at the light itself."""
        self.process.stdin.write(json.dumps(status) + "\n")
        self.process.stdin.flush()

    def stop(self):
        self.process.kill()
        self.process.wait()


@pytest.fixture
def make_light():
    made = []

    def make(host, **options):
        made.append(Light(host, **options))
        return made[-1]

    yield make
    for light in made:
        light.stop()


def make_bridge(make_daemon, **keys):
    made = make_daemon(configuration(drivers=[{"driver": "govee", **keys}]))
    made.until_published()
    return made


def wait_for(daemon, timeout=20, **expected):
    return until(
        lambda: (light := daemon.lights.get(KEY)) and expected.items() <= light.items() and light, timeout,
        f"the light has {expected}, {daemon.lights.get(KEY)}", interval=0.1)


async def judged(address):
    """The light, as govee-local-api finds it."""
    controller = GoveeController(
        loop=asyncio.get_running_loop(), listening_addresses=[address], discovery_enabled=True, update_enabled=False)
    await controller.start()
    try:
        deadline = time.monotonic() + 10
        while not (device := controller.get_device_by_ip(address)):
            assert time.monotonic() < deadline, "govee-local-api finds the light"
            await asyncio.sleep(0.1)
        told = asyncio.Event()
        device.set_update_callback(lambda _: told.set())
        controller.send_update_message()
        await asyncio.wait_for(told.wait(), 5)
        return device
    finally:
        controller.cleanup()


def test_found_commanded_and_changed_from_outside(make_daemon, make_light, lan):
    light = make_light(lan.phone)
    daemon = make_bridge(make_daemon)
    wait_for(daemon, reachable=True, on=False)
    daemon.cli("lights", "set", KEY, "on=true", "brightness=40")
    shown = lan.phone.run_async(judged(lan.phone.address))
    assert (shown.on, shown.brightness, shown.sku) == (True, 40, "H6159")
    daemon.cli("lights", "set", KEY, "hue=120", "saturation=100")
    assert lan.phone.run_async(judged(lan.phone.address)).rgb_color == (0, 255, 0)
    daemon.cli("lights", "set", KEY, "temperature=250")
    assert lan.phone.run_async(judged(lan.phone.address)).temperature_color == 4000
    light.change(onOff=1, brightness=70, color={"r": 0, "g": 0, "b": 255}, colorTemInKelvin=0)
    wait_for(daemon, on=True, brightness=70, hue=240, saturation=100)


def test_with_one_message_in_five_lost_all_commands_arrive(make_daemon, make_light, lan):
    make_light(lan.phone, every=5)
    daemon = make_bridge(make_daemon, discover=False, hosts=[lan.phone.address])
    wait_for(daemon, timeout=60, reachable=True)
    for brightness in range(1, 31):
        daemon.cli("lights", "set", KEY, "on=true", f"brightness={brightness}")
    wait_for(daemon, on=True, brightness=30)


def test_unplugged_and_back_with_another_address(make_daemon, make_light, lan):
    light = make_light(lan.phone)
    daemon = make_bridge(make_daemon)
    aid = wait_for(daemon, reachable=True)["aid"]
    light.stop()
    wait_for(daemon, reachable=False)
    with lan.add_host("lamp", "10.77.0.9") as other:
        moved = make_light(other)
        assert wait_for(daemon, reachable=True)["aid"] == aid
        moved.stop()
        wait_for(daemon, reachable=False)
    light.start()
    assert wait_for(daemon, timeout=30, reachable=True)["aid"] == aid
