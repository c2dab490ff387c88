"""A gateway of many lights on MQTT whose radio loses messages.

`mqtt_gateway.py PORT [--lights N] [--prefix NAME] [--every N] [--user NAME --password WORDS] [--ca FILE]` announces its lights and obeys. Of the
messages between it and its lights one in EVERY is lost, whichever way it goes, but of no light two in a row. Each command that comes
is printed as a line of JSON, with the time and whether it was lost. A line of JSON on standard input is the state that all
lights have from then on, an empty one changes nothing; it is answered by what they show. When it dies, its broker says that it is offline.
"""

import argparse
import json
import random
import sys
import threading
import time

import paho.mqtt.client as mqtt


class Gateway:
    def __init__(self, words):
        self.words, self.random, self.last_lost, self.lock = words, random.Random(1), set(), threading.Lock()
        self.presence = f"{words.prefix}/bridge/state"
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
        client.subscribe(f"{self.words.prefix}/+/set", qos=1)
        for number, state in self.states.items():
            topic = f"{self.words.prefix}/{number}"
            announcement = {
                "unique_id": f"g{number}", "name": f"Lamp {number}", "schema": "json", "brightness": True,
                "brightness_scale": 254, "command_topic": f"{topic}/set", "state_topic": topic,
                "availability": [{"topic": self.presence}],
                "device": {"identifiers": [f"g{number}"], "suggested_area": "Hall"}}
            client.publish(f"homeassistant/light/g{number}/config", json.dumps(announcement), qos=1, retain=True)
            client.publish(topic, json.dumps(state), qos=1, retain=True)
        client.publish(self.presence, "online", qos=1, retain=True)

    def is_lost(self, number):
        """Whether the next message of a light is lost."""
        lost = self.words.every and self.random.random() < 1 / self.words.every and number not in self.last_lost
        (self.last_lost.add if lost else self.last_lost.discard)(number)
        return bool(lost)

    def commanded(self, client, _user_data, message):
        number = int(message.topic.split("/")[-2])
        with self.lock:
            lost = self.is_lost(number)
            print(json.dumps({"light": number, "time": time.monotonic(), "lost": lost}), flush=True)
            if lost:
                return
            self.states[number].update(json.loads(message.payload))
            if not self.is_lost(number):
                self.tell(number)

    def tell(self, number):
        self.client.publish(f"{self.words.prefix}/{number}", json.dumps(self.states[number]), qos=1, retain=True)

    def run(self):
        self.client.loop_start()
        for line in sys.stdin:
            change = json.loads(line)
            with self.lock:
                for number, state in self.states.items() if change else ():
                    state.update(change)
                    self.tell(number)
                print(json.dumps({"states": [self.states[number] for number in sorted(self.states)]}), flush=True)
        self.client.loop_stop()


def main():
    words = argparse.ArgumentParser()
    words.add_argument("port", type=int)
    for name, kind, value in [("lights", int, 1), ("prefix", str, "gateway"), ("every", int, 0), ("user", str, None),
                              ("password", str, None), ("ca", str, None)]:
        words.add_argument(f"--{name}", type=kind, default=value)
    Gateway(words.parse_args()).run()


main()
