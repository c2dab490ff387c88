"""The accessories of Examples/, used by an independent controller: linked services, results per value, changing structure."""

import asyncio
import time

import pytest
from controllers import Phone, eventually
from examples import Example, device, places, short
from lan import PATIENCE, end

ACTIVE, CURRENT_STATE, TARGET_STATE, SPEED = "B0", "A9", "A8", "29"
LIFE, RESET = "AB", "AD"
ACTIVE_IDENTIFIER, REMOTE_KEY, TEMPERATURE = "E7", "E1", "11"
PURIFIER, FILTER, TELEVISION, INPUT = "BB", "BA", "D8", "D9"


@pytest.fixture
def example(lan, tmp_path):
    made = []

    def start(name, *arguments):
        made.append(Example(lan.bridge, tmp_path, name, *arguments).start())
        return made[-1]

    yield start
    for program in made:
        end(program.process)


def services(accessory):
    """Return the services of an accessory by their short types."""
    found = {}
    for service in accessory["services"]:
        found.setdefault(short(service["type"]), []).append(service)
    return found


async def test_purifier_has_a_linked_filter_and_rejects_one_value_of_a_request(example):
    purifier = example("air-purifier")
    async with Phone() as phone:
        pairing = await phone.pair(await device(phone, "Purifier"), purifier.code)
        accessories = await pairing.list_accessories_and_characteristics()
        found, place = services(accessories[0]), places(accessories)
        assert found[PURIFIER][0]["linked"] == [found[FILTER][0]["iid"]] and found[PURIFIER][0]["primary"]
        events = []
        pairing.dispatcher_connect(events.append)
        assert not await pairing.subscribe([place[LIFE], place[CURRENT_STATE]])

        refused = await pairing.put_characteristics(
            [(*place[ACTIVE], 1), (*place[TARGET_STATE], 1), (*place[SPEED], 80)])
        assert {where: answer["status"] for where, answer in refused.items()} == {
            place[ACTIVE]: 0, place[TARGET_STATE]: 0, place[SPEED]: -70412}
        read = await pairing.get_characteristics([place[ACTIVE], place[SPEED], place[CURRENT_STATE]])
        assert [read[place[which]]["value"] for which in (ACTIVE, SPEED, CURRENT_STATE)] == [1, 50, 2]
        await eventually(lambda: any(event.get(place[LIFE], {}).get("value", 100) < 100 for event in events), 10, "wear")
        assert not await pairing.put_characteristics([(*place[ACTIVE], 0), (*place[RESET], 1)])
        assert (await pairing.get_characteristics([place[LIFE]]))[place[LIFE]]["value"] == 100
        purifier.stop()


async def test_television_has_linked_inputs_and_accepts_keys_while_on(example):
    television = example("television")
    async with Phone() as phone:
        pairing = await phone.pair(await device(phone, "TV"), television.code)
        accessories = await pairing.list_accessories_and_characteristics()
        found, place = services(accessories[0]), places(accessories)
        assert found[TELEVISION][0]["linked"] == [service["iid"] for service in found[INPUT]]
        refused = await pairing.put_characteristics([(*place[REMOTE_KEY], 4)])
        assert refused[place[REMOTE_KEY]]["status"] == -70412
        assert not await pairing.put_characteristics([(*place[ACTIVE], 1), (*place[REMOTE_KEY], 4)])
        assert not await pairing.put_characteristics([(*place[ACTIVE_IDENTIFIER], 2)])
        refused = await pairing.put_characteristics([(*place[ACTIVE_IDENTIFIER], 3)])
        assert refused[place[ACTIVE_IDENTIFIER]]["status"] == -70410
        read = await pairing.get_characteristics([place[ACTIVE_IDENTIFIER]])
        assert read[place[ACTIVE_IDENTIFIER]]["value"] == 2
        assert "key 4\ninput 2\n" in television.output.read_text()
        television.stop()


async def test_sensors_are_added_and_removed_and_read_on_request(example, tmp_path):
    rooms = tmp_path / "rooms"
    rooms.mkdir()
    (rooms / "Kitchen").write_text("20.5")
    (rooms / "Attic").write_text("17")
    bridge = example("room-sensors", rooms)
    async with Phone() as phone:
        identity = await device(phone, "Sensor Bridge")
        pairing = await phone.pair(identity, bridge.code)

        async def aids(expected):
            seen, deadline = None, time.monotonic() + 10 * PATIENCE
            while seen != expected:
                assert time.monotonic() < deadline, f"the accessories are {seen}, not {expected}"
                await asyncio.sleep(0.05)
                seen = [accessory["aid"] for accessory in await pairing.list_accessories_and_characteristics()]

        await aids([1, 2, 3])
        kitchen = next(
            where for accessory in await pairing.list_accessories_and_characteristics() if accessory["aid"] == 3
            for type, where in places([accessory]).items() if type == TEMPERATURE)
        for celsius in (20.5, 22):
            (rooms / "Kitchen").write_text(str(celsius))
            assert (await pairing.get_characteristics([kitchen]))[kitchen]["value"] == celsius
        (rooms / "Kitchen").write_text("broken")
        assert (await pairing.get_characteristics([kitchen]))[kitchen]["status"] == -70402

        number = (await phone.record(identity)).txt["c#"]
        (rooms / "Attic").unlink()
        (rooms / "Cellar").write_text("12")
        await aids([1, 3, 4])
        await phone.record(identity, lambda record: record.txt["c#"] != number)
        (rooms / "Attic").write_text("16")
        await aids([1, 2, 3, 4])
        bridge.stop()
