"""Devices with a target state on MQTT, as Home Assistant's documentation describes them; the test determines their states.

Run as `mqtt_target_states.py PORT`. It announces the devices and prints each command as a line of JSON. Lines of JSON on its
standard input are states: `{"topic": "lock/state", "text": "LOCKED"}`.
"""

import json
import sys

from paho.mqtt import client as mqtt


def device(name):
    return {"unique_id": name.lower(), "name": None, "device": {"identifiers": [name.lower()], "name": name}}


ANNOUNCEMENTS = {
    "lock/front": {"command_topic": "lock/set", "state_topic": "lock/state", **device("Front")},
    "cover/garage": {
        "command_topic": "door/set", "state_topic": "door/state", "device_class": "garage", **device("Garage")},
    "alarm_control_panel/house": {
        "command_topic": "alarm/set", "state_topic": "alarm/state", "supported_features": ["arm_home", "arm_away"],
        "code": "4711", "command_template": "{{ action }} {{ code }}", "code_arm_required": False, **device("House")},
}

client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2)
client.on_message = lambda _client, _data, message: print(
    json.dumps({message.topic: message.payload.decode()}), flush=True)
client.connect("127.0.0.1", int(sys.argv[1]))
client.subscribe("+/set")
client.loop_start()
for name, announcement in ANNOUNCEMENTS.items():
    client.publish(f"homeassistant/{name}/config", json.dumps(announcement), retain=True)
client.publish("lock/state", "LOCKED", retain=True)
client.publish("door/state", "closed", retain=True)
client.publish("alarm/state", "disarmed", retain=True)
for line in sys.stdin:
    message = json.loads(line)
    client.publish(message["topic"], message["text"], retain=True)
