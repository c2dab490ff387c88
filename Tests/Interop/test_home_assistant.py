"""What Home Assistant's homekit_controller does at a bridge that it has paired with.

With HASS (hass.py) Home Assistant itself is run, too; aiohomekit writes what its homekit_controller writes in any case.
"""

import asyncio

import pytest
from conftest import configuration
from controllers import BRIGHTNESS, ON, Phone, eventually, named
from hass import HASS, HomeAssistant


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


if HASS:
    @pytest.mark.parametrize("run", range(3))
    def test_home_assistant_itself(run, bridge, lan, tmp_path):
        home = HomeAssistant(lan.phone, tmp_path / "hass")
        try:
            print(home.ask("pair", bridge.setup_code))
            for brightness in (1, 2, 3):
                said = home.ask("level", brightness)
                assert said["state"] == "on"
                # 1 % of 255, and not the 0 that it wrote.
                assert 2 <= said["shown"] <= 3, said
                assert level(bridge) == (True, 1)
        finally:
            home.close()
