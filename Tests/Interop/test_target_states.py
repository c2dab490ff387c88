"""Locks, garage doors and alarm panels on a real broker and simulated ones, controlled by aiohomekit and Home Assistant."""

import asyncio

import pytest
from conftest import configuration
from controllers import Phone, eventually, named
from hass import HASS, HomeAssistant
from lan import until
from scripted_device import Script, until_light

#: For each device: the state's topic, and the types of the target and the current state.
DEVICES = {"Front": ("lock/state", "1E", "1D"), "Garage": ("door/state", "32", "E"),
           "House": ("alarm/state", "67", "66")}


class Devices(Script):
    script = "mqtt_target_states.py"

    def say(self, topic, text):
        self.send(topic=topic, text=text)


@pytest.fixture
def devices(lan, broker):
    made = Devices(lan.bridge, broker.port)
    yield made
    made.stop()


@pytest.fixture
def daemon(make_daemon, broker, devices):
    drivers = [
        {"driver": "mqtt", "url": broker.url, "discovery": {"home-assistant": "homeassistant"}},
        {"driver": "simulated", "lights": [
            {"id": "gate", "name": "Gate lock", "kind": "lock", "transition": "500ms"},
            {"id": "barn", "name": "Barn door", "kind": "garage-door", "transition": "500ms"},
            {"id": "alarm", "name": "Alarm", "kind": "security-system"}]}]
    made = make_daemon(configuration(drivers=drivers) | {"include": ["all"]})
    made.until_published()
    until_light(made, "mqtt/front", reachable=True, lock="locked")
    until_light(made, "mqtt/garage", reachable=True, door="closed")
    until_light(made, "mqtt/house", reachable=True, alarm="disarmed")
    return made


async def test_controller_receives_the_target_before_the_current_state(daemon, devices):
    async with Phone() as phone:
        pairing = await phone.pair(daemon.status["deviceId"], daemon.setup_code)
        accessories = await pairing.list_accessories_and_characteristics()
        keys = {}
        for name, (_, target, current) in DEVICES.items():
            aid, iids = named(accessories, name)
            keys |= {(aid, iids[target]): f"{name} target", (aid, iids[current]): f"{name} current"}
        places = {name: key for key, name in keys.items()}
        messages = []
        pairing.dispatcher_connect(lambda event: messages.append(
            [(keys[key], one["value"]) for key, one in event.items() if key in keys]))
        await pairing.subscribe(list(keys))

        async def shows(*expected):
            await eventually(lambda: messages[-1:] == [list(expected)], 5, f"{expected}: {messages[-2:]}")
            messages.clear()
            await asyncio.sleep(0.3)

        async def writes(name, value, **command):
            assert await pairing.put_characteristics([(*places[f"{name} target"], value)]) == {}
            (topic, text), = command.items()
            await eventually(
                lambda: devices.events[-1:] == [{f"{topic}/set": text}], 5, f"the command: {devices.events}")

        # The lock is unlocked by hand.
        devices.say("lock/state", "UNLOCKED")
        await shows(("Front target", 0), ("Front current", 0))
        await writes("Front", 1, lock="LOCK")
        devices.say("lock/state", "JAMMED")
        await shows(("Front target", 0), ("Front current", 2))
        devices.say("lock/state", "LOCKED")
        await shows(("Front target", 1), ("Front current", 1))

        await writes("Garage", 0, door="OPEN")
        devices.say("door/state", "opening")
        await shows(("Garage current", 2))
        devices.say("door/state", "stopped")
        await shows(("Garage current", 4))
        devices.say("door/state", "closing")
        await shows(("Garage target", 1), ("Garage current", 3))
        devices.say("door/state", "closed")
        await shows(("Garage current", 1))

        await writes("House", 1, alarm="ARM_AWAY None")
        devices.say("alarm/state", "arming")
        devices.say("alarm/state", "armed_away")
        await shows(("House current", 1))
        devices.say("alarm/state", "triggered")
        await shows(("House current", 4))
        # The panel is disarmed and armed by hand.
        devices.say("alarm/state", "disarmed")
        await shows(("House target", 3), ("House current", 3))
        devices.say("alarm/state", "armed_home")
        await shows(("House target", 0), ("House current", 0))
        await writes("House", 3, alarm="DISARM 4711")
    assert "4711" not in daemon.log


