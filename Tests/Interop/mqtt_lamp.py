"""A lamp made with ha-mqtt-discoverable, an independent implementation of discovery, states and commands.

Run as `mqtt_lamp.py PORT`. It announces itself and executes commands until its input ends. It prints each executed command as a
line of JSON.
"""

import json
import sys
import threading

from ha_mqtt_discoverable import DeviceInfo, Settings
from ha_mqtt_discoverable.sensors import Light, LightInfo


def main():
    device = DeviceInfo(name="Den lamp", identifiers=["den-1"], manufacturer="Maker", model="M1", sw_version="1.2.3")
    info = LightInfo(
        name="Den", unique_id="den-1-light", device=device, brightness=True, color_mode=True,
        supported_color_modes=["hs"], retain=False)
    made = threading.Event()

    def commanded(_client, _user_data, message):
        made.wait()
        change = json.loads(message.payload)
        if "color" in change:
            light.color("hs", change["color"])
        if "brightness" in change:
            light.brightness(change["brightness"])
        if "state" in change:
            light.on() if change["state"] == "ON" else light.off()
        print(json.dumps(change), flush=True)

    light = Light(Settings(mqtt=Settings.MQTT(host="127.0.0.1", port=int(sys.argv[1])), entity=info), commanded)
    light.off()
    made.set()
    sys.stdin.read()


main()
