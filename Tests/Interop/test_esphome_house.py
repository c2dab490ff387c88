"""ESPHome's firmware as a Linux program (esphome_host.py), shown by the bridge and controlled by aiohomekit.

For each kind, tests the shown state, a command that the device logs, the event with its result, and the event of a local change.
"""

import contextlib
import os
from pathlib import Path

import pytest
from aioesphomeapi import APIClient
from conftest import configuration
from controllers import Phone, eventually, named
from lan import end, until

PROGRAMS = Path(os.environ.get("ESPHOME", "."))
MAC, PORT = "063569ABF681", 16055
pytestmark = pytest.mark.long

POSITION, TARGET_POSITION, MOVEMENT, TILT, TARGET_TILT, HOLD = "6D", "7C", "72", "6C", "7B", "6F"
LOCK, TARGET_LOCK, DOOR, TARGET_DOOR, ALARM, TARGET_ALARM = "1D", "1E", "E", "32", "66", "67"
ACTIVE, IN_USE, SPEED, DIRECTION, SWING = "B0", "D2", "29", "28", "B6"
ACTIVITY, MODE, TEMPERATURE, TARGET, HEATING, COOLING, HUMIDITY = "F", "33", "11", "35", "12", "D", "10"
PRESS, ON, POWER, ENERGY = "73", "25", "E863F10D", "E863F10C"


class Firmware:
    """A program built by esphome_host.py, running on a host."""

    def __init__(self, host, directory, name):
        self.host, self.path = host, directory / f"{name}.log"
        with open(self.path, "wb") as log:
            # The program stores its preferences in the home directory. Line buffering makes its output available at once.
            self.process = host.popen(
                "stdbuf", "-oL", PROGRAMS / f"{name}-lamp", stdout=log, stderr=log, env=os.environ | {"HOME": str(directory)})

    @property
    def log(self):
        return self.path.read_text(errors="replace")

    async def logged(self, text):
        await eventually(lambda: text in self.log, 5, f"{text} is in the log: {self.log[-2000:]}")


@pytest.fixture
def make_firmware(lan, tmp_path):
    made = []

    def make(name):
        made.append(Firmware(lan.phone, tmp_path, name))
        return made[-1]

    yield make
    for firmware in made:
        end(firmware.process)


@pytest.fixture
def house(make_firmware):
    return make_firmware("house")


@pytest.fixture
def daemon(make_daemon, house):
    made = make_daemon(bridge_of(house, PORT))
    made.until_published()
    # Twelve devices, and six buttons that are pressed in an app.
    until(lambda: len(made.lights) == 18, 10, f"every device is added: {list(made.lights)}")
    return made


def bridge_of(firmware, port):
    hosts = [{"host": firmware.host.address, "port": port}]
    return configuration(drivers=[{"driver": "esphome", "discover": False, "hosts": hosts}]) | {"include": ["all"]}


class Device:
    """An accessory, as seen by a controller that subscribes to its values."""

    def __init__(self, pairing, accessories, name):
        self.pairing = pairing
        self.aid, self.iids = named(accessories, name)
        self.names = {(self.aid, iid): kind for kind, iid in self.iids.items()}
        self.values = {}
        #: All events, including repeated ones.
        self.events = []

    def received(self, event):
        for key, one in event.items():
            if key in self.names and "value" in one:
                self.values[self.names[key]] = one["value"]
                self.events.append((self.names[key], one["value"]))

    async def put(self, values):
        assert await self.pairing.put_characteristics([(self.aid, self.iids[kind], value) for kind, value in values.items()]) == {}

    async def shows(self, values, timeout=8):
        """Wait until the values, which were read once and are updated by events, are as expected."""
        def holds():
            return all(
                abs(self.values[kind] - value) < 0.06 if isinstance(value, float) else self.values.get(kind) == value
                for kind, value in values.items())

        await eventually(holds, timeout, f"{values}, has {self.values}, events {self.events}")


@contextlib.asynccontextmanager
async def controller(daemon, *names):
    """Pair, read and subscribe to devices."""
    async with Phone() as phone:
        pairing = await phone.pair(daemon.status["deviceId"], daemon.setup_code)
        accessories = await pairing.list_accessories_and_characteristics()
        devices = [Device(pairing, accessories, name) for name in names]
        for device in devices:
            readable = [
                (device.aid, item["iid"]) for accessory in accessories if accessory["aid"] == device.aid
                for service in accessory["services"] for item in service["characteristics"]
                if "ev" in item["perms"] and (device.aid, item["iid"]) in device.names]
            device.received({
                key: one for key, one in (await pairing.get_characteristics(readable)).items() if one.get("value") is not None})
            device.events.clear()
            pairing.dispatcher_connect(device.received)
            await pairing.subscribe(readable)
        yield devices


