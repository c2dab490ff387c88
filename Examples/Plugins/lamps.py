#!/usr/bin/python3
"""A plugin in Python that needs no libraries: color lamps, stored in a file that other programs can change.

    - driver: plugin
      id: python
      command: [/usr/share/doc/lamplighter/examples/lamps.py]
      config: {lamps: [Left Lamp, Right Lamp]}

Test it without the bridge: lamplighter plugin test Examples/Plugins/lamps.py
Documentation/Plugins.md describes the protocol. To write a driver, replace `load` and `store` with the protocol of your lamps.
"""

import json
import os
import select
import sys

UNKNOWN_LIGHT, UNREACHABLE, UNSUPPORTED, NO_METHOD = -32001, -32002, -32004, -32601
POLL = 1.0  # seconds between reads of the lamps


class Refusal(Exception):
    def __init__(self, code, message):
        super().__init__(message)
        self.code = code


class Plugin:
    def __init__(self):
        self.path = None
        self.lamps = {}

    # The lamps: a JSON file, {id: {"on": ..., "brightness": ..., "color": ...}}

    def load(self):
        try:
            with open(self.path) as file:
                return json.load(file)
        except (FileNotFoundError, ValueError):
            return {}

    def store(self):
        if self.path is None:
            return
        with open(self.path + ".new", "w") as file:
            json.dump(self.lamps, file)
        os.replace(self.path + ".new", self.path)

    # Requests from the bridge

    def hello(self, params):
        names = params["config"].get("lamps", ["Python Lamp"])
        if "state_dir" in params:
            self.path = os.path.join(params["state_dir"], "lamps.json")
        known = self.load() if self.path else {}
        # The id must never change. Here it is the position in the list; use the serial number of real lamps.
        for number, _ in enumerate(names):
            self.lamps[f"lamp-{number}"] = known.get(f"lamp-{number}", {"on": False, "brightness": 100, "color": {"ct": 300}})
        self.names = names
        return {"protocol": 1, "name": "lamps.py", "version": "1", "capabilities": ["cause"]}

    def after_hello(self):
        caps = {"dimmable": True, "hs": True, "ct": [153, 500], "transition": False}
        for id, name in zip(self.lamps, self.names):
            notify("lights/added", {"id": id, "name": name, "manufacturer": "Lamplighter", "model": "Example", "caps": caps})
            self.tell(id)

    def tell(self, id, **more):
        notify("lights/state", {"id": id, "reachable": True, **self.lamps[id], **more})

    def lamp(self, id):
        if id not in self.lamps:
            raise Refusal(UNKNOWN_LIGHT, f"no light {id}")
        return self.lamps[id]

    def set(self, params):
        lamp = self.lamp(params["id"])
        lamp.update({key: params[key] for key in ("on", "brightness", "color") if key in params})
        self.store()
        return {}

    def refresh(self, params):
        for id in params["ids"]:
            self.lamp(id)
        return {}

    def identify(self, params):
        self.lamp(params["id"])
        print(f"{params['id']} blinks", file=sys.stderr)  # standard error goes to the bridge's log
        return {}

    def answer(self, method, params):
        """Returns the answer, and a function to call after it."""
        if method == "hello":
            return self.hello(params), self.after_hello
        if method == "lights/set":
            # The cause distinguishes this change from one made at the lamp.
            return self.set(params), lambda: self.tell(params["id"], cause=params.get("cause"))
        if method == "lights/refresh":
            return self.refresh(params), lambda: [self.tell(id) for id in params["ids"]]
        if method == "lights/identify":
            return self.identify(params), None
        if method == "ping":
            return {}, None
        if method == "shutdown":
            return {}, sys.exit
        raise Refusal(NO_METHOD, f"no method {method}")

    def poll(self):
        """Reports changes made by other programs. A state without a cause counts as a change made at the lamp."""
        for id, lamp in self.load().items() if self.path else ():
            if id in self.lamps and lamp != self.lamps[id]:
                self.lamps[id] = lamp
                self.tell(id)


def write(message):
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def notify(method, params):
    write({"method": method, "params": params})


def received(plugin, line):
    try:
        message = json.loads(line)
        id, method, params = message["id"], message["method"], message.get("params", {})
    except (ValueError, KeyError, TypeError):
        print("a line isn't a request", file=sys.stderr)
        return
    try:
        result, then = plugin.answer(method, params)
    except Refusal as refusal:
        write({"id": id, "error": {"code": refusal.code, "message": str(refusal)}})
        return
    write({"id": id, "result": result})
    if then:
        then()


def main():
    plugin, rest = Plugin(), b""
    while True:
        if not select.select([0], [], [], POLL)[0]:
            plugin.poll()
            continue
        data = os.read(0, 65536)
        if not data:
            return  # the bridge has stopped
        *lines, rest = (rest + data).split(b"\n")
        for line in lines:
            received(plugin, line)


main()
