"""A sensor made with ha-mqtt-discoverable, which announces each reading separately.

Run as `mqtt_sensor.py PORT`. Each line of JSON on standard input sets readings: `{"motion": true, "temperature": 21.5}`.
A reading announces itself when it is first set.
"""

import json
import sys

from ha_mqtt_discoverable import DeviceInfo, Settings
from ha_mqtt_discoverable.sensors import BinarySensor, BinarySensorInfo, Sensor, SensorInfo

UNITS = {"temperature": "°F", "humidity": "%", "battery": "%"}
CLASSES = {"contact": "door"}


def main():
    mqtt = Settings.MQTT(host="127.0.0.1", port=int(sys.argv[1]))
    device = DeviceInfo(name="Hall sensor", identifiers=["hall-1"], manufacturer="Maker", model="S1")
    made = {}

    def make(name):
        common = {
            "name": name, "unique_id": f"hall-1-{name}", "device": device, "device_class": CLASSES.get(name, name)}
        if name in UNITS:
            return Sensor(Settings(mqtt=mqtt, entity=SensorInfo(unit_of_measurement=UNITS[name], **common)))
        return BinarySensor(Settings(mqtt=mqtt, entity=BinarySensorInfo(**common)))

    for line in sys.stdin:
        for name, value in json.loads(line).items():
            if name not in made:
                made[name] = make(name)
                made[name].write_config()
            if isinstance(value, bool):
                made[name].on() if value else made[name].off()
            else:
                made[name].set_state(value)


main()
