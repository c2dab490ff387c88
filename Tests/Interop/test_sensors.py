"""Fans and sensors, made by others on a real broker and simulated, are HomeKit's to controllers made by others."""

import asyncio
import json
import subprocess
import sys
import time
from pathlib import Path

import pytest
from conftest import configuration
from controllers import Phone, eventually, named, shape, short
from lan import PATIENCE, end, until
from test_mqtt import note_events

MOTION_SENSOR, CONTACT_SENSOR, TEMPERATURE_SENSOR, HUMIDITY_SENSOR, BATTERY, FAN = "85", "80", "8A", "82", "96", "B7"
MOTION, CONTACT, TEMPERATURE, HUMIDITY, LEVEL, LOW, STATUS_ACTIVE = "22", "6A", "11", "10", "68", "79", "75"
ACTIVE, SPEED, DIRECTION, SWING = "B0", "29", "28", "B6"
ALL = ["lights", "switches", "outlets", "fans", "sensors"]
HALL = "mqtt/hall-1/sensors"


class Sensor:
    """mqtt_sensor.py on the host `bridge`."""

    def __init__(self, host, port):
        self.process = host.popen(
            sys.executable, Path(__file__).with_name("mqtt_sensor.py"), str(port), stdin=subprocess.PIPE, text=True)

    def read(self, **values):
        self.process.stdin.write(json.dumps(values) + "\n")
        self.process.stdin.flush()

    def close(self):
        self.process.stdin.close()
        end(self.process)


@pytest.fixture
def sensor(lan, broker):
    made = Sensor(lan.bridge, broker.port)
    yield made
    made.close()


def settings(broker, include, **bridge):
    drivers = [{"driver": "mqtt", "url": broker.url, "discovery": {"home-assistant": "homeassistant"}}]
    return configuration(drivers=drivers, **bridge) | {"include": include}


def say(sensor, daemon, said, **shown):
    """Says it until it is shown: what is said before the bridge listens is lost, since it is not retained."""
    def is_shown():
        sensor.read(**said)
        light = daemon.lights.get(HALL)
        return light if light and light["reachable"] and shown.items() <= light.items() else None

    return until(is_shown, 10, f"the sensor is there with {shown}", interval=0.3)


def services(accessories, name):
    aid, _ = named(accessories, name)
    accessory = next(one for one in accessories if one["aid"] == aid)
    return aid, {
        short(service["type"]): {short(one["type"]): (one["iid"], one.get("value")) for one in service["characteristics"]}
        for service in accessory["services"]
    }


async def test_readings_of_one_device_are_one_accessory_also_those_that_come_later(make_daemon, broker, sensor):
    daemon = make_daemon(settings(broker, ALL))
    daemon.until_published()
    await asyncio.to_thread(
        say, sensor, daemon, {"temperature": 70.7, "battery": 15}, temperature=21.5, battery=15)
    async with Phone() as phone:
        pairing = await phone.pair(daemon.status["deviceId"], daemon.setup_code)
        accessories = await pairing.list_accessories_and_characteristics()
        aid, before = services(accessories, "Hall sensor")
        assert before[TEMPERATURE_SENSOR][TEMPERATURE][1] == 21.5
        assert before[TEMPERATURE_SENSOR][STATUS_ACTIVE][1] is True
        assert before[BATTERY][LEVEL][1] == 15 and before[BATTERY][LOW][1] == 1
        formerly = shape(accessories)
        said = {"motion": False, "contact": False, "humidity": 40}
        await asyncio.to_thread(say, sensor, daemon, said, motion=False, contact=True, humidity=40)
        accessories = await pairing.list_accessories_and_characteristics()
        again, now = services(accessories, "Hall sensor")
        assert again == aid and formerly <= shape(accessories), "aid and iids stay"
        assert {MOTION_SENSOR, CONTACT_SENSOR, HUMIDITY_SENSOR} <= now.keys()
        assert now[CONTACT_SENSOR][CONTACT][1] == 0 and now[HUMIDITY_SENSOR][HUMIDITY][1] == 40