@contextlib.asynccontextmanager
async def hand(house):
    """Connect a second client for local changes. Returns a function that presses or sets an entity."""
    client = APIClient(house.host.address, PORT, None)
    await client.connect(login=True)
    entities, _ = await client.list_entities_services()
    keys = {entity.name: entity for entity in entities}

    def change(name, value=None):
        entity = keys[name]
        if value is None:
            client.button_command(entity.key)
        elif isinstance(value, bool):
            client.switch_command(entity.key, value)
        else:
            client.number_command(entity.key, value)

    yield change
    await client.disconnect()


async def test_covers_move_tilt_and_stop(daemon, house):
    async with controller(daemon, "House Blind", "House Shutter") as (blind, shutter), hand(house) as change:
        await blind.put({TARGET_POSITION: 40, TARGET_TILT: -45})
        await house.logged("house: blind to 0.40")
        await house.logged("house: slats to 0.25")
        await blind.shows({POSITION: 40, TARGET_POSITION: 40, TILT: -45, TARGET_TILT: -45, MOVEMENT: 2})
        await blind.put({TARGET_POSITION: 0})
        await house.logged("house: blind closes")
        await blind.shows({POSITION: 0})
        change("Pull Blind")
        await blind.shows({POSITION: 25, TARGET_POSITION: 25, TILT: 90, TARGET_TILT: 90})
        # This cover takes some seconds.
        await shutter.put({TARGET_POSITION: 100})
        await house.logged("house: shutter opens")
        await shutter.shows({MOVEMENT: 1, TARGET_POSITION: 100})
        await shutter.put({HOLD: True})
        await house.logged("house: shutter stops")
        await shutter.shows({MOVEMENT: 2})
        await eventually(lambda: shutter.values[POSITION] == shutter.values[TARGET_POSITION] < 100, 5, shutter.events)
        await shutter.put({TARGET_POSITION: 0})
        await house.logged("house: shutter closes")
        await shutter.shows({MOVEMENT: 0})
        await shutter.shows({MOVEMENT: 2, POSITION: 0, TARGET_POSITION: 0})


async def test_garage_door_and_valve_open_and_close(daemon, house):
    async with controller(daemon, "House Garage", "House Tap") as (garage, tap), hand(house) as change:
        assert garage.values[DOOR] == 0, "half open is open"
        for target, moving, text in [(1, 3, "closes"), (0, 2, "opens")]:
            garage.events.clear()
            await garage.put({TARGET_DOOR: target})
            await house.logged(f"house: garage {text}")
            await garage.shows({DOOR: target, TARGET_DOOR: target})
            assert (DOOR, moving) in garage.events, garage.events
        assert (tap.values[ACTIVE], tap.values[IN_USE]) == (1, 1)
        await tap.put({ACTIVE: 0})
        await house.logged("house: tap closes")
        await tap.shows({ACTIVE: 0, IN_USE: 0})
        change("Open Tap")
        await tap.shows({ACTIVE: 1, IN_USE: 1})


async def test_lock_locks_and_shows_local_changes(daemon, house):
    async with controller(daemon, "House Front") as (front,), hand(house) as change:
        assert front.values[LOCK] == 3, "it doesn't know its state yet"
        await front.put({TARGET_LOCK: 1})
        await house.logged("house: front locks")
        await front.shows({LOCK: 1, TARGET_LOCK: 1})
        await front.put({TARGET_LOCK: 0})
        await house.logged("house: front unlocks")
        await front.shows({LOCK: 0, TARGET_LOCK: 0})
        await front.put({TARGET_LOCK: 1})
        await front.shows({LOCK: 1, TARGET_LOCK: 1})
        change("Turn Key")
        await front.shows({LOCK: 0, TARGET_LOCK: 0})
        change("Jam Key")
        await front.shows({LOCK: 2})


async def test_alarm_panel_is_armed_triggered_and_disarmed(daemon, house):
    async with controller(daemon, "House Alarm") as (alarm,), hand(house) as change:
        assert (alarm.values[ALARM], alarm.values[TARGET_ALARM]) == (3, 3)
        for target, mode in (0, "home"), (2, "night"), (1, "away"):
            alarm.events.clear()
            await alarm.put({TARGET_ALARM: target})
            await alarm.shows({ALARM: target, TARGET_ALARM: target})
            await house.logged(f"house: alarm armed {mode}")
        change("Break In", True)
        await house.logged("house: alarm triggered")
        await alarm.shows({ALARM: 4, TARGET_ALARM: 1})
        change("Break In", False)
        await alarm.put({TARGET_ALARM: 3})
        await alarm.shows({ALARM: 3, TARGET_ALARM: 3})


async def test_thermostat_with_one_set_point_heats(daemon, house):
    async with controller(daemon, "House Study") as (study,), hand(house) as change:
        assert {kind: study.values[kind] for kind in (ACTIVITY, MODE, TEMPERATURE, TARGET)} == {
            ACTIVITY: 0, MODE: 1, TEMPERATURE: 20, TARGET: 18}
        await study.put({TARGET: 22.5})
        await house.logged("house: study heats")
        await study.shows({TARGET: 22.5, ACTIVITY: 1})
        change("Set Room", 24.5)
        await study.shows({TEMPERATURE: 24.5, ACTIVITY: 0})
        await study.put({MODE: 0})
        await study.shows({MODE: 0})


