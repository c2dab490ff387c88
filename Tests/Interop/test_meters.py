"""Meters, whose readings aiohomekit sees as Eve's characteristics. They are hidden unless `include` contains energy."""

import pytest
from conftest import configuration
from controllers import Phone, eventually, named, shape
from hass import HASS, HomeAssistant
from lan import until
from scripted_device import until_light

POWER = "E863F10D"
PLUG, SOLAR = "simulated/plug", "simulated/solar"
LIGHTS = [
    {"id": "plug", "name": "Plug", "kind": "outlet", "readings": ["power", "energy"]},
    {"id": "solar", "name": "Solar", "kind": "meter", "readings": ["power"]}]


def included(*kinds):
    return configuration(lights=LIGHTS) | {"include": list(kinds)}


@pytest.fixture
def daemon(make_daemon):
    made = make_daemon(included("outlets"))
    made.until_published()
    return made


async def test_included_meter_is_shown_and_reports_its_power(daemon):
    assert list(daemon.lights) == [PLUG]
    assert "2 energy" in daemon.cli("status").stdout and "include: [outlets, energy]" in daemon.cli("status").stdout
    async with Phone() as phone:
        pairing = await phone.pair(daemon.status["deviceId"], daemon.setup_code)
        before = shape(await pairing.list_accessories_and_characteristics())
        assert POWER not in {row[4] for row in before}
        daemon.configure(included("outlets", "energy"))
        daemon.cli("reload")
        until(lambda: SOLAR in daemon.lights, 10, "the meter is shown")
        accessories = await pairing.list_accessories_and_characteristics()
        assert set(before) <= set(shape(accessories)), "aids and iids don't change"
        names = {}
        for name in ("Plug", "Solar"):
            aid, iids = named(accessories, name)
            names |= {(aid, iids[POWER]): name}
        seen = {}
        pairing.dispatcher_connect(
            lambda event: seen.update({names[key]: one["value"] for key, one in event.items() if key in names}))
        await pairing.subscribe(list(names))
        daemon.cli("simulate", PLUG, "power=42.26")
        daemon.cli("simulate", SOLAR, "power=-1500")
        await eventually(lambda: seen == {"Plug": 42.3, "Solar": -1500}, 5, f"both values: {seen}")
        read = await pairing.get_characteristics(list(names))
        assert {names[key]: one["value"] for key, one in read.items()} == seen
    assert daemon.lights[PLUG]["power"] == 42.3
    assert "42.3 W" in daemon.cli("devices").stdout


if HASS:
    def test_home_assistant_shows_meters_and_their_changes(make_daemon, lan, tmp_path):
        daemon = make_daemon(included("outlets", "energy"))
        daemon.until_published()
        daemon.cli("simulate", PLUG, "power=42.26", "energy=7.5")
        home = HomeAssistant(lan.phone, tmp_path / "hass")
        try:
            home.ask("pair", daemon.setup_code)

            def shown(entity, state, **attributes):
                def found():
                    states = {one: (now, values) for one, now, values in home.ask("states", entity.split(".")[0])}
                    now, values = states.get(entity, (None, {}))
                    return now == state and attributes.items() <= values.items()

                until(found, 15, f"{entity} is {state}, {attributes}: {home.ask('states', entity.split('.')[0])}")

            shown("sensor.plug_power", "42.3", device_class="power", unit_of_measurement="W")
            shown("sensor.plug_energy_kwh", "7.5", device_class="energy", unit_of_measurement="kWh")
            assert home.ask("call", ["switch", "turn_on", {"entity_id": "switch.plug"}]) == {}
            until_light(daemon, PLUG, on=True, power=42.3)
            shown("switch.plug", "on")
            daemon.cli("simulate", PLUG, "off", "power=0", "energy=7.62")
            shown("switch.plug", "off")
            shown("sensor.plug_power", "0")
            shown("sensor.plug_energy_kwh", "7.62")
            daemon.cli("simulate", SOLAR, "power=-1500")
            shown("sensor.solar_power", "-1500", device_class="power", unit_of_measurement="W")
        finally:
            home.close()