async def test_motion_and_contact_reach_a_subscriber_at_once(make_daemon, broker, sensor):
    window = 5
    daemon = make_daemon(settings(broker, ALL, **{"event-window": f"{window}s"}))
    daemon.until_published()
    said = {"motion": False, "contact": False, "temperature": 50}
    await asyncio.to_thread(say, sensor, daemon, said, motion=False, contact=True, temperature=10)
    async with Phone() as phone:
        pairing = await phone.pair(daemon.status["deviceId"], daemon.setup_code)
        aid, parts = services(await pairing.list_accessories_and_characteristics(), "Hall sensor")
        motion, contact, temperature = (
            (aid, parts[service][kind][0])
            for service, kind in [
                (MOTION_SENSOR, MOTION), (CONTACT_SENSOR, CONTACT), (TEMPERATURE_SENSOR, TEMPERATURE)])
        events = []
        note_events(pairing, events)
        await pairing.subscribe([motion, contact, temperature])
        began = time.monotonic()
        sensor.read(temperature=68)
        await eventually(lambda: (temperature, 20) in events, 2, "the first change")
        sensor.read(temperature=69.8)
        for change, event in [
            ({"motion": True}, (motion, True)), ({"contact": True}, (contact, 1)), ({"motion": False}, (motion, False))]:
            sensor.read(**change)
            await eventually(lambda event=event: event in events, 1, f"{change} within the window")
        assert time.monotonic() - began < window * PATIENCE
        assert (temperature, 21) in events, "what waited went along"


async def test_a_kind_that_is_taken_out_and_put_back_has_its_numbers(make_daemon, broker, sensor):
    daemon = make_daemon(settings(broker, ["lights", "sensors"]))
    daemon.until_published()
    await asyncio.to_thread(say, sensor, daemon, {"temperature": 50}, temperature=10)
    async with Phone() as phone:
        pairing = await phone.pair(daemon.status["deviceId"], daemon.setup_code)
        before = shape(await pairing.list_accessories_and_characteristics())
        daemon.configure(settings(broker, ["lights"]))
        await asyncio.to_thread(daemon.cli, "reload")
        assert HALL not in daemon.lights
        assert len(await pairing.list_accessories_and_characteristics()) == 1
        refused = await asyncio.to_thread(daemon.cli, "lights", "forget", HALL, check=False)
        assert "there is no light" in refused.stderr
        daemon.configure(settings(broker, ["lights", "sensors"]))
        await asyncio.to_thread(daemon.cli, "reload")
        await asyncio.to_thread(say, sensor, daemon, {}, temperature=10)
        assert shape(await pairing.list_accessories_and_characteristics()) == before


async def test_a_simulated_fan_and_sensor_can_be_tried(make_daemon):
    lights = [
        {"id": "fan", "name": "Fan", "kind": "fan", "speed": True, "direction": True, "oscillation": True},
        {"id": "hall", "name": "Hall", "kind": "sensor", "readings": ["motion", "temperature"]},
    ]
    daemon = make_daemon(configuration(lights=lights) | {"include": ALL})
    daemon.until_published()
    async with Phone() as phone:
        pairing = await phone.pair(daemon.status["deviceId"], daemon.setup_code)
        accessories = await pairing.list_accessories_and_characteristics()
        aid, parts = services(accessories, "Fan")
        fan = {kind: (aid, parts[FAN][kind][0]) for kind in (ACTIVE, SPEED, DIRECTION, SWING)}
        writes = {ACTIVE: 1, SPEED: 40.0, DIRECTION: 1, SWING: 1}
        assert await pairing.put_characteristics([(*fan[kind], value) for kind, value in writes.items()]) == {}
        shown = daemon.lights["simulated/fan"]
        assert {"on": True, "speed": 40, "direction": "counterclockwise", "oscillates": True}.items() <= shown.items()
        aid, parts = services(accessories, "Hall")
        motion = (aid, parts[MOTION_SENSOR][MOTION][0])
        events = []
        note_events(pairing, events)
        await pairing.subscribe([motion, fan[SPEED]])
        await asyncio.to_thread(daemon.cli, "simulate", "simulated/hall", "motion=true", "temperature=21.5")
        await eventually(lambda: (motion, True) in events, 2, "motion")
        assert daemon.lights["simulated/hall"]["temperature"] == 21.5
        await asyncio.to_thread(daemon.cli, "simulate", "simulated/fan", "speed=70", "on=false")
        await eventually(lambda: (fan[SPEED], 70) in events, 2, "the speed")
