"""A light of Govee's LAN interface is a HomeKit light; govee-local-api reads its state."""

import asyncio
import time

import pytest
from govee_local_api import GoveeController

from conftest import configuration
from lan import until
from scripted_device import Script

DEVICE = "1F:B4:C3:A2:B1:C0:D9:E8"
KEY = "govee/1fb4c3a2b1c0d9e8"


class Light(Script):
    script = "govee_device.py"

    def __init__(self, host):
        super().__init__(host, host.address, DEVICE, "H6159")


@pytest.fixture
def light(lan):
    made = Light(lan.phone)
    yield made
    made.kill()


def wait_for(daemon, timeout=20, **expected):
    return until(
        lambda: (light := daemon.lights.get(KEY)) and expected.items() <= light.items() and light, timeout,
        f"the light has {expected}, {daemon.lights.get(KEY)}", interval=0.1)


async def judged(address):
    """Return the light that govee-local-api finds."""
    controller = GoveeController(
        loop=asyncio.get_running_loop(), listening_addresses=[address], discovery_enabled=True, update_enabled=False)
    await controller.start()
    try:
        deadline = time.monotonic() + 10
        while not (device := controller.get_device_by_ip(address)):
            assert time.monotonic() < deadline, "govee-local-api finds the light"
            await asyncio.sleep(0.1)
        answered = asyncio.Event()
        device.set_update_callback(lambda _: answered.set())
        controller.send_update_message()
        await asyncio.wait_for(answered.wait(), 5)
        return device
    finally:
        controller.cleanup()


def test_discovers_and_controls_a_light_and_reports_external_changes(make_daemon, light, lan):
    daemon = make_daemon(configuration(drivers=[{"driver": "govee"}]))
    daemon.until_published()
    wait_for(daemon, reachable=True, on=False)
    daemon.cli("lights", "set", KEY, "on=true", "brightness=40")
    shown = lan.phone.run_async(judged(lan.phone.address))
    assert (shown.on, shown.brightness, shown.sku) == (True, 40, "H6159")
    daemon.cli("lights", "set", KEY, "hue=120", "saturation=100")
    assert lan.phone.run_async(judged(lan.phone.address)).rgb_color == (0, 255, 0)
    daemon.cli("lights", "set", KEY, "temperature=250")
    assert lan.phone.run_async(judged(lan.phone.address)).temperature_color == 4000
    light.send(onOff=1, brightness=70, color={"r": 0, "g": 0, "b": 255}, colorTemInKelvin=0)
    wait_for(daemon, on=True, brightness=70, hue=240, saturation=100)
