"""A cover on a real broker, and a simulated one, are window coverings to aiohomekit."""

import asyncio

import pytest
from conftest import configuration
from controllers import Phone, eventually, named
from scripted_device import Script, until_light

CURRENT, TARGET, STATE = "6D", "7C", "72"
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
        {"driver": "simulated", "lights": [{"id": "loft", "name": "Loft blind", "kind": "cover"}]}]
    made = make_daemon(configuration(drivers=drivers) | {"include": ["lights", "covers"]})
    made.until_published()
    until_light(made, DEN, reachable=True, position=0)
    return made


async def test_a_controller_follows_a_cover_and_moves_it(daemon, cover):
    async with Phone() as phone:
        pairing = await phone.pair(daemon.status["deviceId"], daemon.setup_code)
        aid, iids = named(await pairing.list_accessories_and_characteristics(), "Den blind")
        names = {(aid, iid): name for name, iid in iids.items()}
        seen = []
        pairing.dispatcher_connect(lambda event: seen.append({names[key]: one["value"] for key, one in event.items()}))
        await pairing.subscribe(list(names))

        async def shown():
            read = await pairing.get_characteristics(list(names))
            return {names[key]: one["value"] for key, one in read.items()}

        assert await shown() == {CURRENT: 0, TARGET: 0, STATE: STOPPED}
        assert await pairing.put_characteristics([(aid, iids[TARGET], 80)]) == {}
        await eventually(lambda: any(one.get(CURRENT) == 80 for one in seen), 10, "it arrives")
        assert cover.events == [{"target": 160}]
        assert any(one.get(STATE) == OPENING for one in seen)
        assert all(one.get(TARGET, 80) == 80 for one in seen), "the target stays while it moves"
        await asyncio.to_thread(until_light, daemon, DEN, position=80, movement="stopped")
        assert await shown() == {CURRENT: 80, TARGET: 80, STATE: STOPPED}
        cover.send(position=20)
        await asyncio.to_thread(until_light, daemon, DEN, position=10, movement="stopped")
        assert await shown() == {CURRENT: 10, TARGET: 10, STATE: STOPPED}


def test_the_operator_moves_covers_by_their_position(daemon, cover):
    for key in (DEN, LOFT):
        daemon.cli("lights", "set", key, "position=40")
        until_light(daemon, key, position=40, movement="stopped")
    daemon.cli("simulate", LOFT, "position=70", "movement=closing")
    until_light(daemon, LOFT, position=70, movement="closing")
    refused = daemon.cli("lights", "set", DEN, "brightness=10", check=False)
    assert refused.returncode == 64 and "supports none of these values" in refused.stderr
