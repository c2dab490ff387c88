#!/usr/bin/env python3
"""Loads the daemons that are shipped for an hour, as a busy and unlucky home does, and judges what they hold at its end.

Documentation/Robustness.md tells what is done and what is promised. Needs root. Exit code 0: all promises kept.
"""
import argparse
import datetime
import json
import os
import pathlib
import signal
import subprocess
import sys
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAMS = ("lamplighterd", "lamplighter", "homehubd", "homehub")
WATCHERS, SUBSCRIBERS = 6, 20
#: What comes and goes: the work, and the seconds between (churn.py).
JOBS = [
    *[["cycle", 0.4]] * 3, ["pairing", 4], ["timed", 2], ["big", 3], ["misbehaving", 4], ["slow", 60], ["hostile", 1.5],
]
SAMPLING = 5
#: By how much resident memory may have risen, in percent, and what the two windows are, in seconds.
GROWTH, WINDOW = 2, 600
#: By how much it may have risen since nobody had come yet, in KiB.
RISE = 5 * 1024
#: How long the daemons get to come to rest.
REST = 60
#: How long a provocation that is under way gets to end.
ENDING = 75
#: What the end may take, beyond the minutes that were asked for.
OVERTIME = 420


class Soak:
    def __init__(self, minutes, results):
        self.minutes, self.results = minutes, results
        self.samples, self.metrics, self.statuses = {}, [], []
        # A turn of the schedule, and with it the warm-up, takes five minutes of an hour.
        self.turn = max(min(minutes * 60 / 12, 300), 75)

    def run(self):
        from provocations import Provocations
        from world import World

        self.world = World(self.results)
        self.is_over = threading.Event()
        schedule = threading.Thread(target=self.provoke, daemon=True)
        try:
            self.provocations = Provocations(self.world, self.world.errors)
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

    # Its parts

    @property
    def daemons(self):
        return {"bridge": self.world.bridge, "annexe": self.world.annexe, "home": self.world.home}

    def held(self):
        import figures

        return {name: {**figures.sample(daemon.process.pid), "kinds": figures.descriptors(daemon.process.pid)}
                for name, daemon in self.daemons.items()}

    def people(self):
        """All controllers come."""
        from homewatch import HomeWatch

        world = self.world
        status, told = world.bridge.status, {"pause": 0.4, "watchers": WATCHERS, "others": 2}
        watchers = world.start_worker("watchers", world.lan.phone, "watchers.py", {
            **told, "device": status["deviceId"], "code": world.bridge.setup_code})
        paired = watchers.next()["paired"]
        watchers.next()
        common = {"address": world.lan.bridge.address, "port": status["port"],
                  "id": paired["id"], "public": paired["public"]}
        crowd = world.start_worker("crowd", world.lan.phone, "crowd.py", {
            **common, "identity": paired["identities"][0], "subscribers": SUBSCRIBERS, "lights": 5, "pause": 1})
        jobs = JOBS + [["strangers", self.turn / 2]]
        churn = world.start_worker("churn", world.lan.phone, "churn.py", {
            **common, "identity": paired["identities"][1], "jobs": jobs})
        for worker in (crowd, churn):
            worker.next()
        self.watch = HomeWatch(world)

    def provoke(self):
        """What happens to the bridge, turn by turn."""
        turn = self.provocations.TURN
        number, due = 0, self.began + self.turn / len(turn)
        # Nothing is begun that would not be over in time.
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
        import figures

        for name, daemon in self.daemons.items():
            if not daemon.is_running:
                self.world.errors.append(self.complaint(f"{name} has ended"))
                raise SystemExit(f"soak: {name} has ended")
            self.samples.setdefault(name, []).append((time.time(), figures.sample(daemon.process.pid)))
        for worker in self.world.workers:
            if worker.has_died():
                worker.leaving = True
                self.world.errors.append(self.complaint(f"the worker {worker.name} has ended"))
        if len(self.samples["bridge"]) % 6 == 1:
            self.metrics.append((time.time(), self.world.metrics()))
            values = self.samples["bridge"][-1][1]
            home = self.samples["home"][-1][1]
            print(f"{(time.time() - self.began) / 60:5.1f} min  bridge {values['resident']} KiB, {values['descriptors']} fds, "
                  f"{values['threads']} threads, {values['processor']:.0f} s; home {home['resident']} KiB, "
                  f"{home['descriptors']} fds; {len(self.provocations.all)} provocations, "
                  f"{sum(not self.provocations.explains(error) for error in self.world.errors)} errors", flush=True)

    def part(self):
        """All controllers leave; the daemons come to rest."""
        for worker in self.world.workers:
            if worker.name not in ("lamps", "watch"):
                worker.leave()
        for worker in self.world.workers:
            if worker.name not in ("lamps", "watch"):
                worker.wait()
        self.metrics.append((time.time(), self.world.metrics()))
        self.watch.end()
        deadline = time.monotonic() + REST
        # Until what they hold is what they held, or for as long as that may take.
        while True:
            time.sleep(5)
            self.after = self.held()
            if time.monotonic() > deadline or not self.left_over():
                return

    def end(self):
        """The bridge is as it was before all this, and ends when told to."""
        self.provocations.lights_vanish()
        status = self.world.bridge.status
        for figure in ("warnings", "drivers", "lights", "advertisement"):
            if status[figure] != self.status[figure]:
                self.world.errors.append(self.complaint(
                    f"{figure} of the status: {self.status[figure]} before, {status[figure]} now"))
        for name in ("bridge", "annexe"):
            code, seconds = self.daemons[name].terminate()
            if code or seconds > 5:
                self.world.errors.append(self.complaint(f"{name} has ended with {code} after {seconds:.1f} s"))
        if code := self.world.home.terminate():
            self.world.errors.append(self.complaint(f"home has ended with {code}"))

    def left_over(self):
        """What is held now and was not before: descriptors and threads."""
        left = {}
        for name, held in self.after.items():
            for figure in ("descriptors", "threads"):
                # The hub keeps the session to what it has added meanwhile.
                allowed = self.before[name][figure] + (1 if figure == "descriptors" and name != "bridge" else 0)
                if held[figure] > allowed:
                    left[f"{name}: {figure}"] = [self.before[name][figure], held[figure]]
        return left

    @staticmethod
    def complaint(text):
        return {"worker": "soak", "error": text, "about": "soak", "began": time.time(), "at": time.time()}

    # The verdict

    def log_lines(self):
        """Log lines of level warning or worse: (daemon, when, line)."""
        for name, daemon in self.daemons.items():
            for line in daemon.log.splitlines():
                words = line.split(" ", 3)
                if len(words) > 2 and words[1] in ("warning", "error", "critical"):
                    at = datetime.datetime.fromisoformat(words[0].replace("Z", "+00:00")).timestamp()
                    yield name, at, line
                elif len(words) < 3 or words[1] not in ("info", "notice", "debug"):
                    yield name, self.began, line

    def judged(self):
        import figures

        explained, errors = {}, []
        for error in self.world.errors:
            if name := self.provocations.explains(error):
                explained.setdefault(name, []).append(error)
            else:
                errors.append({**error, "meanwhile": self.provocations.around(error["began"], error["at"])})
        provoked_lines, lines = {}, []
        for daemon, at, line in self.log_lines():
            if name := self.provocations.explains_line(line, at):
                provoked_lines[name] = provoked_lines.get(name, 0) + 1
            else:
                lines.append({"daemon": daemon, "line": line, "meanwhile": self.provocations.around(at, at)})
        memory = {}
        for name in ("bridge", "home"):
            for figure in ("resident", "dirty"):
                memory[f"{name}: {figure}"] = figures.growth(
                    self.samples[name], self.began + self.turn, self.over, figure, WINDOW)
        seconds = self.over - self.began
        cores = {name: round((samples[-1][1]["processor"] - samples[0][1]["processor"]) / seconds, 3)
                 for name, samples in self.samples.items() if name != "annexe"}
        counts = dict(self.watch.counts)
        for worker in self.world.workers:
            for name, value in worker.counts.items():
                counts[name] = counts.get(name, 0) + value
        counts.pop("errors", None)
        promises = {
            "no error that was not provoked": not errors and not lines,
            "no last value lost": not counts.get("lost_values"),
            f"resident memory has risen by less than {GROWTH} %": all(
                memory[name] and memory[name]["percent"] < GROWTH for name in ("bridge: resident", "home: resident")),
            f"resident memory has risen by less than {RISE // 1024} MiB since the start": all(
                self.after[name]["resident"] - self.before[name]["resident"] < RISE for name in ("bridge", "home")),
            "everything was stored": not self.metrics[-1][1].get("lamplighter_database_writes_total{result=failed}"),
            "descriptors and threads are back": not self.left_over(),
        }
        return {
            "promises": promises, "minutes": self.minutes, "turn_seconds": self.turn, "memory": memory, "cores": cores,
            "left_over": self.left_over(), "before": self.before, "after": self.after, "errors": errors, "log": lines,
            "provoked": {"times": len(self.provocations.all), "log": provoked_lines,
                         "errors": {name: len(them) for name, them in explained.items()}, "all": explained},
            "counts": counts, "metrics": self.metrics[-1][1], "samples": self.samples,
            "provocations": self.provocations.all,
        }


