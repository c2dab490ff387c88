"""Publishes the messages of many publishers on a broker: `mqtt_publishers.py PORT`.

Each line of JSON on standard input is a list of `[topic, payload, retained]` to publish, or a list of topics to listen to;
each message received is printed as one line of JSON, `[topic, payload]`.
"""

import json
import sys

import paho.mqtt.client as mqtt


def main():
    client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2)
    client.on_message = lambda _client, _data, message: print(
        json.dumps([message.topic, message.payload.decode()]), flush=True)
    client.connect("127.0.0.1", int(sys.argv[1]))
    client.loop_start()
    for line in sys.stdin:
        for item in json.loads(line):
            if isinstance(item, str):
                client.subscribe(item, 1)
            else:
                client.publish(item[0], item[1], qos=1, retain=item[2]).wait_for_publish()
    client.loop_stop()


main()
