"""If there are more devices than a bridge can show, further bridges open, and each device keeps its place."""

import asyncio
import random

from conftest import configuration
from controllers import ON, Phone, named
from lan import until


KINDS = [
    {"kind": "switch"}, {"kind": "outlet"}, {"kind": "fan", "speed": True}, {"kind": "cover", "tilt": True},
    {"kind": "sensor", "readings": ["temperature", "humidity", "co2", "motion", "battery"]},
    {"kind": "button", "buttons": ["top", "bottom"]}, {"kind": "lock"}, {"kind": "garage-door"},
    {"kind": "security-system"}, {"kind": "thermostat"}, {"kind": "humidifier"}, {"kind": "air-purifier"},
    {"kind": "valve"}]


def device(number):
    kind = KINDS[number // 2 % len(KINDS)] if number % 2 == 0 else {}
    return {"id": f"l{number}", "name": f"Lamp {number}"} | kind


def settings(numbers):
    """Return a configuration in which every second device is a light. The others are of all other kinds."""
    return configuration(lights=[device(number) for number in numbers]) | {"include": ["all"]}


def places(daemon):
    """Return the bridge and the aid of each light."""
    return {key: (light["bridge"], light["aid"]) for key, light in daemon.lights.items()}


def until_bridges(daemon, count):
    """Wait until this number of bridges is published."""
    return daemon.until(
        lambda status: [bridge["advertisement"]["state"] for bridge in status["bridges"]] == ["published"] * count, 20)


async def test_400_devices_are_split_among_three_bridges_that_pair_and_keep_their_devices(make_daemon):
    daemon = make_daemon(settings(range(400)))
    until_bridges(daemon, 3)
    daemon.until(lambda status: [bridge["lights"] for bridge in status["bridges"]] == [149, 149, 102], 20)
    # c# is 1, unless the last lights were added after the first bridge was published.
    status = daemon.until_stable()
    number = status["configurationNumber"]
    assert len({bridge["deviceId"] for bridge in status["bridges"]}) == 3
    assert len({bridge["port"] for bridge in status["bridges"]}) == 3
    assert sum("isn't paired" in warning for warning in status["warnings"]) == 2
    setup = daemon.cli("setup", "--json")
    assert len({bridge["code"] for bridge in setup["bridges"]}) == 3
    assert [bridge["name"] for bridge in setup["bridges"]] == ["Lamplighter", "Lamplighter 2", "Lamplighter 3"]
    before = places(daemon)
    async with Phone() as phone:
        pairings = []
        for bridge, code in zip(status["bridges"], setup["bridges"]):
            pairing = await phone.pair(bridge["deviceId"], code["code"], alias=f"bridge {bridge['number']}")
            accessories = await pairing.list_accessories_and_characteristics()
            aids = {aid for number, aid in before.values() if number == bridge["number"]}
            assert {accessory["aid"] for accessory in accessories} == aids | {1}
            assert accessories[0]["services"], accessories[0]
            pairings.append(pairing)
        paired = until_bridges(daemon, 3)
        assert all(bridge["paired"] for bridge in paired["bridges"]) and not paired["warnings"], paired["warnings"]
        assert paired["bridges"][0]["configurationNumber"] == number, "pairing doesn't change the lights"
        # A write to the last bridge reaches its lamp, and a change of the lamp reaches the subscriber.
        aid, iids = named(await pairings[2].list_accessories_and_characteristics(), "Lamp 399")
        await pairings[2].put_characteristics([(aid, iids[ON], True)])
        assert daemon.lights["simulated/l399"]["on"] is True
        await pairings[2].subscribe([(aid, iids[ON])])
        event = asyncio.Event()
        pairings[2].dispatcher_connect(lambda values: event.set() if (aid, iids[ON]) in values else None)
        daemon.cli("simulate", "simulated/l399", "on=false")
        await asyncio.wait_for(event.wait(), 5)

        gone = set(random.sample(range(400), 50))
        daemon.configure(settings(number for number in range(400) if number not in gone))
        daemon.cli("reload")
        remaining = {key: place for key, place in before.items() if int(key.removeprefix("simulated/l")) not in gone}
        until(lambda: places(daemon) == remaining, 10, "the other devices keep their places")
        daemon.restart()
        until_bridges(daemon, 3)
        assert places(daemon) == remaining
        daemon.configure(settings(range(400)))
        daemon.cli("reload")
        until(lambda: places(daemon) == before, 10, "returning devices get their previous places")
        data = [dict(pairing.pairing_data) for pairing in pairings]
    async with Phone() as phone:
        # As after a restart of the controller, the pairings remain valid.
        for number, pairing in enumerate(data, 1):
            again = phone.load(pairing, alias=f"bridge {number}")
            aids = {aid for bridge, aid in before.values() if bridge == number}
            assert {accessory["aid"] for accessory in await again.list_accessories_and_characteristics()} == aids | {1}
    # A controller has the same id on all bridges, so one command removes it from all of them.
    ids = {pairing["id"] for pairing in daemon.cli("pairings", "--json")}
    for controller in ids:
        daemon.cli("pairings", "remove", controller)
    assert not any(bridge["paired"] for bridge in daemon.status["bridges"])


def test_one_picture_contains_the_codes_of_all_bridges(make_daemon, tmp_path):
    daemon = make_daemon(settings(range(150)))
    until_bridges(daemon, 2)
    daemon.cli("setup", "--svg", tmp_path / "codes.svg", "--png", tmp_path / "codes.png")
    svg = (tmp_path / "codes.svg").read_text()
    codes = daemon.cli("setup", "--json")["bridges"]
    assert svg.count("<path") == 2 and all(f"{code['name']}  {code['code']}" in svg for code in codes)
    text = daemon.cli("setup").stdout
    assert all(code["code"] in text and code["name"] in text for code in codes)
