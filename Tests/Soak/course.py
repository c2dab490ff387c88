"""The course of a soak: the start of the load, checks during it, and its end."""

import threading
import time

import figures
import verdict
from homewatch import HomeWatch
from provocations import Provocations
from world import World

WATCHERS, SUBSCRIBERS = 6, 20
#: The jobs of churn.py, and the average pause before each run, in seconds.
JOBS = [
    *[["cycle", 0.4]] * 3, ["pairing", 4], ["timed", 2], ["big", 3], ["misbehaving", 4], ["slow", 60], ["hostile", 1.5],
]
SAMPLING = 5
#: The time limit for the daemons to become idle, in seconds.
REST = 60
#: The time limit for a running provocation to end, in seconds.
ENDING = 75


class Soak:
    def __init__(self, minutes, directory):
        self.minutes, self.directory = minutes, directory
        self.samples, self.metrics = {}, []
        # A round of the schedule, which is also the warm-up, takes five minutes in a soak of an hour.
        self.turn = max(min(minutes * 60 / 12, 300), 75)

    def run(self):
        """Run the soak, and return the verdict."""
        self.world = World(self.directory)
        self.is_over = threading.Event()
        schedule = threading.Thread(target=self.provoke, daemon=True)
        try:
            self.provocations = Provocations(self.world)
            # Wait until the daemons are idle.
            time.sleep(5)
            self.before, self.status = self.held(), self.world.bridge.status
            self.people()
            self.began = time.time()
            self.over = self.began + self.minutes * 60
            schedule.start()
            self.watch_over()
            schedule.join(ENDING)
            self.part()
            self.end()
        finally:
            self.is_over.set()
            if schedule.is_alive():
                schedule.join(ENDING)
            self.world.close()
        return verdict.judge(self)

    @property
    def daemons(self):
        return {"bridge": self.world.bridge, "annexe": self.world.annexe, "home": self.world.home}

    def held(self):
        return {name: figures.held(daemon.process.pid) for name, daemon in self.daemons.items()}

    def people(self):
        """Start all controllers."""
        world = self.world
        status = world.bridge.status
        watchers = world.start_worker("watchers", world.lan.phone, "watchers.py", {
            "device": status["deviceId"], "code": world.bridge.setup_code, "watchers": WATCHERS, "others": 2,
            "pause": 0.4})
        paired = watchers.next()["paired"]
        watchers.next()
        common = {"address": world.lan.bridge.address, "port": status["port"],
                  "id": paired["id"], "public": paired["public"]}
        crowd = world.start_worker("crowd", world.lan.phone, "crowd.py", {
            **common, "identity": paired["identities"][0], "subscribers": SUBSCRIBERS, "lights": 5, "pause": 1})
        churn = world.start_worker("churn", world.lan.phone, "churn.py", {
            **common, "identity": paired["identities"][1], "jobs": JOBS + [["unauthenticated", self.turn / 2]]})
        for worker in (crowd, churn):
            worker.next()
        self.watch = HomeWatch(world)

    def provoke(self):
        """Provoke failures, round by round."""
        turn = self.provocations.TURN
        number, due = 0, self.began + self.turn / len(turn)
        # Start only provocations that end in time.
        while not self.is_over.wait(max(due - time.time(), 0)) and time.time() < self.over - 15:
            turn[number % len(turn)](self.provocations)
            number, due = number + 1, due + self.turn / len(turn)

    def watch_over(self):
        sampled = 0
        while time.time() < self.over:
            if time.time() >= sampled + SAMPLING:
                sampled = time.time()
                self.sample()
            self.watch.turn_a_knob()
            time.sleep(1)
        self.is_over.set()

    def sample(self):
        for name, daemon in self.daemons.items():
            try:
                self.samples.setdefault(name, []).append((time.time(), figures.sample(daemon.process.pid)))
            except (OSError, KeyError):
                # The annexe may be restarting.
                if name != "annexe":
                    raise SystemExit(f"soak: {name} has ended: {daemon.log[-2000:]}")
        for worker in self.world.workers:
            if worker.has_died():
                worker.leaving = True
                self.world.complain(f"the worker {worker.name} has ended")
        if len(self.samples["bridge"]) % 6 == 1:
            self.metrics.append((time.time(), self.world.metrics()))
            bridge, home = self.samples["bridge"][-1][1], self.samples["home"][-1][1]
            unexplained = sum(not self.provocations.explains(error) for error in self.world.errors)
            print(f"{(time.time() - self.began) / 60:5.1f} min  bridge {bridge['resident']} KiB, "
                  f"{bridge['descriptors']} descriptors, {bridge['threads']} threads, {bridge['processor']:.0f} s; "
                  f"home {home['resident']} KiB, {home['descriptors']}; "
                  f"{len(self.provocations.all)} provocations, {unexplained} errors", flush=True)

    def part(self):
        """End all controllers, and wait until the daemons are idle."""
        controllers = [worker for worker in self.world.workers if worker.name not in ("lamps", "watch")]
        for worker in controllers:
            worker.leave()
        for worker in controllers:
            worker.wait()
        self.metrics.append((time.time(), self.world.metrics()))
        self.watch.end()
        deadline = time.monotonic() + REST
        # Wait until the daemons hold the same resources as before, or until the time limit.
        while True:
            time.sleep(5)
            self.after = self.held()
            left = verdict.left_over(self.before, self.after, self.samples, self.began + self.turn)
            if time.monotonic() > deadline or not left:
                return

    def end(self):
        """Check that the bridge is unchanged, and that all daemons end on request."""
        self.provocations.lights_vanish()
        parts = ("warnings", "drivers", "lights", "advertisement")
        try:
            self.world.bridge.until(
                lambda status: all(status[part] == self.status[part] for part in parts), 20,
                f"the status is as it was: {self.status}")
        except AssertionError as failure:
            self.world.complain(f"{failure}")
        for name, daemon in self.daemons.items():
            began = time.monotonic()
            daemon.terminate()
            code, seconds = daemon.process.returncode, time.monotonic() - began
            if code or seconds > 5:
                self.world.complain(f"{name} has ended with {code} after {seconds:.1f} s")
