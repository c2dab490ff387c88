"""Valves that the bridge closes after their durations, and an irrigation system, controlled by aiohomekit and Home Assistant."""

import asyncio

import pytest
from conftest import configuration
from controllers import ACCESSORY_INFORMATION, NAME, Phone, eventually, named, short
from hass import HASS, HomeAssistant
from lan import until
from scripted_device import Script, until_light

ACTIVE, IN_USE, SET, LEFT = "B0", "D2", "D3", "D4"
PROGRAM, VALVE, SYSTEM = "D1", "D0", "CF"
TAP, GARDEN = "simulated/tap", "mqtt/garden/valves"


@pytest.fixture
def daemon(make_daemon):
    made = make_daemon(configuration(lights=[{"id": "lamp", "name": "Lamp"}, {"id": "tap", "name": "Tap", "kind": "valve"}]))
    made.until_published()
    until_light(made, TAP, reachable=True)
    return made


async def test_bridge_ends_a_run_and_notifies_the_controller(daemon):
    async with Phone() as phone:
        pairing = await phone.pair(daemon.status["deviceId"], daemon.setup_code)
        aid, iids = named(await pairing.list_accessories_and_characteristics(), "Tap")
        names = {(aid, iids[name]): name for name in (ACTIVE, IN_USE, LEFT)}
        seen = []
        pairing.dispatcher_connect(
            lambda event: seen.append({names[key]: one["value"] for key, one in event.items() if key in names}))
        await pairing.subscribe(list(names))
        assert await pairing.put_characteristics([(aid, iids[SET], 3), (aid, iids[ACTIVE], 1)]) == {}
        await eventually(lambda: any(one.get(LEFT) == 3 and one.get(IN_USE) == 1 for one in seen), 5, f"it runs: {seen}")
        await eventually(lambda: seen[-1].get(ACTIVE) == 0, 10, f"it ends: {seen}")
        last = {name: value for one in seen for name, value in one.items()}
        assert last == {ACTIVE: 0, IN_USE: 0, LEFT: 0}
        assert {one[LEFT] for one in seen if LEFT in one} <= {3, 0}, "the countdown causes no events"
        seen.clear()
        await asyncio.to_thread(daemon.cli, "devices", "set", TAP, "duration=60", "on")
        await eventually(lambda: any(one.get(LEFT) == 60 for one in seen), 5, f"it runs again: {seen}")
        await asyncio.to_thread(daemon.cli, "simulate", TAP, "off")
        await eventually(lambda: any(one.get(LEFT) == 0 for one in seen), 5, f"closed by hand: {seen}")


class Garden(Script):
    script = "mqtt_garden.py"


@pytest.fixture
def garden(lan, broker):
    made = Garden(lan.bridge, broker.port)
    yield made
    made.stop()


def make_garden_bridge(make_daemon, broker):
    drivers = [{"driver": "mqtt", "url": broker.url, "discovery": {"home-assistant": "homeassistant"}}]
    made = make_daemon(configuration(drivers=drivers) | {"include": ["valves"]})
    made.until_published()
    until_light(made, GARDEN, timeout=15, reachable=True)
    return made


def services(accessories):
    """Return the aid of the irrigation system, and its services by name: the iids of the characteristics by type."""
    for accessory in accessories:
        if any(short(service["type"]) == SYSTEM for service in accessory["services"]):
            found = {}
            for service in accessory["services"]:
                values = {short(one["type"]): one for one in service["characteristics"]}
                key = values[NAME]["value"] if short(service["type"]) == VALVE else short(service["type"])
                found[key] = {type: one["iid"] for type, one in values.items()} | {
                    "iid": service["iid"], "linked": service.get("linked", [])}
            del found[ACCESSORY_INFORMATION]
            return accessory["aid"], found
    raise AssertionError("there is no irrigation system")


