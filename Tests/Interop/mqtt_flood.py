"""A light that sends messages without pause: `mqtt_flood.py PORT` announces it and sends long states until its input ends.

Each message has the maximum accepted length, a quarter of a megabyte, and is sent once the broker has received the previous
one. At the end, the script prints the number of messages.
"""

import json
import sys
import threading

import paho.mqtt.client as mqtt

LENGTH = 256 * 1024


def main():
    client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2)
    client.connect("127.0.0.1", int(sys.argv[1]))
    client.loop_start()
    announcement = {"unique_id": "noise", "name": "Noise", "schema": "json", "brightness": True,
                    "command_topic": "noise/set", "state_topic": "noise"}
    client.publish("homeassistant/light/noise/config", json.dumps(announcement), qos=1).wait_for_publish()
    ends = threading.Event()
    threading.Thread(target=lambda: (sys.stdin.read(), ends.set()), daemon=True).start()
    count = 0
    while not ends.is_set():
        state = {"state": "ON", "brightness": count % 254 + 1, "filler": []}
        state["filler"] = [1] * ((LENGTH - len(json.dumps(state)) - 10) // 3)
        client.publish("noise", json.dumps(state), qos=1).wait_for_publish()
        count += 1
    print(count, flush=True)
    client.loop_stop()


main()
