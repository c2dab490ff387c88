"""Runs scripts of this folder, which simulate devices on a host and are controlled by JSON lines."""

import json
import subprocess
import sys
import threading
from pathlib import Path

from lan import end, until


class Script:
    """A script that runs on a host and prints its events as JSON lines."""

    #: A file of this folder.
    script = None

    def __init__(self, host, *arguments):
        self.host, self.arguments = host, arguments
        self.start()

    def start(self):
        self.events = []
        self.process = self.host.popen(
            sys.executable, Path(__file__).with_name(self.script), *map(str, self.arguments), stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, text=True)
        self.wait_until_ready()
        threading.Thread(target=self._read, args=(self.process, self.events), daemon=True).start()

    def wait_until_ready(self):
        pass

    @staticmethod
    def _read(process, events):
        for line in process.stdout:
            events.append(json.loads(line))

    def send(self, change=None, **more):
        self.process.stdin.write(json.dumps({**(change or {}), **more}) + "\n")
        self.process.stdin.flush()

    def stop(self):
        end(self.process)

    def kill(self):
        self.process.kill()
        self.process.wait()


class ScriptedDevice(Script):
    """A device that prints its port once it is listening."""

    def __init__(self, host, **settings):
        self.settings = {"address": host.address, **settings}
        super().__init__(host)

    def start(self):
        self.arguments = [json.dumps(self.settings)]
        super().start()

    def wait_until_ready(self):
        # A bridge that knows the device may connect before the script prints the port.
        while "port" not in (event := json.loads(self.process.stdout.readline())):
            self.events.append(event)
        self.port = event["port"]

    def close(self):
        """Leave mDNS, so that no later test finds the device."""
        self.process.stdin.close()
        self.process.wait(10)


def made_devices(kind, usual_host):
    """Implements a fixture that creates devices and ends them."""
    made = []

    def make(host=usual_host, **settings):
        made.append(kind(host, **settings))
        return made[-1]

    yield make
    for device in made:
        device.close()


def until_light(daemon, key, timeout=15, **expected):
    """Wait until a light is as expected; colors may differ by rounding."""
    def near(have, want):
        return have is not None and abs(have - want) <= 1.5 if isinstance(want, float) else have == want

    return until(
        lambda: (found := daemon.lights.get(key)) and all(near(found.get(part), want) for part, want in expected.items())
        and found, timeout, f"{key} has {expected}: {daemon.lights.get(key)}", interval=0.05)
