"""Automations with Home Assistant's bridge and the project's own bridge as accessories of one home.

Needs HASS (hass.py); conftest skips this file without it.
"""

import collections

import pytest
from conftest import configuration
from hass import HomeAssistant
from home import villa
from lan import until

PORT = 51841
#: Demo entities, and a thermometer and a motion sensor whose values the test sets.
ENTITIES = f"""
demo:
input_number: {{outside: {{name: Outside, min: -20, max: 40}}}}
input_boolean: {{porch: {{name: Porch}}, power: {{name: Power, initial: true}}}}
template:
  - sensor:
      name: Outside
      unit_of_measurement: °C
      device_class: temperature
      state: "{{{{ states('input_number.outside') }}}}"
      availability: "{{{{ is_state('input_boolean.power', 'on') }}}}"
  - binary_sensor:
      name: Porch
      device_class: motion
      state: "{{{{ is_state('input_boolean.porch', 'on') }}}}"
homekit:
  - name: Demo House
    port: {PORT}
    ip_address: ADDRESS
    advertise_ip: [ADDRESS]
    filter:
      include_entities:
        [sensor.outside, binary_sensor.porch, light.bed_light, light.kitchen_lights, switch.ac, lock.front_door]
    entity_config: {{lock.front_door: {{linked_doorbell_sensor: event.push_button_press}}}}
"""
OWN = [{"id": "lamp", "name": "Lamp"}, {"id": "hall", "name": "Hall", "kind": "sensor", "readings": ["motion"]}]
AUTOMATIONS = {
    "Value": ["--when", "porch motion", "--set", "bed light on", "--for", "3s"],
    "Range": ["--when", "outside temperature>=24", "--set", "AC on"],
    "Held": ["--when", "outside temperature<0 for 2s", "--set", "AC off"],
    "Button": ["--when", "Front Door/Button single press", "--set", "kitchen lights off"],
    "Unreachable": ["--when", "outside unreachable for 1s", "--set", "lamp on"],
    "Own": ["--when", "hall motion", "--set", "kitchen lights brightness=20"],
}


@pytest.fixture
def other(lan, tmp_path):
    """Home Assistant, whose bridge has a few of its entities."""
    made = HomeAssistant(lan.phone, tmp_path / "hass", ENTITIES.replace("ADDRESS", lan.phone.address))
    yield made
    made.close()


@pytest.fixture
def home(lan, tmp_path):
    with villa(lan, tmp_path / "home") as made:
        yield made


def set_temperature(other, degrees):
    other.ask("call", ["input_number", "set_value", {"entity_id": "input_number.outside", "value": degrees}])


def switch(other, entity, is_on):
    other.ask("call", [entity.partition(".")[0], f"turn_{'on' if is_on else 'off'}", {"entity_id": entity}])


def state(other, entity):
    return next(state for id, state, _ in other.ask("states", entity.partition(".")[0]) if id == entity)


@pytest.fixture
def bridge(make_daemon):
    """The project's own bridge."""
    made = make_daemon(configuration("Own", OWN) | {"include": ["all"]})
    made.until_published()
    return made


@pytest.fixture
def house(other, home, bridge):
    """The home with both bridges and the automations."""
    set_temperature(other, 20)
    home.add(bridge.setup_code, bridge.status["deviceId"])
    code = other.ask("code", None)
    until(lambda: home.add(code, "Demo House", check=False).returncode == 0, 60, "it is added", interval=1)
    for name, options in AUTOMATIONS.items():
        home.cli("automations", "add", name, *options)
    until_shown(home, "20 °C")
    return home


def until_shown(home, text):
    until(lambda: text in home.cli("accessories").stdout, 10, f"the hub has received {text}")


def until_state(other, entity, expected):
    until(lambda: state(other, entity) == expected, 10, f"{entity} is {expected}", interval=0.1)


def runs(home):
    """The number of runs of each automation, none of which may have failed."""
    records = home.cli("automations", "history", "--json")
    assert all("error" not in one for record in records for one in record.get("outcomes", [])), records
    ids = {one["id"]: one["name"] for one in home.cli("automations", "--json")}
    return collections.Counter(ids[record["trigger"]] for record in records if record["resultText"] == "ran")


def test_events_of_both_bridges_run_automations_on_both(house, other, bridge):
    switch(other, "input_boolean.porch", True)
    until_state(other, "light.bed_light", "on")
    until_state(other, "light.bed_light", "off")

    set_temperature(other, 25)
    until_state(other, "switch.ac", "on")
    set_temperature(other, 26)
    set_temperature(other, -1)
    until_state(other, "switch.ac", "off")
    set_temperature(other, 25)
    until_state(other, "switch.ac", "on")

    other.ask("call", ["button", "press", {"entity_id": "button.push"}])
    until_state(other, "light.kitchen_lights", "off")
    bridge.cli("simulate", "simulated/hall", "motion=yes")
    until_state(other, "light.kitchen_lights", "on")

    expected = {"Value": 1, "Range": 2, "Held": 1, "Button": 1, "Own": 1}
    assert runs(house) == expected
    other.close()
    until(lambda: bridge.lights["simulated/lamp"]["on"], 40, "the outage runs an automation")
    other.start()
    other.ask("code", None)
    until(lambda: all(one["isReachable"] for one in house.cli("accessories", "--json")), 60, "everything is reachable")
    # Motion, temperature and the last press are the same as before the outage, so they aren't events.
    assert [state(other, entity) for entity in ("binary_sensor.porch", "sensor.outside")] == ["on", "25.0"]
    expected |= {"Unreachable": 1}
    assert runs(house) == expected
    set_temperature(other, 23)
    # The bridge combines changes within half a second.
    until_shown(house, "23 °C")
    set_temperature(other, 25)
    until(lambda: runs(house) == expected | {"Range": 3}, 10, "it enters the range again")


@pytest.mark.long
def test_an_entity_without_a_device_is_unreachable_although_its_bridge_responds(house, other, bridge):
    set_temperature(other, 25)
    until(lambda: runs(house) == {"Range": 1}, 10, "it enters the range")
    # The bridge doesn't report this. The hub reads values after a minute without reports, and those of unreachable
    # accessories once a minute.
    switch(other, "input_boolean.power", False)
    until(lambda: bridge.lights["simulated/lamp"]["on"], 150, "the outage runs an automation", interval=0.5)
    switch(other, "input_boolean.power", True)
    until(lambda: all(one["isReachable"] for one in house.cli("accessories", "--json")), 90, "it is reachable", interval=0.5)
    assert runs(house) == {"Range": 1, "Unreachable": 1}
