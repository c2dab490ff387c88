"""Measures the cost of an event, from a light's report to a subscribed controller. Prints JSON.

    make all && sudo env PROGRAMS=.build-static/release .venv/bin/python Tests/Interop/light_figures.py [EVENTS]

Bridge, broker, lights and the controller are on one host of a simulated LAN. Each change follows the event of the previous
one, without an event window. An MQTT message through mosquitto is compared with the same change of a simulated light through
the control socket. CPU is the bridge's time in microseconds per event.
"""

import json
import sys
import tempfile
import time
from pathlib import Path

import hap
import lan as pretend
import paho.mqtt.client as mqtt
from broker import Broker
from conftest import configuration
from daemon import Daemon
from home_figures import Control, cpu
from lan import until

BRIGHTNESS = "8"


def measured(count, daemon, change, session, where):
    """Change a light this many times, and wait for each event."""
    took = []
    before = cpu(daemon.process)
    for number in range(count):
        level = number % 100 + 1
        began = time.perf_counter()
        change(level)
        while True:
            event = session.receive().json["characteristics"]
            if {**where, "value": level} in event:
                break
        took.append((time.perf_counter() - began) * 1000)
    used = cpu(daemon.process) - before
    took.sort()
    return {
        "events": count, "p50Milliseconds": round(took[count // 2], 3), "p99Milliseconds": round(took[count * 99 // 100], 3),
        "mostMilliseconds": round(took[-1], 3), "cpuMicroseconds": round(used / count * 1e6, 1)}


async def figures(host, directory, count):
    broker = Broker(host, directory).start()
    daemon = Daemon(host, directory / "bridge", configuration(
        drivers=[
            {"driver": "simulated", "lights": [{"id": "lamp", "name": "Simulated", "brightness": True}]},
            {"driver": "mqtt", "url": broker.url}],
        **{"event-window": "0ms", "advertise": "none"})).start()
    publisher = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2)
    try:
        # Without a separate thread, the client writes within the call.
        publisher.connect("127.0.0.1", broker.port, keepalive=3600)
        publisher.publish("homeassistant/light/lamp/config", json.dumps({
            "unique_id": "lamp", "name": "Announced", "schema": "json", "brightness": True, "command_topic": "lamp/set",
            "state_topic": "lamp"}))
        until(lambda: "mqtt/lamp" in daemon.lights, 10, "the light is added")
        publisher.publish("lamp", json.dumps({"state": "ON", "brightness": 255}))
        until(lambda: daemon.lights["mqtt/lamp"]["reachable"], 10, "the light reports a state")

        identity = hap.Identity()
        port = daemon.status["port"]
        with hap.Connection("127.0.0.1", port) as first:
            accessory = hap.pair_setup(first, daemon.setup_code, identity)
        session = hap.session("127.0.0.1", port, identity, accessory)
        aids = {key: light["aid"] for key, light in daemon.lights.items()}
        iids = {
            accessory["aid"]: item["iid"]
            for accessory in session.get("/accessories").json["accessories"] for service in accessory["services"]
            for item in service["characteristics"] if item["type"] == BRIGHTNESS}
        places = {key: {"aid": aid, "iid": iids[aid]} for key, aid in aids.items()}
        answer = session.put("/characteristics", {"characteristics": [{**place, "ev": True} for place in places.values()]})
        assert answer.status == 204, answer

        control = Control(daemon.socket)
        ways = {
            "simulated": lambda level: control.simulate("simulated/lamp", brightness=level),
            "mqtt": lambda level: publisher.publish(
                "lamp", json.dumps({"state": "ON", "brightness": (level * 255 + 50) // 100}))}
        for name, change in ways.items():
            measured(200, daemon, change, session, places[f"{name}/lamp"])
        return {name: measured(count, daemon, change, session, places[f"{name}/lamp"]) for name, change in ways.items()}
    finally:
        publisher.disconnect()
        daemon.close()
        broker.stop()


def main():
    if reason := pretend.missing_requirement():
        sys.exit(f"light_figures: no pretend LAN: {reason}")
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 3000
    made = pretend.PretendLAN()
    try:
        with tempfile.TemporaryDirectory() as directory:
            print(json.dumps(made.bridge.run_async(figures(made.bridge, Path(directory), count)), indent=2))
    finally:
        made.close()


if __name__ == "__main__":
    main()