def test_operator_controls_and_jams_simulated_devices(daemon):
    daemon.cli("lights", "set", "simulated/gate", "lock=locked")
    until_light(daemon, "simulated/gate", lock="locked")
    daemon.cli("simulate", "simulated/gate", "lock=jammed")
    until_light(daemon, "simulated/gate", lock="jammed")
    daemon.cli("simulate", "simulated/barn", "obstruction=true")
    daemon.cli("lights", "set", "simulated/barn", "door=open")
    until_light(daemon, "simulated/barn", door="open", obstruction=True)
    daemon.cli("lights", "set", "simulated/alarm", "alarm=night")
    until_light(daemon, "simulated/alarm", alarm="night")
    daemon.cli("simulate", "simulated/alarm", "alarm=triggered")
    until_light(daemon, "simulated/alarm", alarm="triggered")
    refused = daemon.cli("lights", "set", "simulated/gate", "lock=jammed", check=False)
    assert refused.returncode == 64, refused


def test_code_is_read_from_its_file_for_each_command(make_daemon, broker, devices, tmp_path):
    file = tmp_path / "shed.code"
    file.write_text("4711\n")
    file.chmod(0o600)
    shed = {
        "id": "shed", "name": "Shed", "kind": "lock", "command_topic": "shed/set",
        "command_template": "{{ value }} {{ code }}", "code_file": str(file)}
    drivers = [{"driver": "mqtt", "url": broker.url, "discovery": {}, "lights": [shed]}]
    daemon = make_daemon(configuration(drivers=drivers) | {"include": ["all"]})
    daemon.until_published()
    until_light(daemon, "mqtt/shed", reachable=True)

    def sends(state, text):
        daemon.cli("devices", "set", "mqtt/shed", f"lock={state}")
        until(lambda: devices.events[-1:] == [{"shed/set": text}], 5, f"the command: {devices.events}")

    sends("locked", "LOCK 4711")
    file.write_text("0815\n")
    sends("unlocked", "UNLOCK 0815")
    file.chmod(0o644)
    refused = daemon.cli("devices", "set", "mqtt/shed", "lock=locked", check=False)
    assert refused.returncode != 0 and f"code_file {file} can be read by all users" in refused.stderr, refused
    assert devices.events[-1:] == [{"shed/set": "UNLOCK 0815"}]
    assert "4711" not in daemon.log and "0815" not in daemon.log


def test_locks_garage_doors_and_alarms_are_shown_only_if_included(make_daemon, broker, devices):
    drivers = [{"driver": "mqtt", "url": broker.url, "discovery": {"home-assistant": "homeassistant"}}]
    daemon = make_daemon(configuration(drivers=drivers))
    daemon.until_published()
    hidden = [{"kind": kind, "count": 1} for kind in ("locks", "garage-doors", "security-systems")]
    until(lambda: daemon.status["hiddenKinds"] == hidden, 10, f"{daemon.status}")
    assert not daemon.lights


if HASS:
    def test_home_assistant_controls_the_devices_and_shows_their_changes(daemon, devices, lan, tmp_path):
        home = HomeAssistant(lan.phone, tmp_path / "hass")

        def shows(entity, state):
            def found():
                return {name: value for name, value, _ in home.ask("states", entity.split(".")[0])}.get(entity)

            until(lambda: found() == state, 15, f"{entity} is {state}: {found()}")

        def call(entity, service, command):
            assert home.ask("call", [entity.split(".")[0], service, {"entity_id": entity}]) == {}
            until(lambda: devices.events[-1:] == [command], 5, f"{command}: {devices.events}")

        try:
            home.ask("pair", daemon.setup_code)
            shows("lock.front", "locked")
            call("lock.front", "unlock", {"lock/set": "UNLOCK"})
            shows("lock.front", "unlocking")
            devices.say("lock/state", "UNLOCKED")
            shows("lock.front", "unlocked")
            devices.say("lock/state", "JAMMED")
            shows("lock.front", "jammed")
            devices.say("lock/state", "LOCKED")
            shows("lock.front", "locked")

            call("cover.garage", "open_cover", {"door/set": "OPEN"})
            for state in ("opening", "open", "closing", "closed"):
                devices.say("door/state", state)
                shows("cover.garage", state)

            panel = "alarm_control_panel.house"
            shows(panel, "disarmed")
            call(panel, "alarm_arm_home", {"alarm/set": "ARM_HOME None"})
            for state in ("armed_home", "triggered", "disarmed", "armed_away"):
                devices.say("alarm/state", state)
                shows(panel, state)
            call(panel, "alarm_disarm", {"alarm/set": "DISARM 4711"})
        finally:
            home.close()
