"""A cover on a real broker and a simulated one are window coverings for aiohomekit and Home Assistant."""

import asyncio
import time

import pytest
from conftest import configuration
from controllers import Phone, eventually, named
from hass import HASS, HomeAssistant
from lan import until
from scripted_device import Script, until_light

CURRENT, TARGET, STATE, HOLD = "6D", "7C", "72", "6F"
TILT, TARGET_TILT = "6C", "7B"
CLOSING, OPENING, STOPPED = 0, 1, 2
DEN, LOFT = "mqtt/den-blind", "simulated/loft"


class Cover(Script):
    script = "mqtt_cover.py"


@pytest.fixture
def cover(lan, broker):
    made = Cover(lan.bridge, broker.port)
    yield made
    made.stop()


@pytest.fixture
def daemon(make_daemon, broker, cover):
    drivers = [
        {"driver": "mqtt", "url": broker.url, "discovery": {"home-assistant": "homeassistant"}},
        {"driver": "simulated", "lights": [
            {"id": "loft", "name": "Loft blind", "kind": "cover", "tilt": True, "transition": "6s"}]}]
    made = make_daemon(configuration(drivers=drivers))
    made.until_published()
    until_light(made, DEN, reachable=True, position=0)
    return made


async def test_controller_moves_a_cover_and_receives_its_changes(daemon, cover):
    async with Phone() as phone:
        pairing = await phone.pair(daemon.status["deviceId"], daemon.setup_code)
        aid, iids = named(await pairing.list_accessories_and_characteristics(), "Den blind")
        hold = (aid, iids.pop(HOLD))
        names = {(aid, iid): name for name, iid in iids.items()}
        seen = []
        pairing.dispatcher_connect(
            lambda event: seen.append({names[key]: one["value"] for key, one in event.items() if key in names}))
        await pairing.subscribe(list(names))

        async def shown():
            read = await pairing.get_characteristics(list(names))
            return {names[key]: one["value"] for key, one in read.items()}

        at_rest = {TILT: 0, TARGET_TILT: 0, STATE: STOPPED}
        assert await shown() == {CURRENT: 0, TARGET: 0} | at_rest
        assert await pairing.put_characteristics([(aid, iids[TARGET], 80)]) == {}
        await eventually(lambda: any(one.get(CURRENT) == 80 for one in seen), 10, "the cover arrives")
        assert cover.events == [{"target": 160}]
        assert any(one.get(STATE) == OPENING for one in seen)
        assert all(one.get(TARGET, 80) == 80 for one in seen), "the target stays while it moves"
        await asyncio.to_thread(until_light, daemon, DEN, position=80, movement="stopped")
        assert await shown() == {CURRENT: 80, TARGET: 80} | at_rest
        cover.send(position=20)
        await asyncio.to_thread(until_light, daemon, DEN, position=10, movement="stopped")
        assert await shown() == {CURRENT: 10, TARGET: 10} | at_rest
        await pairing.put_characteristics([(aid, iids[TARGET], 40)])
        await asyncio.to_thread(until_light, daemon, DEN, position=40, movement="stopped")
        # The cover stops halfway, and its target follows.
        await pairing.put_characteristics([(aid, iids[TARGET], 100)])
        await eventually(lambda: any(one.get(CURRENT) == 55 for one in seen), 10, "the cover moves")
        await pairing.put_characteristics([(*hold, True)])
        await asyncio.to_thread(until_light, daemon, DEN, movement="stopped")
        assert cover.events[-1] == {"command": "STOP"}
        await eventually(lambda: seen[-1].get(TARGET, 100) < 100, 5, f"the target follows: {seen[-3:]}")
        stopped = await shown()
        assert stopped[CURRENT] == stopped[TARGET] < 100 and stopped[STATE] == STOPPED
        await pairing.put_characteristics([(aid, iids[TARGET_TILT], -90)])
        await asyncio.to_thread(until_light, daemon, DEN, tilt=-90)
        assert cover.events[-1] == {"tilt": 0}


def test_operator_moves_covers_to_a_position(daemon, cover):
    for key in (DEN, LOFT):
        daemon.cli("lights", "set", key, "position=40", "tilt=45")
        until_light(daemon, key, position=40, tilt=45, movement="stopped")
    daemon.cli("lights", "set", LOFT, "position=100")
    until_light(daemon, LOFT, movement="opening")
    daemon.cli("lights", "set", LOFT, "movement=stopped")
    assert 40 <= until_light(daemon, LOFT, movement="stopped")["position"] < 100
    daemon.cli("simulate", LOFT, "position=70", "movement=closing")
    until_light(daemon, LOFT, position=70, movement="closing")
    refused = daemon.cli("lights", "set", DEN, "brightness=10", check=False)
    assert refused.returncode == 64 and "supports none of these values" in refused.stderr


if HASS:
    def test_home_assistant_moves_a_cover_and_shows_its_changes(daemon, cover, lan, tmp_path):
        home = HomeAssistant(lan.phone, tmp_path / "hass")
        try:
            home.ask("pair", daemon.setup_code)

            def shown(**expected):
                def found():
                    states = {entity: {"state": state, **values} for entity, state, values in home.ask("states", "cover")}
                    den = next((one for entity, one in states.items() if "den" in entity), {})
                    return expected.items() <= den.items() and den

                return until(found, 15, f"the cover is {expected}")

            def call(service, **data):
                assert home.ask("call", ["cover", service, {"entity_id": "cover.den_blind", **data}]) == {}

            shown(state="closed", current_position=0, current_tilt_position=50)
            call("set_cover_position", position=50)
            shown(state="opening")
            shown(state="open", current_position=50)
            call("set_cover_tilt_position", tilt_position=100)
            shown(current_tilt_position=100)
            cover.send(position=0)
            shown(state="closed", current_position=0)
            call("open_cover")
            shown(state="opening")
            call("stop_cover")
            stopped = shown(state="open")
            time.sleep(0.5)
            assert 0 < shown(state="open")["current_position"] < 100, stopped
        finally:
            home.close()
