"""Thermostats, humidifiers, air purifiers and fans on a real broker, controlled by aiohomekit and Home Assistant."""

import asyncio

import pytest
from conftest import configuration
from controllers import NAME, Phone, eventually, named, short
from hass import HASS, HomeAssistant
from lan import until
from scripted_device import Script, until_light

CURRENT_MODE, MODE, CURRENT, TARGET, UNITS, HEATING, COOLING = "F", "33", "11", "35", "36", "12", "D"
OFF, HEAT, COOL, AUTO = 0, 1, 2, 3
ACTIVE, HUMIDITY, HUMIDIFIER, WANTED_HUMIDITY = "B0", "10", "B3", "CA"
MIST = "mqtt/mist"
FAN_MODE, SWING = "BF", "B6"
PURIFYING, PURIFIER_MODE, SPEED, FILTER_CHANGE, FILTER_LIFE = "A9", "A8", "29", "AC", "AB"
AIR = "mqtt/air"
PURIFIER = {
    "id": "air", "name": "Air", "kind": "air-purifier", "command_topic": "air/power/set", "state_topic": "air/power",
    "percentage_command_topic": "air/speed/set", "percentage_state_topic": "air/speed",
    "preset_mode_command_topic": "air/mode/set", "preset_mode_state_topic": "air/mode", "preset_modes": ["auto", "manual"],
    "filter_life_topic": "air/filter"}
ON, BREEZE = "25", "mqtt/breeze"
BATH, LOFT, STUDY = "mqtt/bath", "mqtt/loft", "simulated/study"


class Climate(Script):
    script = "mqtt_climate.py"


@pytest.fixture
def climate(lan, broker):
    made = Climate(lan.bridge, broker.port)
    yield made
    made.stop()


@pytest.fixture
def daemon(make_daemon, broker, climate):
    drivers = [
        {"driver": "mqtt", "url": broker.url, "discovery": {"home-assistant": "homeassistant"}, "lights": [PURIFIER]},
        {"driver": "simulated", "lights": [{"id": "study", "name": "Study", "kind": "thermostat"}]}]
    made = make_daemon(configuration(drivers=drivers))
    made.until_published()
    until_light(made, BATH, reachable=True, mode="heat", targetTemperature=21.0, temperature=19.5)
    until_light(made, LOFT, reachable=True, mode="auto", coolingThreshold=25.0, heatingThreshold=20.0)
    return made


