"""An MQTT gateway with several lights. It runs until its input ends, and the broker reports it as offline if it dies.

`mqtt_gateway.py PORT [--lights N] [--user NAME --password WORDS] [--ca FILE]` announces its lights and executes commands.
"""

import argparse
import json
import sys

import paho.mqtt.client as mqtt


class Gateway:
    def __init__(self, words):
        self.words, self.presence = words, "gateway/bridge/state"
        self.states = {number: {"state": "OFF", "brightness": 254} for number in range(words.lights)}
        self.client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2)
        self.client.will_set(self.presence, "offline", qos=1, retain=True)
        if words.user:
            self.client.username_pw_set(words.user, words.password)
        if words.ca:
            self.client.tls_set(ca_certs=words.ca)
        self.client.reconnect_delay_set(1, 1)
        self.client.on_connect = self.connected
        self.client.on_message = self.commanded
        self.client.connect("localhost" if words.ca else "127.0.0.1", words.port)

    def connected(self, client, *_):
        client.subscribe("gateway/+/set", qos=1)
        for number, state in self.states.items():
            topic = f"gateway/{number}"
            announcement = {
                "unique_id": f"g{number}", "name": f"Lamp {number}", "schema": "json", "brightness": True,
                "brightness_scale": 254, "command_topic": f"{topic}/set", "state_topic": topic,
                "availability": [{"topic": self.presence}],
                "device": {"identifiers": [f"g{number}"], "suggested_area": "Hall"}}
            client.publish(f"homeassistant/light/g{number}/config", json.dumps(announcement), qos=1, retain=True)
            client.publish(topic, json.dumps(state), qos=1, retain=True)
        client.publish(self.presence, "online", qos=1, retain=True)

    def commanded(self, client, _user_data, message):
        number = int(message.topic.split("/")[-2])
        self.states[number].update(json.loads(message.payload))
        client.publish(f"gateway/{number}", json.dumps(self.states[number]), qos=1, retain=True)

    def run(self):
        self.client.loop_start()
        sys.stdin.read()
        self.client.loop_stop()


def main():
    words = argparse.ArgumentParser()
    words.add_argument("port", type=int)
    words.add_argument("--lights", type=int, default=1)
    for name in ("user", "password", "ca"):
        words.add_argument(f"--{name}")
    Gateway(words.parse_args()).run()


main()
