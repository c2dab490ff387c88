"""Lamps on an MQTT broker (ha-mqtt-discoverable): they execute commands, change independently, disappear and return.

The first input line contains the broker and the number of lamps. Later lines, `{"do": "vanish"}` or `{"do": "appear"}` with a
lamp's number, remove or publish the lamp's discovery message.
"""

import json
import random
import sys
import threading
import time

from ha_mqtt_discoverable import DeviceInfo, Settings
from ha_mqtt_discoverable.sensors import Light, LightInfo


class Lamp:
    def __init__(self, number, port):
        #: The watchers write to the first lamps; the other lamps change independently.
        self.is_lively = number > 3
        self.is_there = True
        self.made = threading.Event()
        device = DeviceInfo(name=f"Lively {number}" if self.is_lively else f"Lamp {number}", identifiers=[f"soak-{number}"])
        info = LightInfo(
            name="Light", unique_id=f"soak-{number}", device=device, brightness=True, color_mode=True,
            supported_color_modes=["hs"], retain=False)
        self.light = Light(
            Settings(mqtt=Settings.MQTT(host="127.0.0.1", port=port), entity=info, manual_availability=True), self.commanded)
        connected = self.light.mqtt_client.on_connect

        def announce(client, *arguments):
            connected(client, *arguments)
            if self.is_there and self.made.is_set():
                self.announce()

        # A killed broker loses all messages.
        self.light.mqtt_client.on_connect = announce
        self.light.mqtt_client.reconnect_delay_set(1, 2)
        self.obey({"state": "OFF"})
        self.made.set()
        self.announce()

    def announce(self):
        self.light.write_config()
        self.light.set_availability(True)
        self.obey(self.last)

    def commanded(self, _client, _user_data, message):
        self.made.wait()
        self.obey(json.loads(message.payload))

    def obey(self, change):
        self.last = change
        if "color" in change:
            self.light.color("hs", change["color"])
        if "brightness" in change:
            self.light.brightness(change["brightness"])
        if "state" in change:
            self.light.on() if change["state"] == "ON" else self.light.off()

    def live(self):
        if self.is_lively and self.is_there and self.light.mqtt_client.is_connected():
            self.obey(random.choice([{"state": "ON"}, {"state": "OFF"}, {"brightness": random.randint(1, 255)}]))

    def vanish(self):
        self.is_there = False
        self.light.delete()

    def appear(self):
        self.is_there = True
        self.announce()


def main():
    told = json.loads(sys.stdin.readline())
    lamps = [Lamp(number, told["port"]) for number in range(1, told["lamps"] + 1)]

    def live():
        while True:
            time.sleep(told["pause"])
            random.choice(lamps).live()

    threading.Thread(target=live, daemon=True).start()
    print(json.dumps({"ready": True}), flush=True)
    for line in sys.stdin:
        order = json.loads(line)
        getattr(lamps[order["lamp"] - 1], order["do"])()


main()
