"""The hub as one of many controllers: it has added the annexe, and an app that observes the hub must receive every change."""

import queue
import random
import subprocess
import time

from daemon import program
from lan import end
from world import ANNEXE, Worker

#: The time limit for the delivery of a value, in seconds.
PATIENCE = 10


class HomeWatch:
    def __init__(self, world):
        self.world, self.counts = world, {"knobs_turned": 0, "knobs_told": 0}
        home = world.home
        if not home.cli("homes", "--json"):
            home.cli("homes", "add", "Soak")
        home.cli("add", "--code", world.annexe.setup_code, "--device", world.annexe.status["deviceId"], "--yes")
        self.worker = Worker("watch", world.home_host, world.errors, world.directory / "watch.log",
                             program("homehub"), "--socket", home.socket, "watch", "--json")
        world.workers.append(self.worker)
        self.names = {accessory["id"]: accessory["name"] for accessory in home.cli("accessories", "--json")}
        #: The changes that the app wasn't notified of yet: the value and the time by the light's name.
        self.awaited, self.turned = {}, {}
        # Wait for the reads at the beginning of an observation.
        time.sleep(3)

    def turn_a_knob(self):
        """Simulate a change in the annexe; the previous value must have been delivered."""
        self.listen()
        for name, (value, at) in list(self.awaited.items()):
            if time.time() - at > PATIENCE:
                del self.awaited[name]
                self.world.complain(f"not told within {PATIENCE} s: {value}", "watch", name, at)
        light, value = random.choice(ANNEXE), random.randint(1, 100)
        if self.turned.get(light["name"]) == value:
            return
        try:
            self.world.annexe.cli("simulate", f"simulated/{light['id']}", f"brightness={value}")
        except (AssertionError, subprocess.TimeoutExpired) as failure:
            return self.world.complain(f"{failure}", "watch", light["name"])
        self.counts["knobs_turned"] += 1
        self.turned[light["name"]] = value
        self.awaited[light["name"]] = value, time.time()

    def listen(self):
        while True:
            try:
                event = self.worker.lines.get_nowait()
            except queue.Empty:
                return
            if event is None:
                return
            name = self.names.get(event.get("accessory"))
            if event["event"] == "valueUpdated" and self.awaited.get(name, (None,))[0] == event["value"]:
                del self.awaited[name]
                self.counts["knobs_told"] += 1

    def end(self):
        self.worker.leaving = True
        end(self.worker.process)
