"""Measures the time from a sensor's event to the write to a lamp by an automation. Prints JSON.

    sudo env HASS=/path/of/hass PROGRAMS=.build-static/release .venv/bin/python Tests/Interop/automation_figures.py [EVENTS]

The sensor and the lamp are one HAP-python accessory, which reports each change at once. An automation of the home hub controls
it first, then, with HASS, an automation of Home Assistant through homekit_controller. Times are in milliseconds, from the
request to report a sensor change until the lamp receives its new value. Each automation runs at most 20 times per minute.
"""

import json
import sys
import tempfile
import time
from pathlib import Path

import lan as pretend
from hass import HASS, HomeAssistant
from home import villa
from lan import until
from python_device import CODE
from talker import Talker

HERE = Path(__file__).parent
PORT = 51990
#: The time between two runs of the same automation, in seconds.
PAUSE = 3.1
DEVICE = {
    "id": "1A:2B:3C:4D:5E:70", "name": "Hall", "events": 0,
    "services": [{"type": "MotionSensor", "values": []}, {"type": "Lightbulb", "values": []}]}
AUTOMATIONS = """
automation:
  - triggers: {trigger: state, entity_id: SENSOR, to: "on"}
    actions: {action: light.turn_on, target: {entity_id: LAMP}}
  - triggers: {trigger: state, entity_id: SENSOR, to: "off"}
    actions: {action: light.turn_off, target: {entity_id: LAMP}}
""".replace("SENSOR", "binary_sensor.hall").replace("LAMP", "light.hall")


def device(host, directory):
    """Start the accessory."""
    directory.mkdir()
    made = Talker(
        host, directory / "device.log", sys.executable, HERE / "python_device.py", host.address, str(PORT),
        directory / "device.json", json.dumps(DEVICE))
    made.until(lambda line: "ready" in line)
    return made


def measured(device, count):
    """Report motion and its end in turn, and wait for the lamp each time."""
    took = []
    for number in range(count):
        began = time.monotonic()
        moves = number % 2 == 0
        device.say(["MotionDetected", moves])
        line = device.until(lambda line: line.get("wrote") == ["On", 1 if moves else 0], timeout=30)
        took.append((line["at"] - began) * 1000)
        time.sleep(max(0, began + PAUSE / 2 - time.monotonic()))
    took.sort()
    return {
        "events": count, "p50": round(took[count // 2], 2), "p99": round(took[count * 99 // 100], 2),
        "most": round(took[-1], 2)}


def of_hub(made, directory, count):
    """The figures of the home hub."""
    sensor = device(made.phone, directory)
    try:
        with villa(made, directory / "home") as home:
            until(lambda: home.is_discovering, 20, "it finds accessories")
            home.add(CODE, "Hall")
            home.cli("automations", "add", "Motion", "--when", "Hall motion=yes", "--set", "Hall on")
            home.cli("automations", "add", "No motion", "--when", "Hall motion=no", "--set", "Hall off")
            measured(sensor, 4)
            return measured(sensor, count)
    finally:
        sensor.close()


def at_rest(made, directory, seconds=180):
    """Return the wake-ups and the bytes written by the hub while nothing happens, with 50 automations."""
    sensor = device(made.phone, directory)
    try:
        with villa(made, directory / "home") as home:
            until(lambda: home.is_discovering, 20, "it finds accessories")
            home.add(CODE, "Hall")
            home.cli("homes", "location", "Villa", "52.52,13.40", "--time-zone", "Europe/Berlin")
            for number in range(50):
                when = [("--at", f"{number % 24}:{number:02}"), ("--at", "sunset-30m"), ("--when", "Hall motion=yes")][number % 3]
                home.cli("automations", "add", f"Automation {number}", *when, "--set", "Hall off")
            time.sleep(60)
            before = usage(home.process.pid)
            time.sleep(seconds)
            used = [after - former for after, former in zip(usage(home.process.pid), before)]
            return {
                "automations": 50, "wakeUpsPerMinute": round(used[0] * 60 / seconds, 1),
                "bytesWrittenPerHour": used[1] * 3600 // seconds}
    finally:
        sensor.close()


def usage(pid):
    """Return the voluntary context switches of a process's threads, and the bytes it has written to disks."""
    switches = sum(
        int(line.split()[1]) for status in Path(f"/proc/{pid}/task").glob("*/status")
        for line in status.read_text().splitlines() if line.startswith("voluntary_ctxt_switches"))
    written = next(line for line in Path(f"/proc/{pid}/io").read_text().splitlines() if line.startswith("write_bytes"))
    return switches, int(written.split()[1])


def of_home_assistant(made, directory, count):
    """The figures of Home Assistant."""
    sensor = device(made.phone, directory)
    home = HomeAssistant(made.bridge, directory / "hass", AUTOMATIONS)
    try:
        home.ask("pair", CODE)
        states = [entity for domain in ("binary_sensor", "light") for entity, _, _ in home.ask("states", domain)]
        print(states, file=sys.stderr)
        measured(sensor, 4)
        return measured(sensor, count)
    finally:
        home.close()
        sensor.close()


def main():
    if reason := pretend.missing_requirement():
        sys.exit(f"automation_figures: no simulated LAN: {reason}")
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    made = pretend.PretendLAN()
    try:
        with tempfile.TemporaryDirectory() as directory:
            figures = {"homehubd": of_hub(made, Path(directory) / "hub", count)}
            figures["atRest"] = at_rest(made, Path(directory) / "rest")
            if HASS:
                figures["homeAssistant"] = of_home_assistant(made, Path(directory) / "hass", count)
            print(json.dumps(figures, indent=2))
    finally:
        made.close()


if __name__ == "__main__":
    main()
