"""Devices of light systems that scripts here play: on a host, told by lines of JSON what others do with them."""

import json
import subprocess
import sys
import threading
from pathlib import Path

from lan import end, until


class ScriptedDevice:
    """A script that plays a device; lines of its output are the port, once, and what happens to it."""

    #: The file beside this one.
    script = None

    def __init__(self, host, **settings):
        self.host, self.settings = host, {"address": host.address, **settings}
        self.start()

    def start(self):
        self.events = []
        self.process = self.host.popen(
            sys.executable, Path(__file__).with_name(self.script), json.dumps(self.settings), stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, text=True)
        # A bridge that knows it may be there before it says so.
        while "port" not in (event := json.loads(self.process.stdout.readline())):
            self.events.append(event)
        threading.Thread(target=self._read, args=(self.process, self.events), daemon=True).start()

    @staticmethod
    def _read(process, events):
        for line in process.stdout:
            events.append(json.loads(line))

    def tell(self, change=None, **more):
        self.process.stdin.write(json.dumps({**(change or {}), **more}) + "\n")
        self.process.stdin.flush()

    def stop(self):
        end(self.process)

    def close(self):
        """Leave mDNS, so that no later test finds what is no longer there."""
        self.process.stdin.close()
        self.process.wait(10)


def made_devices(kind, usual_host):
    """What a fixture yields that makes devices and ends them."""
    made = []

    def make(host=usual_host, **settings):
        made.append(kind(host, **settings))
        return made[-1]

    yield make
    for device in made:
        device.close()


def until_light(daemon, key, timeout=15, **expected):
    """Wait until a light is as expected; of a colour, nearly."""
    def near(have, want):
        return have is not None and abs(have - want) <= 1.5 if isinstance(want, float) else have == want

    return until(
        lambda: (found := daemon.lights.get(key)) and all(near(found.get(part), want) for part, want in expected.items())
        and found, timeout, f"{key} has {expected}: {daemon.lights.get(key)}", interval=0.05)
