"""Buttons on MQTT: a Zigbee remote as Zigbee2MQTT lists it, and a doorbell as in Home Assistant's documentation of MQTT events.

Run as `mqtt_buttons.py PORT`. Lines of JSON on its standard input are messages: `{"topic": "t", "text": "x", "retain": false}`.
"""

import json
import sys
import time

from paho.mqtt import client as mqtt

#: The exposes have the form of zigbee-herdsman-converters' `exposes.ts`.
DEVICES = [{
    "ieee_address": "0x00158d0001a2b3c4", "type": "EndDevice", "friendly_name": "Sofa",
    "definition": {"vendor": "Aqara", "model": "WXKG11LM", "exposes": [
        {"type": "numeric", "name": "battery", "property": "battery", "access": 1, "unit": "%"},
        {"type": "enum", "name": "action", "property": "action", "access": 1,
         "values": ["1_single", "1_double", "2_single", "2_hold", "release"]}]}}]
BELL = {
    "unique_id": "bell", "name": "Bell", "device_class": "doorbell", "state_topic": "door/bell", "event_types": ["ring"],
    "device": {"identifiers": ["door"], "name": "Door"}}

client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2)
client.connect("127.0.0.1", int(sys.argv[1]))
client.loop_start()
client.publish("zigbee2mqtt/bridge/state", json.dumps({"state": "online"}), retain=True)
client.publish("zigbee2mqtt/bridge/devices", json.dumps(DEVICES), retain=True)
client.publish("homeassistant/event/bell/config", json.dumps(BELL), retain=True)
for line in sys.stdin:
    message = json.loads(line)
    while not client.is_connected():
        time.sleep(0.02)
    client.publish(message["topic"], message["text"], qos=1, retain=message.get("retain", False)).wait_for_publish()
    print(json.dumps({"sent": message["text"]}), flush=True)