async def test_controller_sets_thermostats_within_their_modes(daemon, climate):
    async with Phone() as phone:
        pairing = await phone.pair(daemon.status["deviceId"], daemon.setup_code)
        accessories = await pairing.list_accessories_and_characteristics()
        (bath, iids), (loft, others) = named(accessories, "Bath"), named(accessories, "Loft")
        names = {(bath, iids[type]): type for type in (CURRENT_MODE, MODE, CURRENT, TARGET)}
        seen = []
        pairing.dispatcher_connect(
            lambda event: seen.append({names[key]: one["value"] for key, one in event.items() if key in names}))
        await pairing.subscribe(list(names))

        async def shown(aid, iids, *types):
            read = await pairing.get_characteristics([(aid, iids[type]) for type in types])
            return [read[aid, iids[type]]["value"] for type in types]

        assert await shown(bath, iids, CURRENT_MODE, MODE, CURRENT, TARGET) == [HEAT, HEAT, 19.5, 21]
        # The bridge doesn't send the current mode. 73 °F are 22.8 °C, which the valve rounds.
        await pairing.put_characteristics([(bath, iids[MODE], HEAT), (bath, iids[TARGET], 22.8)])
        await eventually(lambda: any(one.get(TARGET) == 23 for one in seen), 5, f"the target: {seen}")
        await eventually(lambda: climate.events == [{"valve/target": "23.0"}], 5, f"the commands: {climate.events}")
        # Siri writes AUTO to each thermostat.
        await pairing.put_characteristics([(bath, iids[MODE], OFF)])
        await asyncio.to_thread(until_light, daemon, BATH, mode="off")
        await pairing.put_characteristics([(bath, iids[MODE], AUTO)])
        await asyncio.to_thread(until_light, daemon, BATH, mode="heat")
        await eventually(lambda: any(one.get(MODE) == HEAT for one in seen), 5, f"the mode: {seen}")
        modes = [{"valve/mode": "off"}, {"valve/mode": "heat"}]
        await eventually(lambda: climate.events[1:] == modes, 5, f"the commands: {climate.events}")
        # The device changes by itself. Its limits include frost protection.
        climate.send({"valve/action": "idle", "valve/target": 5})
        await eventually(lambda: any(one.get(TARGET) == 5 for one in seen), 5, f"the target: {seen}")
        await eventually(lambda: any(one.get(CURRENT_MODE) == OFF for one in seen), 5, f"the activity: {seen}")
        assert await shown(loft, others, MODE, CURRENT, HEATING, COOLING) == [AUTO, 22.8, 20, 25]
        await pairing.put_characteristics([(loft, others[HEATING], 19), (loft, others[COOLING], 26.1)])
        await eventually(lambda: {"ac/high": "79.0"} in climate.events, 5, f"the thresholds: {climate.events}")
        await eventually(lambda: {"ac/low": "66.0"} in climate.events, 5, f"the commands: {climate.events}")
        # Drying doesn't change the shown mode. Choosing that mode ends drying.
        climate.send({"ac/mode": "dry", "ac/current": 75})
        await asyncio.to_thread(until_light, daemon, LOFT, temperature=23.9)
        assert await shown(loft, others, MODE) == [AUTO]
        await pairing.put_characteristics([(loft, others[MODE], AUTO)])
        await eventually(lambda: climate.events[-1] == {"ac/mode": "heat_cool"}, 5, f"the mode: {climate.events}")
        # The fan is linked. A speed ends its automatic mode.
        assert await shown(loft, others, ACTIVE, FAN_MODE, SWING) == [1, 1, 0]
        await pairing.put_characteristics([(loft, others[ACTIVE], 1), (loft, others[SPEED], 66)])
        await eventually(lambda: climate.events[-1] == {"ac/fan": "medium"}, 5, f"the speed: {climate.events}")
        await pairing.put_characteristics([(loft, others[SWING], 1)])
        await eventually(lambda: climate.events[-1] == {"ac/swing": "on"}, 5, f"the swing mode: {climate.events}")
        await asyncio.to_thread(until_light, daemon, LOFT, **{"fanMode#fan": "manual", "oscillates#fan": True})
        assert await shown(loft, others, FAN_MODE, SWING) == [0, 1]


async def test_controller_sets_a_humidifier_within_its_limits(daemon, climate):
    async with Phone() as phone:
        pairing = await phone.pair(daemon.status["deviceId"], daemon.setup_code)
        aid, iids = named(await pairing.list_accessories_and_characteristics(), "Mist")
        names = {(aid, iids[type]): type for type in (ACTIVE, HUMIDITY, HUMIDIFIER, WANTED_HUMIDITY)}
        seen = []
        pairing.dispatcher_connect(
            lambda event: seen.append({names[key]: one["value"] for key, one in event.items() if key in names}))
        await pairing.subscribe(list(names))
        read = await pairing.get_characteristics(list(names))
        assert [read[key]["value"] for key in names] == [1, 45, 2, 50]
        await pairing.put_characteristics([(aid, iids[WANTED_HUMIDITY], 95)])
        await eventually(lambda: any(one.get(WANTED_HUMIDITY) == 80 for one in seen), 5, f"the clamped target: {seen}")
        await eventually(lambda: climate.events == [{"mist/target": "80"}], 5, f"the commands: {climate.events}")
        climate.send({"mist/current": 85})
        await eventually(lambda: any(one.get(HUMIDIFIER) == 1 for one in seen), 5, f"it is idle: {seen}")
        await pairing.put_characteristics([(aid, iids[ACTIVE], 0)])
        await eventually(lambda: any(one.get(HUMIDIFIER) == 0 for one in seen), 5, f"it is off: {seen}")
        await eventually(lambda: climate.events[1:] == [{"mist/power": "OFF"}], 5, f"the power: {climate.events}")


