"""A WiZ bulb made of pywizlight's fake one is a HomeKit light to controllers made by others; pywizlight is the judge."""

import asyncio
import json
import subprocess
import sys
import time
from pathlib import Path

import pytest
from controllers import BRIGHTNESS, HUE, ON, SATURATION, Phone, named
from pywizlight import wizlight

from conftest import configuration
from lan import until

KEY = "wiz/a8bb5006033d"
NAME = "WiZ light 033D"


class Bulb:
    """wiz_bulb.py on a host."""

    def __init__(self, host):
        self.host = host
        self.start()

    def start(self):
        self.process = self.host.popen(
            sys.executable, Path(__file__).with_name("wiz_bulb.py"), self.host.address, stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL, text=True)

    def change(self, **change):
        """Something happens at the bulb itself."""
        self.process.stdin.write(json.dumps(change) + "\n")
        self.process.stdin.flush()

    def stop(self):
        self.process.kill()
        self.process.wait()


@pytest.fixture
def make_bulb():
    made = []

    def make(host):
        made.append(Bulb(host))
        return made[-1]

    yield make
    for bulb in made:
        bulb.stop()


@pytest.fixture
def daemon(make_daemon):
    made = make_daemon(configuration(drivers=[{"driver": "wiz", "discover": True}]))
    made.until_published()
    return made


def wait_for_bulb(daemon, reachable=True, timeout=20):
    return until(
        lambda: (light := daemon.lights.get(KEY)) and light["reachable"] == reachable and light, timeout,
        f"the bulb is there with reachable {reachable}", interval=0.1)


async def test_found_commanded_and_changed_from_outside(daemon, make_bulb, lan):
    bulb = make_bulb(lan.phone)
    await asyncio.to_thread(wait_for_bulb, daemon)
    async with Phone() as phone:
        judge = wizlight(lan.phone.address)
        pairing = await phone.pair(daemon.status["deviceId"], daemon.setup_code)
        aid, iids = named(await pairing.list_accessories_and_characteristics(), NAME)

        async def write(**values):
            writes = [(aid, iids[globals()[name]], value) for name, value in values.items()]
            assert await pairing.put_characteristics(writes) == {}
            return (await judge.updateState())[0]

        async def read():
            answer = await pairing.get_characteristics([(aid, iids[kind]) for kind in (ON, BRIGHTNESS, HUE, SATURATION)])
            return [entry["value"] for entry in answer.values()]

        try:
            assert (await write(ON=True)).get_state() is True
            assert (await write(BRIGHTNESS=40)).pilotResult["dimming"] == 40
            assert (await write(HUE=120.0, SATURATION=100.0)).get_rgb() == (0, 255, 0)
            assert (await write(ON=False)).get_state() is False

            bulb.change(state=True, dimming=70, r=0, g=0, b=255, c=0, w=0)
            start = time.monotonic()
            while await read() != [True, 70, 240, 100]:
                assert time.monotonic() - start < 3, "what the bulb tells by itself is shown at once"
                await asyncio.sleep(0.02)
            print(f"a change at the bulb was shown after {(time.monotonic() - start) * 1000:.0f} ms")
        finally:
            await judge.async_close()


def test_unplugged_and_back_with_another_address(daemon, make_bulb, lan):
    bulb = make_bulb(lan.phone)
    aid = wait_for_bulb(daemon)["aid"]
    bulb.stop()
    wait_for_bulb(daemon, reachable=False)
    with lan.add_host("lamp", "10.77.0.9") as other:
        start = time.monotonic()
        moved = make_bulb(other)
        assert wait_for_bulb(daemon)["aid"] == aid
        print(f"back at another address after {time.monotonic() - start:.1f} s")
        moved.stop()
        wait_for_bulb(daemon, reachable=False)
    bulb.start()
    assert wait_for_bulb(daemon)["aid"] == aid
    assert list(daemon.lights) == [KEY]


def test_a_hundred_restarts(daemon, make_bulb, lan):
    bulb = make_bulb(lan.phone)
    aid = wait_for_bulb(daemon)["aid"]
    for _ in range(100):
        bulb.stop()
        bulb.start()
        time.sleep(0.05)
    # What is shown may be older than the last of them: only the bulb that is there now can obey.
    until(lambda: daemon.cli("lights", "set", KEY, "on=true", "brightness=37", check=False).returncode == 0, 20, "it obeys")
    assert wait_for_bulb(daemon)["aid"] == aid
    assert list(daemon.lights) == [KEY]
