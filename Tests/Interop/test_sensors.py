"""A sensor of ha-mqtt-discoverable on a real broker is shown as an accessory to aiohomekit."""

import asyncio

import pytest
from conftest import configuration
from controllers import Phone, named, shape, short
from lan import until
from scripted_device import Script

MOTION_SENSOR, CONTACT_SENSOR, TEMPERATURE_SENSOR, HUMIDITY_SENSOR, BATTERY = "85", "80", "8A", "82", "96"
CONTACT, TEMPERATURE, HUMIDITY, LEVEL, LOW, STATUS_ACTIVE = "6A", "11", "10", "68", "79", "75"
HALL = "mqtt/hall-1/sensors"


class Sensor(Script):
    script = "mqtt_sensor.py"


@pytest.fixture
def sensor(lan, broker):
    made = Sensor(lan.bridge, broker.port)
    yield made
    made.stop()


def say(sensor, daemon, said, **shown):
    """Repeat the readings until they are shown, because they aren't retained and the bridge may not have subscribed yet."""
    def is_shown():
        sensor.send(**said)
        light = daemon.lights.get(HALL)
        return light if light and light["reachable"] and shown.items() <= light.items() else None

    return until(is_shown, 10, f"the sensor has {shown}", interval=0.3)


def services(accessories, name):
    aid, _ = named(accessories, name)
    accessory = next(one for one in accessories if one["aid"] == aid)
    return aid, {
        short(service["type"]): {short(one["type"]): (one["iid"], one.get("value")) for one in service["characteristics"]}
        for service in accessory["services"]
    }


async def test_device_is_one_accessory_and_keeps_its_ids_when_readings_are_added(make_daemon, broker, sensor):
    drivers = [{"driver": "mqtt", "url": broker.url, "discovery": {"home-assistant": "homeassistant"}}]
    daemon = make_daemon(configuration(drivers=drivers) | {"include": ["lights", "sensors"]})
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
        assert again == aid and formerly <= shape(accessories), "aid and iids don't change"
        assert {MOTION_SENSOR, CONTACT_SENSOR, HUMIDITY_SENSOR} <= now.keys()
        assert now[CONTACT_SENSOR][CONTACT][1] == 0 and now[HUMIDITY_SENSOR][HUMIDITY][1] == 40
