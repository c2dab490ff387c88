#!/usr/bin/python3
"""A version 2 plugin in Python that needs no libraries: a fan with a temperature sensor.

    - driver: plugin
      id: desk
      command: [/usr/share/doc/lamplighter/examples/fan.py]

The bridge shows fans unless `include:` leaves them out.

Test it without the bridge: lamplighter plugin test Examples/Plugins/fan.py
Documentation/Plugins.md describes the protocol. Replace `temperature` and `apply` with code for your device.
"""

import json
import select
import sys
import time

INTERVAL = 10.0  # seconds between two temperatures
FAN = {
    "id": "fan-1",  # never changes; use the serial number of a real device
    "name": "Desk Fan",
    "functions": [
        {"service": "Fanv2", "characteristics": {"Active": {}, "RotationSpeed": {"step": 25}}},
        {"service": "TemperatureSensor", "characteristics": {"CurrentTemperature": {"minimum": -20, "maximum": 60}}},
    ],
}
values = {"Active": 0, "RotationSpeed": 50}


class Refusal(Exception):
    pass


def temperature():
    return 21.5


def write(message):
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)


def report(values, **more):
    write({"method": "devices/state", "params": {"id": FAN["id"], "values": values, **more}})


def report_state(**more):
    report({**values, "CurrentTemperature": temperature()}, **more)


def check(id):
    if id != FAN["id"]:
        raise Refusal(-32001, f"no device {id}")


def hello(params):
    if 2 not in params.get("protocols", []):
        raise Refusal(-32004, "this plugin needs version 2 of the protocol")
    return lambda: (write({"method": "devices/added", "params": FAN}), report_state())


def apply(params):
    check(params["id"])
    values.update(params["values"])
    return lambda: report_state(cause=params["cause"])


def refresh(params):
    for id in params["ids"]:
        check(id)
    return report_state


def identify(params):
    check(params["id"])
    print("the fan blinks", file=sys.stderr)  # standard error goes to the bridge's log
    return lambda: None


# Each function checks its parameters, and returns the function to call after the answer.
METHODS = {
    "hello": hello, "devices/set": apply, "devices/refresh": refresh, "devices/identify": identify,
    "ping": lambda params: lambda: None, "shutdown": lambda params: sys.exit,
}


def received(line):
    try:
        message = json.loads(line)
        id, method, params = message["id"], message["method"], message.get("params", {})
    except (ValueError, KeyError, TypeError):
        return  # not a request
    try:
        if method not in METHODS:
            raise Refusal(-32601, f"no method {method}")
        then = METHODS[method](params)
    except Refusal as refusal:
        code, text = refusal.args
        write({"id": id, "error": {"code": code, "message": text}})
        return
    answer = {"protocol": 2, "name": "fan.py", "version": "1", "capabilities": ["cause"]} if method == "hello" else {}
    write({"id": id, "result": answer})
    then()


def main():
    buffer, is_known, due = b"", False, time.monotonic() + INTERVAL
    source = sys.stdin.buffer.raw
    while True:
        if select.select([source], [], [], max(0, due - time.monotonic()))[0]:
            data = source.read(65536)
            if not data:
                return  # the bridge is gone
            *lines, buffer = (buffer + data).split(b"\n")
            for line in lines:
                received(line)
                is_known = True
        if time.monotonic() >= due:
            due = time.monotonic() + INTERVAL
            if is_known:
                report({"CurrentTemperature": temperature()})


main()
