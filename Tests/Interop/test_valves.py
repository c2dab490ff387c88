"""A valve that the bridge closes after its duration, controlled by aiohomekit and Home Assistant."""

import asyncio

import pytest
from conftest import configuration
from controllers import Phone, eventually, named
from hass import HASS, HomeAssistant
from lan import until
from scripted_device import until_light

ACTIVE, IN_USE, SET, LEFT = "B0", "D2", "D3", "D4"
TAP = "simulated/tap"


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


if HASS:
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
