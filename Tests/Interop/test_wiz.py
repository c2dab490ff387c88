"""The fake bulb of pywizlight is shown as a light to aiohomekit. pywizlight reads its state."""

import asyncio
import time

import pytest
from controllers import BRIGHTNESS, HUE, ON, SATURATION, Phone, named
from pywizlight import wizlight

from conftest import configuration
from lan import until
from scripted_device import Script

KEY = "wiz/a8bb5006033d"
NAME = "WiZ light 033D"


class Bulb(Script):
    script = "wiz_bulb.py"

    def __init__(self, host):
        super().__init__(host, host.address)


@pytest.fixture
def make_bulb():
    made = []

    def make(host):
        made.append(Bulb(host))
        return made[-1]

    yield make
    for bulb in made:
        bulb.kill()


@pytest.fixture
def daemon(make_daemon):
    made = make_daemon(configuration(drivers=[{"driver": "wiz", "discover": True}]))
    made.until_published()
    return made


def wait_for_bulb(daemon, reachable=True, timeout=20):
    return until(
        lambda: (light := daemon.lights.get(KEY)) and light["reachable"] == reachable and light, timeout,
        f"the bulb has reachable {reachable}", interval=0.1)


async def test_discovers_and_controls_a_bulb_and_reports_external_changes(daemon, make_bulb, lan):
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

            bulb.send(state=True, dimming=70, r=0, g=0, b=255, c=0, w=0)
            start = time.monotonic()
            while await read() != [True, 70, 240, 100]:
                assert time.monotonic() - start < 3, "changes that the bulb reports are shown at once"
                await asyncio.sleep(0.02)
            print(f"a change at the bulb was shown after {(time.monotonic() - start) * 1000:.0f} ms")
        finally:
            await judge.async_close()


def test_bulb_keeps_its_aid_at_another_address(daemon, make_bulb, lan):
    bulb = make_bulb(lan.phone)
    aid = wait_for_bulb(daemon)["aid"]
    bulb.kill()
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
