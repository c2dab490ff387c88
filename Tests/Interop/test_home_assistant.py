"""What Home Assistant's homekit_controller does at a bridge that it has paired with.

With HASS=/path/of/hass, of an environment that has what its homekit_controller and frontend require (checked with 2024.3.3
on Python 3.11), Home Assistant itself is run, hass_driver in it; without, aiohomekit writes what homekit_controller writes.
"""

import asyncio
import json
import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest
from conftest import configuration
from controllers import BRIGHTNESS, ON, Phone, eventually, named
from lan import PATIENCE, end

HASS = os.environ.get("HASS")
MARK = "hass_driver: "


@pytest.fixture
def bridge(make_daemon):
    made = make_daemon(configuration(lights=[{"id": "lamp", "name": "Lamp", "brightness": True}]))
    made.until_published()
    return made


def level(bridge):
    light = bridge.lights["simulated/lamp"]
    return light["on"], light["brightness"]


async def test_the_lowest_levels_of_255_leave_the_light_on(bridge, lan):
    async with Phone() as phone:
        pairing = await phone.pair(bridge.status["deviceId"], bridge.setup_code)
        aid, iids = named(await pairing.list_accessories_and_characteristics(), "Lamp")
        for brightness in (1, 2, 3):
            await pairing.put_characteristics([(aid, iids[ON], False)])
            await pairing.put_characteristics([(aid, iids[BRIGHTNESS], int(brightness * 100 / 255)), (aid, iids[ON], True)])
            assert await asyncio.to_thread(level, bridge) == (True, 1)


async def test_who_writes_brightness_zero_with_on_knows_the_level_in_the_end(bridge, lan):
    """aiohomekit takes over what it has written when it is answered, as Home Assistant does: the bridge's word comes after that."""
    async with Phone() as phone:
        pairing = await phone.pair(bridge.status["deviceId"], bridge.setup_code)
        aid, iids = named(await pairing.list_accessories_and_characteristics(), "Lamp")
        known = []
        pairing.dispatcher_connect(
            lambda values: known.extend(value["value"] for key, value in values.items() if key == (aid, iids[BRIGHTNESS])))
        await pairing.subscribe([(aid, iids[ON]), (aid, iids[BRIGHTNESS])])
        await pairing.put_characteristics([(aid, iids[BRIGHTNESS], 0), (aid, iids[ON], True)])
        await eventually(lambda: 1 in known, 5, f"the level: {known}")
        assert known[-1] == 1
        assert (await pairing.get_characteristics([(aid, iids[BRIGHTNESS])]))[(aid, iids[BRIGHTNESS])]["value"] == 1


class HomeAssistant:
    """hass on the host `phone`, with nothing but homekit_controller and hass_driver."""

    def __init__(self, host, directory):
        (directory / "custom_components").mkdir()
        shutil.copytree(Path(__file__).with_name("hass_driver"), directory / "custom_components/hass_driver")
        (directory / "configuration.yaml").write_text("hass_driver:\nlogger: {default: warning}\n")
        self.log = directory / "log"
        with open(self.log, "w") as log:
            self.process = host.popen(
                HASS, "--skip-pip", "-c", directory, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True,
                env={**os.environ, "DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nonexistent"})

    def ask(self, line, seconds=90):
        self.process.stdin.write(f"{line}\n")
        self.process.stdin.flush()
        ends = time.monotonic() + seconds * PATIENCE
        for text in self.process.stdout:
            if text.startswith(MARK):
                return json.loads(text.removeprefix(MARK))
            assert time.monotonic() < ends, self.log.read_text()[-4000:]
        raise AssertionError(self.log.read_text()[-4000:])


if HASS:
    @pytest.mark.parametrize("run", range(3))
    def test_home_assistant_itself(run, bridge, lan, tmp_path):
        home = HomeAssistant(lan.phone, tmp_path)
        try:
            print(home.ask(bridge.setup_code))
            for brightness in (1, 2, 3):
                said = home.ask(brightness)
                assert said["state"] == "on"
                # 1 % of 255, and not the 0 that it wrote.
                assert 2 <= said["shown"] <= 3, said
                assert level(bridge) == (True, 1)
        finally:
            end(home.process, 20)
