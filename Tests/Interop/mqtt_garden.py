"""An irrigation controller with two valves on MQTT.

Run as `mqtt_garden.py PORT`. It announces the valves, and prints each command as a line of JSON. Lines of JSON on the standard
input are messages of the valves: `{"lawn": "open"}`.
"""

import json
import sys

from paho.mqtt import client as mqtt

DEVICE = {"identifiers": ["garden"], "name": "Garden"}
ANNOUNCEMENTS = {
    f"valve/{name}": {
        "unique_id": name, "name": name.title(), "command_topic": f"{name}/set", "state_topic": name,
        "payload_open": "open", "payload_close": "closed", "device_class": "water", "device": DEVICE}
    for name in ("lawn", "hedge")}
BEGINNING = {"lawn": "closed", "hedge": "closed"}


def publish(messages):
    for topic, value in messages.items():
        client.publish(topic, value, retain=True)


def commanded(_client, _data, message):
    topic, text = message.topic.removesuffix("/set"), message.payload.decode()
    print(json.dumps({topic: text}), flush=True)
    publish({topic: text})


client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2)
client.on_message = commanded
client.connect("127.0.0.1", int(sys.argv[1]))
for topic in BEGINNING:
    client.subscribe(f"{topic}/set")
client.loop_start()
publish(BEGINNING)
for topic, announcement in ANNOUNCEMENTS.items():
    client.publish(f"homeassistant/{topic}/config", json.dumps(announcement), retain=True)
for line in sys.stdin:
    publish(json.loads(line))
