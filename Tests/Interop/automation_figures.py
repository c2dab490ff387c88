"""Measures the time from a sensor's event to the write to a lamp by an automation. Prints JSON.

    sudo env HASS=/path/of/hass PROGRAMS=.build-static/release .venv/bin/python Tests/Interop/automation_figures.py [PART ...]

The sensor and the lamp are one HAP-python accessory, which reports each change at once. An automation of the home hub controls
it first, then, with HASS, an automation of Home Assistant through homekit_controller. Times are in milliseconds, from the
request to report a sensor change until the lamp receives its new value. Each automation runs at most 20 times per minute.

PART is `hub`, `hass`, `rest` or `flood`. Without it, all parts run. `rest` measures 50 automations without events. `flood`
measures 200 automations whose sensor changes 50 times a second for a minute: the duration of an app's calls in milliseconds
and the hub's memory in KiB.
"""

import json
import os
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
from test_automation_runs import SystemApp

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
    return {"events": count} | quantiles(took)


def quantiles(took):
    took = sorted(took)
    return {
        "p50": round(took[len(took) // 2], 2), "p99": round(took[len(took) * 99 // 100], 2), "most": round(took[-1], 2)}


def of_hub(made, directory, count):
    """Measure an automation of the home hub."""
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


def at_rest(made, directory, seconds=1500, count=50):
    """Return the wake-ups and the bytes written by the hub while nothing happens."""
    sensor = device(made.phone, directory)
    try:
        with villa(made, directory / "home") as home:
            until(lambda: home.is_discovering, 20, "it finds accessories")
            home.add(CODE, "Hall")
            home.cli("homes", "location", "Villa", "52.52,13.40", "--time-zone", "Europe/Berlin")
            for number in range(count):
                when = [("--at", f"{number % 24}:{number:02}"), ("--at", "sunset-30m"), ("--when", "Hall motion=yes")][number % 3]
                home.cli("automations", "add", f"Automation {number}", *when, "--set", "Hall off")
            time.sleep(60)
            before = usage(home.process.pid)
            time.sleep(seconds)
            used = [after - former for after, former in zip(usage(home.process.pid), before)]
            return {
                "automations": count, "wakeUpsPerMinute": round(used[0] * 60 / seconds, 1),
                "bytesWrittenPerHour": used[1] * 3600 // seconds}
    finally:
        sensor.close()


def flooded(made, directory, seconds=60):
    """Return the durations of an app's calls, and the hub's memory, while 200 automations follow a sensor that flaps."""
    sensor = device(made.phone, directory)
    try:
        with villa(made, directory / "home") as home:
            until(lambda: home.is_discovering, 20, "it finds accessories")
            home.add(CODE, "Hall")
            for number in range(200):
                state, action = [("yes", "on"), ("no", "off")][number % 2]
                home.cli("automations", "add", f"Automation {number}", "--when", f"Hall motion={state}", "--set", f"Hall {action}")
            home.terminate()
            home.configuration_path.write_text(f"system-app: {os.path.realpath('/proc/self/exe')}\n")
            home.start()
            with SystemApp(home) as app:
                app.until_reachable(1)
                (listed,) = app.get("homes.list")["homes"]
                some = {"home": app.home}
                calls = {
                    "homes.list": {}, "accessories.list": {**some, "revision": listed["revision"], "offset": 0},
                    "automations.status": some, "automations.history": {**some, "trigger": listed["triggers"][0]["id"]}}
                took, samples, changes = {name: [] for name in calls}, [], 0
                before, cpu, began = memory(home.process.pid), home.cpu_time, time.monotonic()
                while (elapsed := time.monotonic() - began) < seconds:
                    if changes < elapsed * 50:
                        sensor.say(["MotionDetected", changes % 2 == 0])
                        changes += 1
                        continue
                    for name, parameters in calls.items():
                        start = time.monotonic()
                        app.get(name, **parameters)
                        took[name].append((time.monotonic() - start) * 1000)
                    if elapsed > 5 * (len(samples) + 1):
                        samples.append(memory(home.process.pid))
                    time.sleep(max(0, began + changes / 50 - time.monotonic()))
                after = memory(home.process.pid)
                return {
                    "automations": 200, "changes": changes,
                    "calls": {name: {"calls": len(times)} | quantiles(times) for name, times in took.items()},
                    "memoryBefore": before, "memoryEach5s": samples, "memoryAfter": after,
                    "cpu": round(home.cpu_time - cpu, 1), "records": len(app.records)}
    finally:
        sensor.close()


def memory(pid):
    """Return the private memory of a process in KiB."""
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    return sum(int(line.split()[1]) for line in lines if line.startswith(("Private_Dirty", "Private_Clean")))


def usage(pid):
    """Return the voluntary context switches of a process's threads, and the bytes it has written to disks."""
    switches = sum(
        int(line.split()[1]) for status in Path(f"/proc/{pid}/task").glob("*/status")
        for line in status.read_text().splitlines() if line.startswith("voluntary_ctxt_switches"))
    written = next(line for line in Path(f"/proc/{pid}/io").read_text().splitlines() if line.startswith("write_bytes"))
    return switches, int(written.split()[1])


def of_home_assistant(made, directory, count):
    """Measure an automation of Home Assistant."""
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
    count = 200
    parts = {"hub": lambda folder: of_hub(made, folder, count), "rest": lambda folder: at_rest(made, folder)}
    parts["flood"] = lambda folder: flooded(made, folder)
    if HASS:
        parts["hass"] = lambda folder: of_home_assistant(made, folder, count)
    made = pretend.PretendLAN()
    try:
        with tempfile.TemporaryDirectory() as directory:
            print(json.dumps({name: parts[name](Path(directory) / name) for name in sys.argv[1:] or parts}, indent=2))
    finally:
        made.close()


if __name__ == "__main__":
    main()