async def test_thermostats_with_two_set_points_change_modes(daemon, house):
    async with controller(daemon, "House Loft", "House Cellar") as (loft, cellar), hand(house) as change:
        assert {kind: loft.values[kind] for kind in (MODE, TEMPERATURE, HEATING, COOLING, HUMIDITY)} == {
            MODE: 3, TEMPERATURE: 20, HEATING: 18, COOLING: 25, HUMIDITY: 47}
        await loft.put({HEATING: 22, COOLING: 26})
        await house.logged("house: loft heats")
        await loft.shows({HEATING: 22, COOLING: 26, ACTIVITY: 1})
        await loft.put({MODE: 2})
        await house.logged("house: loft cooling")
        await loft.shows({MODE: 2, TARGET: 26})
        await loft.put({TARGET: 19})
        await loft.shows({TARGET: 19, COOLING: 19})
        await cellar.put({HEATING: 21, COOLING: 23})
        await house.logged("house: cellar heats")
        await cellar.shows({HEATING: 21, COOLING: 23, ACTIVITY: 1})
        change("Set Room", 30)
        await house.logged("house: cellar cools")
        await cellar.shows({TEMPERATURE: 30, ACTIVITY: 2})
        await loft.shows({TEMPERATURE: 30, ACTIVITY: 2})


async def test_water_heater_heats(daemon, house):
    async with controller(daemon, "House Boiler") as (boiler,), hand(house) as change:
        assert (boiler.values[MODE], boiler.values[TEMPERATURE]) == (0, 45)
        await boiler.put({MODE: 1, TARGET: 50})
        await house.logged("house: boiler is set")
        await boiler.shows({MODE: 1, TARGET: 50})
        change("Set Water", 48.5)
        await boiler.shows({TEMPERATURE: 48.5})
        await boiler.put({MODE: 0})
        await boiler.shows({MODE: 0})


async def test_fan_starts_and_changes_its_speed(daemon, house):
    async with controller(daemon, "House Fan") as (fan,):
        await fan.put({ACTIVE: 1, SPEED: 33, DIRECTION: 1, SWING: 1})
        await fan.shows({ACTIVE: 1, SPEED: 33, DIRECTION: 1, SWING: 1})
        for text in ("turns", "at 1", "changes direction", "oscillates"):
            await house.logged(f"house: fan {text}")
        await fan.put({ACTIVE: 0})
        await house.logged("house: fan rests")
        await fan.shows({ACTIVE: 0})


async def test_sensors_report_their_values(daemon, house):
    before = {"69": 0, "90": 7, "92": 0, "93": 700, "C6": 7, "C7": 14, "C8": 21, "6B": 70, "68": 87, "22": False, "71": 0,
              "70": 0, "76": 0, "6A": 0, "7A": 0, TEMPERATURE: 20, HUMIDITY: 47, POWER: 57, ENERGY: 7}
    async with controller(daemon, "House") as (sensors,), hand(house) as change:
        await sensors.shows(before)
        change("Set Sensors", 15)
        await sensors.shows({"90": 15, "93": 1500, "C6": 15, "C7": 30, "C8": 45, "6B": 150, "68": 95, "22": True, "71": 1,
                             "70": 1, "76": 1, HUMIDITY: 55, "92": 1, POWER: 65, ENERGY: 15})
        change("Break In", True)
        await sensors.shows({"6A": 1})
        change("Set Room", -12.5)
        await sensors.shows({TEMPERATURE: -12.5})
        tampered = daemon.lights[f"esphome/{MAC}/sensors"]["tamper"]
        assert tampered is True


async def test_buttons_and_doorbells_report_presses(daemon, house):
    async with Phone() as phone:
        pairing = await phone.pair(daemon.status["deviceId"], daemon.setup_code)
        places = {
            (accessory["aid"], item["iid"]): service["type"][6:8].upper()
            for accessory in await pairing.list_accessories_and_characteristics() for service in accessory["services"]
            for item in service["characteristics"] if item["type"].startswith("00000073")}
        assert len(places) == 3, "two buttons and the doorbell"
        seen = []
        pairing.dispatcher_connect(lambda event: seen.extend(one["value"] for key, one in event.items() if key in places))
        await pairing.subscribe(list(places))
        async with hand(house) as change:
            change("Press")
            await eventually(lambda: seen == [1], 5, f"a double press: {seen}")
            change("Ring")
            await eventually(lambda: seen == [1, 0, 0], 5, f"the doorbell and its button: {seen}")


async def test_app_button_is_pressed_once_and_resets(daemon, house):
    async with controller(daemon, "House Open Tap", "House Tap") as (button, tap):
        await tap.put({ACTIVE: 0})
        await tap.shows({ACTIVE: 0})
        await button.put({ON: True})
        await tap.shows({ACTIVE: 1, IN_USE: 1})
        await button.shows({ON: False})
        assert button.events == [(ON, True), (ON, False)], "aiohomekit reports its own command, too"
        assert house.log.count("house: tap is opened") == 1