async def test_controller_chooses_the_presets_of_a_fan(daemon, climate):
    await asyncio.to_thread(until_light, daemon, BREEZE, speed=40, mode="manual")
    async with Phone() as phone:
        pairing = await phone.pair(daemon.status["deviceId"], daemon.setup_code)
        accessories = await pairing.list_accessories_and_characteristics()
        aid, iids = named(accessories, "Breeze")
        breeze, = [one for one in accessories if one["aid"] == aid]
        switches = {
            next(one["value"] for one in service["characteristics"] if short(one["type"]) == NAME): next(
                one["iid"] for one in service["characteristics"] if short(one["type"]) == ON)
            for service in breeze["services"] if short(service["type"]) == "49"}
        assert set(switches) == {"sleep", "nature"}

        async def sends(iid, value, event):
            await pairing.put_characteristics([(aid, iid, value)])
            await eventually(lambda: climate.events[-1:] == [event], 5, f"the command {event}: {climate.events}")

        await sends(iids[FAN_MODE], 1, {"fan/preset": "auto"})
        await asyncio.to_thread(until_light, daemon, BREEZE, mode="auto")
        await sends(iids[FAN_MODE], 0, {"fan/speed": "40"})
        await asyncio.to_thread(until_light, daemon, BREEZE, mode="manual", speed=40)
        await sends(switches["sleep"], True, {"fan/preset": "sleep"})
        await asyncio.to_thread(until_light, daemon, BREEZE, **{"on#option/preset/sleep": True})
        await sends(iids[SPEED], 80, {"fan/speed": "80"})
        await asyncio.to_thread(until_light, daemon, BREEZE, **{"on#option/preset/sleep": False, "speed": 80})
        climate.send({"fan/preset": "auto"})
        await asyncio.to_thread(until_light, daemon, BREEZE, mode="auto")


async def test_controller_sets_an_air_purifier_and_reads_its_filter(daemon, climate):
    await asyncio.to_thread(until_light, daemon, AIR, speed=40, mode="auto")
    async with Phone() as phone:
        pairing = await phone.pair(daemon.status["deviceId"], daemon.setup_code)
        aid, iids = named(await pairing.list_accessories_and_characteristics(), "Air")
        types = (ACTIVE, PURIFYING, PURIFIER_MODE, SPEED, FILTER_CHANGE, FILTER_LIFE)
        names = {(aid, iids[type]): type for type in types}
        seen = []
        pairing.dispatcher_connect(
            lambda event: seen.append({names[key]: one["value"] for key, one in event.items() if key in names}))
        await pairing.subscribe(list(names))
        read = await pairing.get_characteristics(list(names))
        assert [read[key]["value"] for key in names] == [1, 2, 1, 40, 0, 75]
        await pairing.put_characteristics([(aid, iids[SPEED], 60)])
        await eventually(lambda: {"air/speed": "60"} in climate.events, 5, f"the speed: {climate.events}")
        climate.send({"air/mode": "manual", "air/filter": 5})
        await eventually(lambda: any(one.get(FILTER_CHANGE) == 1 for one in seen), 5, f"the filter: {seen}")
        await pairing.put_characteristics([(aid, iids[PURIFIER_MODE], 1)])
        await eventually(lambda: climate.events[-1] == {"air/mode": "auto"}, 5, f"the mode: {climate.events}")
        await pairing.put_characteristics([(aid, iids[ACTIVE], 0)])
        await eventually(lambda: any(one.get(PURIFYING) == 0 for one in seen), 5, f"it is off: {seen}")
        await eventually(lambda: climate.events[-1] == {"air/power": "OFF"}, 5, f"the power: {climate.events}")


def test_operator_sets_thermostats(daemon, climate):
    daemon.cli("lights", "set", BATH, "targetTemperature=18", "mode=off")
    until_light(daemon, BATH, targetTemperature=18.0, mode="off")
    daemon.cli("lights", "set", STUDY, "mode=heat", "targetTemperature=25")
    until_light(daemon, STUDY, targetTemperature=25.0, mode="heat")
    daemon.cli("simulate", STUDY, "temperature=18", "mode=cool")
    until_light(daemon, STUDY, temperature=18.0, mode="cool")
    refused = daemon.cli("lights", "set", BATH, "brightness=10", check=False)
    assert refused.returncode == 64


