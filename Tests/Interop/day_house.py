"""The house of web_day.py: hub, bridge, sensors, page, and everything that changes in eight hours.

Truth is read from the devices: the lamps from the bridge, the sensors from the values that were typed into hapsim.
"""

import contextlib
import json
import random
import re
import subprocess
import threading
import time
from pathlib import Path

from daemon import program
from home_figures import Control, LargeHome
from lan import end, until
from web import Page

ROOMS = ["Bath", "Bedroom", "Cellar", "Garage", "Hall", "Kitchen", "Living Room", "Nursery", "Study", "Workshop"]
LAMPS_OF_ROOM = 14
#: The changes of eight hours in a busy home with ten rooms.
DAY = {
    "temperature": 4800,  # each room: once a minute
    "humidity": 2400,  # each room: every two minutes
    "motion": 3200,  # each room: twenty times an hour, on and off; each switches a lamp by an automation
    "light": 960,  # outdoors: every 30 seconds
    "contact": 240,  # windows and doors
    "elsewhere": 900,  # lamps by wall switches and other apps
    "command": 200,  # lamps by scripts with `homehub write`
    "tap": 300,  # lamps by taps on the page, half of them on the phone
    "drag": 60,  # lamps dimmed by a drag on the page
    "visit": 200,  # pages opened by a person who looks around, among them graphs and the activity
}
#: The place of a lamp in its room decides who changes it, so that the result of each change can be checked.
AUTOMATED, COMMANDED, TAPPED, DRAGGED = 1, 2, 3, 4

SENSORS = """name: House Sensors
code: 518-42-675

accessories:
  - name: Terrace Brightness
    services: [{type: LightSensor, characteristics: {CurrentAmbientLightLevel: 300}}]
  - name: Terrace Door
    services: [{type: ContactSensor, characteristics: {ContactSensorState: 0}}]
""" + "".join(f"""  - name: {room} Climate
    services:
      - {{type: TemperatureSensor, characteristics: {{CurrentTemperature: 20}}}}
      - {{type: HumiditySensor, characteristics: {{CurrentRelativeHumidity: 45}}}}
  - name: {room} Motion
    services: [{{type: MotionSensor, characteristics: {{MotionDetected: false}}}}]
""" for room in ROOMS)


def lamp(room, place):
    """Return the number of a lamp by the index of its room and its place there, which counts from 1."""
    return room * LAMPS_OF_ROOM + place


