"""A blind on MQTT, as Home Assistant's documentation of MQTT covers describes it, with a motor that takes a second.

Run as `mqtt_cover.py PORT`. It announces itself, and prints each command as a line of JSON. Lines of JSON on its standard
input are movements by hand: `{"position": 70}`.
"""

import json
import sys
import threading
import time

from paho.mqtt import client as mqtt

ANNOUNCEMENT = {
    "unique_id": "den-blind", "name": None, "device_class": "blind", "command_topic": "blind/set",
    "set_position_topic": "blind/position/set", "position_topic": "blind/position", "state_topic": "blind/state",
    "position_open": 200, "tilt_command_topic": "blind/tilt/set", "tilt_status_topic": "blind/tilt", "device": {"identifiers": ["den-blind"], "name": "Den blind"},
}


class Blind:
    def __init__(self, port):
        self.position, self.tilt, self.moves = 0, 50, 0
        self.client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2)
        self.client.on_message = self.commanded
        self.client.connect("127.0.0.1", port)
        for topic in ("blind/position/set", "blind/tilt/set", "blind/set"):
            self.client.subscribe(topic)
        self.client.loop_start()
        self.publish("closed")
        self.client.publish("homeassistant/cover/den-blind/config", json.dumps(ANNOUNCEMENT), retain=True)

    def publish(self, state):
        self.client.publish("blind/position", self.position, retain=True)
        self.client.publish("blind/tilt", self.tilt, retain=True)
        self.client.publish("blind/state", state, retain=True)

    def commanded(self, _client, _data, message):
        match message.topic:
            case "blind/set":
                print(json.dumps({"command": message.payload.decode()}), flush=True)
                self.moves += 1
                self.publish("stopped")
            case "blind/tilt/set":
                print(json.dumps({"tilt": int(message.payload)}), flush=True)
                self.tilt = int(message.payload)
                self.client.publish("blind/tilt", self.tilt, retain=True)
            case _:
                target = int(message.payload)
                print(json.dumps({"target": target}), flush=True)
                threading.Thread(target=self.move, args=(target,)).start()

    def move(self, target):
        """Move to a position, unless a newer command arrives in the meantime."""
        self.moves += 1
        move, start = self.moves, self.position
        for step in range(1, 5):
            self.publish("opening" if target > start else "closing")
            time.sleep(0.25)
            if move != self.moves:
                return
            self.position = start + (target - start) * step // 4
        self.publish("stopped")


blind = Blind(int(sys.argv[1]))
for line in sys.stdin:
    blind.move(json.loads(line)["position"])