if HASS:
    def test_home_assistant_sets_thermostats_and_shows_their_changes(daemon, climate, lan, tmp_path):
        home = HomeAssistant(lan.phone, tmp_path / "hass")
        try:
            home.ask("pair", daemon.setup_code)

            def shown(name, **expected):
                def found():
                    states = {
                        entity: {"state": state, **values} for entity, state, values in home.ask("states", "climate")}
                    one = next((one for entity, one in states.items() if name in entity), {})
                    return expected.items() <= one.items() and one

                return until(found, 15, f"{name} is {expected}: {home.ask('states', 'climate')}")

            def call(service, name, **data):
                assert home.ask("call", ["climate", service, {"entity_id": f"climate.{name}", **data}]) == {}

            shown("bath", state="heat", temperature=21, current_temperature=19.5, hvac_action="heating", min_temp=5, max_temp=30)
            assert set(shown("bath")["hvac_modes"]) == {"off", "heat"}
            call("set_temperature", "bath", temperature=22.5)
            shown("bath", temperature=22.5)
            call("set_hvac_mode", "bath", hvac_mode="off")
            shown("bath", state="off")
            climate.send({"valve/mode": "heat", "valve/action": "idle", "valve/current": 24})
            shown("bath", state="heat", hvac_action="idle", current_temperature=24)
            shown("loft", state="heat_cool", target_temp_low=20, target_temp_high=25)
            call("set_temperature", "loft", target_temp_low=18.9, target_temp_high=26.1)
            until(lambda: {"ac/high": "79.0"} in climate.events, 5, f"the thresholds: {climate.events}")
            mist = next(one for one in home.ask("states", "humidifier"))
            assert mist[1] == "on" and mist[2]["humidity"] == 50 and mist[2]["current_humidity"] == 45
            assert home.ask("call", ["humidifier", "set_humidity", {"entity_id": mist[0], "humidity": 60}]) == {}
            until(lambda: {"mist/target": "60"} in climate.events, 5, f"the humidity: {climate.events}")
            climate.send({"mist/power": "OFF"})
            until(lambda: home.ask("states", "humidifier")[0][1] == "off", 5, "it is off")
            call("set_hvac_mode", "loft", hvac_mode="cool")
            shown("loft", state="cool", temperature=26.1)
        finally:
            home.close()

    def test_home_assistant_sets_an_air_purifier_and_shows_its_filter(daemon, climate, lan, tmp_path):
        until_light(daemon, AIR, **{"speed": 40, "mode": "auto", "filterLife#filter": 75})
        home = HomeAssistant(lan.phone, tmp_path / "hass")
        try:
            home.ask("pair", daemon.setup_code)

            def shown(entity, state, **attributes):
                def found():
                    states = {one: (now, values) for one, now, values in home.ask("states", entity.split(".")[0])}
                    now, values = states.get(entity, (None, {}))
                    return now == state and attributes.items() <= values.items()

                until(found, 15, f"{entity} is {state}, {attributes}: {home.ask('states', entity.split('.')[0])}")

            def call(service, **data):
                domain = data["entity_id"].split(".")[0]
                assert home.ask("call", [domain, service, data]) == {}

            fan, mode = "fan.air", "select.air_air_purifier_mode"
            status, life = "sensor.air_air_purifier_status", "sensor.air_filter_lifetime"
            shown(fan, "on", percentage=40)
            shown(mode, "automatic", options=["automatic", "manual"])
            shown(status, "purifying")
            shown(life, "75", unit_of_measurement="%")
            call("set_percentage", entity_id=fan, percentage=60)
            until(lambda: {"air/speed": "60"} in climate.events, 5, f"the speed: {climate.events}")
            shown(fan, "on", percentage=60)
            climate.send({"air/mode": "manual", "air/speed": 20, "air/filter": 5})
            shown(mode, "manual")
            shown(fan, "on", percentage=20)
            shown(life, "5")
            call("select_option", entity_id=mode, option="automatic")
            until(lambda: {"air/mode": "auto"} in climate.events, 5, f"the mode: {climate.events}")
            shown(mode, "automatic")
            call("turn_off", entity_id=fan)
            until(lambda: climate.events[-1] == {"air/power": "OFF"}, 5, f"it is off: {climate.events}")
            shown(fan, "off")
            shown(status, "inactive")
            climate.send({"air/power": "ON"})
            shown(fan, "on")
        finally:
            home.close()