class House:
    """Hub, bridge, sensors and page on one host of a simulated LAN."""

    def __init__(self, host, directory):
        self.host = host
        self.directory = Path(directory)
        self.large = LargeHome(host, directory, lights=len(ROOMS) * LAMPS_OF_ROOM)
        self.home, self.bridge = self.large.home, self.large.bridge
        self.page = Page(host, self.home, self.directory / "page")
        self.sensors = None
        #: The words that the hub must have for each sensor, by the name that `homehub accessories --by kind` prints.
        self.typed = {}
        #: The beginning of the states that people chose on the page, by the numbers of lamps.
        self.chosen = {}
        #: The number of changes so far, by kind.
        self.done = dict.fromkeys(DAY, 0)
        self.random = random.Random(1)

    def start(self):
        self.large.start()
        self.large.add()
        file = self.directory / "sensors.yaml"
        file.write_text(SENSORS)
        self.sensors = self.host.popen(
            program("hapsim"), file, "--state-directory", self.directory / "sensors", stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, text=True)
        until(lambda: self.home.add("518-42-675", "House Sensors", check=False).returncode == 0, 60, "the sensors are added")
        for index, room in enumerate(ROOMS):
            lamps = [f"Lamp {lamp(index, place)}" for place in range(1, LAMPS_OF_ROOM + 1)]
            self.home.cli("rooms", "add", room)
            self.home.cli("assign", *lamps, f"{room} Climate", f"{room} Motion", room)
            self.automate(room, lamps[AUTOMATED - 1])
            for kind in ("temperature", "humidity", "motion"):
                self.report(kind, room)
        for kind in ("light", "contact"):
            self.report(kind, None)
        self.page.start()
        return self

    def automate(self, room, name):
        for title, event, change in (("On", "motion", "on brightness=80"), ("Off", "no motion", "off")):
            self.home.cli(
                "automations", "add", f"{room} {title}", "--when", f"{room} motion {event}", "--set", f"{name} {change}")

    def close(self):
        self.page.close()
        if self.sensors:
            end(self.sensors)
        self.large.close()

    @property
    def processes(self):
        return {"homeweb": self.page.process, "homehubd": self.home.process, "lamplighterd": self.bridge.process}

    # Changes

    def report(self, kind, room):
        """Type another value of a sensor."""
        def other(former, values):
            return self.random.choice([value for value in values if value != former])

        if kind == "temperature":
            name = f"{room} Climate/Temperature Sensor"
            value = other(self.typed.get(name), [f"{tenth / 10:g} °C" for tenth in range(180, 240)])
            line = f"{room} Climate/CurrentTemperature={value.split()[0]}"
        elif kind == "humidity":
            name = f"{room} Climate/Humidity Sensor"
            value = other(self.typed.get(name), [f"{percent} %" for percent in range(35, 65)])
            line = f"{room} Climate/CurrentRelativeHumidity={value.split()[0]}"
        elif kind == "motion":
            name = f"{room} Motion"
            value = other(self.typed.get(name), ["motion", "no motion"])
            line = f"{name}/MotionDetected={'true' if value == 'motion' else 'false'}"
        elif kind == "light":
            name = "Terrace Brightness"
            value = other(self.typed.get(name), [f"{lux} lx" for lux in range(100, 900)])
            line = f"{name}/CurrentAmbientLightLevel={value.split()[0]}"
        else:
            name = "Terrace Door"
            value = other(self.typed.get(name), ["open", "closed"])
            line = f"{name}/ContactSensorState={1 if value == 'open' else 0}"
        self.typed[name] = value
        self.sensors.stdin.write(line + "\n")
        self.sensors.stdin.flush()

    def changes(self, kinds, share):
        """Return the changes of a share of the day in random order, each with its moment from 0 to 1."""
        changes = []
        for kind in kinds:
            # Rounds have whole changes, and the day has the stated number.
            due = round(DAY[kind] * share) - self.done[kind]
            self.done[kind] += due
            changes += [(self.random.random(), kind) for _ in range(due)]
        return sorted(changes)

    def run(self, seconds, share):
        """Start the changes that need no browser, and return their threads."""
        threads = [
            threading.Thread(target=self._follow, args=(self.changes(kinds, share), seconds, action))
            for kinds, action in [
                (("temperature", "humidity", "motion", "light", "contact"), self._report), (("elsewhere",), self._switch),
                (("command",), self._command)]]
        for thread in threads:
            thread.start()
        return threads

    def _follow(self, changes, seconds, action):
        began = time.monotonic()
        for moment, kind in changes:
            time.sleep(max(0.0, began + moment * seconds - time.monotonic()))
            action(kind)

    def _report(self, kind):
        self.report(kind, self.random.choice(ROOMS))

    def _switch(self, _):
        number = lamp(self.random.randrange(len(ROOMS)), self.random.randint(DRAGGED + 1, LAMPS_OF_ROOM))
        # The bridge may be starting again.
        with contextlib.suppress(OSError, ValueError):
            Control(self.bridge.socket).simulate(
                f"simulated/lamp{number}", on=self.random.random() < 0.6, brightness=self.random.randint(1, 100))

    def _command(self, _):
        number = lamp(self.random.randrange(len(ROOMS)), COMMANDED)
        # The hub or the bridge may be starting again.
        self.home.cli("write", f"Lamp {number}", self.random.choice(["on", "off", "brightness=30"]), check=False)

    # Truth

    @property
    def lamps(self):
        """The state of each lamp in words, from the bridge."""
        return {
            light["name"]: f"on, {light['brightness']} %" if light["on"] else "off" for light in self.bridge.lights.values()}

    @property
    def known(self):
        """The state of each accessory and its parts in words, from the hub."""
        lines = self.home.cli("accessories", "--by", "kind").stdout.splitlines()
        return dict(found.groups() for found in (re.match(r"  (\S.*?)  +(\S.*)$", line) for line in lines) if found)

    def differences(self):
        """Return what the hub doesn't know yet, or knows wrong: name, value of the hub, value of the device."""
        known, lamps = self.known, self.lamps
        wrong = [(name, known.get(name), state) for name, state in (lamps | self.typed).items() if known.get(name) != state]
        return wrong + [
            (f"Lamp {number}", lamps[f"Lamp {number}"], f"{state} (chosen on the page)")
            for number, state in self.chosen.items() if not lamps[f"Lamp {number}"].startswith(state)]


def memory(process):
    """Return the proportional set size and the private, dirty memory of a process in MB."""
    text = Path(f"/proc/{process.pid}/smaps_rollup").read_text()
    return {name: round(int(re.search(rf"^{key}:\s+(\d+)", text, re.M)[1]) / 1024, 2)
            for name, key in (("pss", "Pss"), ("dirty", "Private_Dirty"))}


def save(path, value):
    path.write_text(json.dumps(value, indent=1, ensure_ascii=False) + "\n")
