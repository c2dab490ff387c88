"""Measures the cost of a large home: a bridge of 149 simulated lights, one home, three apps. Prints JSON.

    make all && sudo env LAMPLIGHTERD=.build-static/release/lamplighterd LAMPLIGHTER=.build-static/release/lamplighter \\
        HOMEHUBD=.build-static/release/homehubd HOMEHUB=.build-static/release/homehub \\
        .venv/bin/python Tests/Interop/home_figures.py

Bridge, hub and apps run on one host of a simulated LAN. CPU is the process's time in seconds.
"""

import json
import os
import queue
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import lan as pretend
from conftest import configuration
from daemon import Daemon, program
from home import HomeDaemon
from lan import end, until

LIGHTS = 149
TICK = os.sysconf("SC_CLK_TCK")


def cpu(process):
    """Return the CPU time of a process in seconds."""
    fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICK


def resident(process):
    """Return the current and the maximum resident memory of a process in MiB."""
    status = dict(line.split(":", 1) for line in Path(f"/proc/{process.pid}/status").read_text().splitlines())
    return {name: round(int(status[key].split()[0]) / 1024) for name, key in (("now", "VmRSS"), ("most", "VmHWM"))}


class Control:
    """A connection to lamplighterd's control socket, which avoids starting a program for each call."""

    def __init__(self, path):
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.connect(str(path))
        self._lines = self._socket.makefile("r")
        self._number = 0

    def simulate(self, key, **change):
        """Change a simulated light, and return once it has changed."""
        self._number += 1
        request = {"jsonrpc": "2.0", "id": self._number, "method": "simulate", "params": {"key": key, "change": change}}
        self._socket.sendall(json.dumps(request).encode() + b"\n")
        answer = json.loads(self._lines.readline())
        assert "error" not in answer, answer


class Watcher:
    """An app that observes everything and records when it receives each event."""

    def __init__(self, home):
        command = [program("homehub"), "--socket", home.socket, "--json", "watch"]
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, bufsize=1)
        #: The newest value of each characteristic of each accessory.
        self.latest = {}
        #: The time at which each value of each accessory was received.
        self.received = {}
        self.others = queue.Queue()
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self):
        for text in self._process.stdout:
            now, line = time.monotonic(), json.loads(text)
            if line["event"] == "valueUpdated":
                self.latest[line["accessory"], line["name"]] = line["value"]
                self.received.setdefault((line["accessory"], line["name"], line["value"]), now)
            else:
                self.others.put(line)

    def close(self):
        end(self._process)


class LargeHome:
    """A bridge, the home to which it is added, and the cost of each step."""

    def __init__(self, host, directory, lights=LIGHTS):
        lamps = [{"id": f"lamp{n}", "name": f"Lamp {n}", "brightness": True} for n in range(1, lights + 1)]
        self.bridge = Daemon(host, Path(directory) / "bridge", configuration("Large", lamps))
        self.home = HomeDaemon(host, Path(directory) / "home")
        self.lights = lights
        self.figures = {}

    def timed(self, name, work):
        """Run a step, and record its duration and the daemons' CPU time."""
        before = [cpu(daemon.process) for daemon in (self.home, self.bridge)]
        began = time.monotonic()
        answer = work()
        seconds = time.monotonic() - began
        after = [cpu(daemon.process) for daemon in (self.home, self.bridge)]
        self.figures[name] = {
            "seconds": round(seconds, 3), "cpuOfHomehubd": round(after[0] - before[0], 2),
            "cpuOfLamplighterd": round(after[1] - before[1], 2)}
        return answer

    def start(self):
        self.bridge.start().until_published(60)
        self.home.start()
        self.home.cli("homes", "add", "Large Home")
        return self

    def add(self):
        added = self.timed("add", lambda: self.home.cli(
            "add", "--yes", "--code", self.bridge.setup_code, "--device", self.bridge.status["deviceId"], "--json",
            timeout=120))
        assert len(added) == self.lights + 1
        #: The ids of the lights in the home, by their keys.
        self.ids = {f"simulated/lamp{a['name'].split()[1]}": a["id"] for a in added if a["name"].startswith("Lamp ")}
        assert len(self.ids) == self.lights

    def list(self):
        """Measure listings. For each one, an app starts and loads everything."""
        for name, arguments in [("homes", ["homes"]), ("byRoom", ["accessories", "--by", "room"]),
                                ("byCategory", ["accessories", "--by", "category"])]:
            done = self.timed(name, lambda: self.home.cli(*arguments))
            assert len(done.stdout.splitlines()) >= (2 if name == "homes" else self.lights)

    def follow(self, seconds, rate=100, apps=3):
        """Let apps observe changes, and return the latencies in milliseconds, sorted."""
        watchers = [Watcher(self.home) for _ in range(apps)]
        control = Control(self.bridge.socket)
        try:
            probe = next(iter(self.ids))
            level = 0

            def stable():
                nonlocal level
                level = level % 100 + 1
                control.simulate(probe, brightness=level)
                return all((self.ids[probe], "brightness") in watcher.latest for watcher in watchers)

            until(stable, 60, "every app receives", interval=0.3)
            sent, final = {}, {}

            def work():
                began = time.monotonic()
                keys = list(self.ids)
                for number in range(seconds * rate):
                    key = keys[number % len(keys)]
                    # Increase the value in each round, so that every value is a change and can be distinguished.
                    value = 2 + number // len(keys) % 99
                    time.sleep(max(0.0, began + number / rate - time.monotonic()))
                    sent[self.ids[key], "brightness", value] = time.monotonic()
                    control.simulate(key, on=True, brightness=value)
                    final[self.ids[key], "brightness"] = value
                until(lambda: all(final.items() <= watcher.latest.items() for watcher in watchers), 30,
                      "every app has every final value")

            self.timed("follow", work)
            late = sorted(
                (watcher.received[what] - when) * 1000 for watcher in watchers for what, when in sent.items()
                if watcher.received.get(what, 0) >= when)
            self.figures["follow"] |= {
                "changes": len(sent), "apps": apps, "received": len(late), "p50Milliseconds": round(late[len(late) // 2], 1),
                "p99Milliseconds": round(late[len(late) * 99 // 100], 1), "mostMilliseconds": round(late[-1], 1)}
            return late
        finally:
            for watcher in watchers:
                watcher.close()

    def rename(self, seconds=10, rate=100):
        """Rename lights at the given rate, or as fast as possible."""
        app = self.home.app("org.example.renamer")
        ids = list(self.ids.values())

        def work():
            began = time.monotonic()
            for number in range(seconds * rate):
                time.sleep(max(0.0, began + number / rate - time.monotonic()))
                app.do("renameAccessory", accessory=ids[number % len(ids)], name=f"Other {number}")

        self.timed("rename", work)
        self.figures["rename"]["renames"] = seconds * rate

    def finish(self):
        self.figures["memory"] = {"homehubd": resident(self.home.process), "lamplighterd": resident(self.bridge.process)}
        return self.figures

    def close(self):
        self.home.close()
        self.bridge.close()


def main():
    if reason := pretend.missing_requirement():
        sys.exit(f"home_figures: no pretend LAN: {reason}")
    seconds = int(sys.argv[1]) if len(sys.argv) > 1 else 30
    made = pretend.PretendLAN()
    with tempfile.TemporaryDirectory() as directory:
        large = LargeHome(made.bridge, directory)
        try:
            large.start()
            large.add()
            large.list()
            large.follow(seconds)
            large.rename(min(seconds, 10))
            print(json.dumps(large.finish(), indent=2))
        finally:
            large.close()
            made.close()


if __name__ == "__main__":
    main()