async def test_irrigation_system_follows_its_valves_and_ends_their_runs(make_daemon, broker, garden):
    daemon = await asyncio.to_thread(make_garden_bridge, make_daemon, broker)
    async with Phone() as phone:
        pairing = await phone.pair(daemon.status["deviceId"], daemon.setup_code)
        aid, found = services(await pairing.list_accessories_and_characteristics())
        system, lawn, hedge = found[SYSTEM], found["Lawn"], found["Hedge"]
        assert set(found) == {SYSTEM, "Lawn", "Hedge"} and sorted(system["linked"]) == sorted([lawn["iid"], hedge["iid"]])

        async def shown(service, *types):
            read = await pairing.get_characteristics([(aid, service[type]) for type in types])
            return [read[aid, service[type]]["value"] for type in types]

        async def until_shown(service, expected, *types):
            for _ in range(100):
                if (now := await shown(service, *types)) == expected:
                    return
                await asyncio.sleep(0.1)
            raise AssertionError(f"{now}, and not {expected}")

        assert await shown(system, ACTIVE, PROGRAM, IN_USE, LEFT) == [0, 0, 0, 0]
        assert await pairing.put_characteristics([
            (aid, lawn[SET], 3), (aid, hedge[SET], 300), (aid, lawn[ACTIVE], 1), (aid, hedge[ACTIVE], 1)]) == {}
        await until_shown(hedge, [1, 1], ACTIVE, IN_USE)
        await eventually(lambda: sorted(map(str, garden.events)) == ["{'hedge': 'open'}", "{'lawn': 'open'}"], 5, "both valves open")
        assert await shown(system, ACTIVE, IN_USE) == [1, 1] and (await shown(system, LEFT))[0] > 250
        await until_shown(lawn, [0, 0, 0], ACTIVE, IN_USE, LEFT)
        await eventually(lambda: garden.events[2:] == [{"lawn": "closed"}], 5, "the lawn's valve closes")
        assert await shown(system, ACTIVE) == [1]
        # The run of the other valve continues over a restart, with the same ids.
        await asyncio.to_thread(daemon.restart)
        await asyncio.to_thread(until_light, daemon, GARDEN, timeout=15, reachable=True)
        await eventually(lambda: pairing.is_connected, 20, "the controller is connected again")
        assert services(await pairing.list_accessories_and_characteristics()) == (aid, found)
        await until_shown(hedge, [1, 300], ACTIVE, SET)
        assert 200 < (await shown(system, LEFT))[0] < 300
        await pairing.put_characteristics([(aid, system[ACTIVE], 0)])
        await until_shown(system, [0, 0, 0], ACTIVE, IN_USE, LEFT)
        await eventually(lambda: garden.events[3:] == [{"hedge": "closed"}], 5, "the hedge's valve closes")


if HASS:
    def test_home_assistant_opens_the_valves_of_an_irrigation_system(make_daemon, broker, garden, lan, tmp_path):
        daemon = make_garden_bridge(make_daemon, broker)
        home = HomeAssistant(lan.phone, tmp_path / "hass")
        try:
            home.ask("pair", daemon.setup_code)

            def entity(name):
                return next((one for one in home.ask("states", "switch") if name in one[0]), None)

            until(lambda: entity("lawn") and entity("hedge"), 15, "it shows both valves")
            assert home.ask("call", ["switch", "turn_on", {"entity_id": entity("lawn")[0]}]) == {}
            until(lambda: entity("lawn")[1] == "on" and entity("hedge")[1] == "off", 15, "one valve is open")
            assert garden.events == [{"lawn": "open"}]
            garden.send({"lawn": "closed"})
            until(lambda: entity("lawn")[1] == "off", 15, "it is closed by hand")
        finally:
            home.close()

    def test_home_assistant_opens_a_valve_and_shows_its_changes(daemon, lan, tmp_path):
        home = HomeAssistant(lan.phone, tmp_path / "hass")
        try:
            home.ask("pair", daemon.setup_code)

            def shown(state):
                return until(lambda: any(
                    "tap" in entity and now == state for entity, now, _ in home.ask("states", "switch")), 15, f"it is {state}")

            def call(service):
                entity = next(one for one, _, _ in home.ask("states", "switch") if "tap" in one)
                assert home.ask("call", ["switch", service, {"entity_id": entity}]) == {}

            shown("off")
            call("turn_on")
            until_light(daemon, TAP, on=True)
            shown("on")
            daemon.cli("simulate", TAP, "off")
            shown("off")
        finally:
            home.close()