def version():
    done = subprocess.run(["git", "-C", ROOT, "describe", "--always", "--dirty"], capture_output=True, text=True)
    return done.stdout.strip() if done.returncode == 0 else None


def show(result):
    rows = [(name, f"{now['before']} → {now['after']} KiB ({now['percent']:+} %)")
            for name, now in result["memory"].items() if now]
    for name, held in result["after"].items():
        before = result["before"][name]
        rows.append((f"{name}: descriptors, threads",
                     f"{before['descriptors']}, {before['threads']} → {held['descriptors']}, {held['threads']}"))
    rows += [(f"{name}: processor", f"{share * 100:.1f} % of one") for name, share in result["cores"].items()]
    rows += list(result["counts"].items())
    rows.append(("provocations", json.dumps({key: value for key, value in result["provoked"].items() if key != "all"})))
    width = max(len(str(name)) for name, _ in rows)
    for name, value in rows:
        print(f"{name:<{width}}  {value}")
    for error in result["errors"][:40]:
        print(f"error: {error['worker']}: {error['error']} (about {error['about']}, meanwhile {error['meanwhile']})")
    for line in result["log"][:40]:
        print(f"log: {line['daemon']}: {line['line']} (meanwhile {line['meanwhile']})")
    for promise, kept in result["promises"].items():
        print(f"{'kept  ' if kept else 'BROKEN'}  {promise}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--programs", type=pathlib.Path, default=ROOT / ".build-static/release", help="where they are built")
    parser.add_argument("--results", type=pathlib.Path, default=ROOT / ".build-soak", help="where runs are kept")
    parser.add_argument("--minutes", type=float, default=60, help="how long (60)")
    options = parser.parse_args()
    if not 2 <= options.minutes <= 10_000:
        parser.error("2 minutes or more")
    for name in PROGRAMS:
        if not os.access(options.programs / name, os.X_OK):
            raise SystemExit(f"soak: {options.programs / name} is not there; `make soak` builds it")
        os.environ[name.upper()] = str(options.programs / name)
    results = options.results / f"{datetime.datetime.now(datetime.timezone.utc):%Y%m%dT%H%M%SZ}"
    results.mkdir(parents=True)

    def stop(number, _):
        for other in signals:
            signal.signal(other, signal.SIG_IGN)
        raise SystemExit(f"soak: ended by {signal.Signals(number).name}")

    signals = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGALRM)
    for number in signals:
        signal.signal(number, stop)
    # It ends in any case.
    signal.alarm(int(options.minutes * 60) + OVERTIME)
    sys.path[:0] = [str(ROOT / "Tests/Soak"), str(ROOT / "Tests/Interop")]
    soak = Soak(options.minutes, results)
    soak.run()
    result = {"version": version(), **soak.judged()}
    (results / "result.json").write_text(json.dumps(result, indent=1, ensure_ascii=False) + "\n")
    show(result)
    print(f"kept in {results}")
    return 0 if all(result["promises"].values()) else 1


if __name__ == "__main__":
    sys.exit(main())
