"""Simulates a day of the page: eight hours of changes in a large home while five pages stay open.

    make web-day, or, with programs that are already built:
    sudo env PROGRAMS=.build-static/release .venv/bin/python Tests/Interop/web_day.py [--minutes 18] [--hours 8]

The home has 140 lamps on a bridge and 22 sensors, automations switch lamps by motion, and people use the page (day_house.py).
The changes of the day are compressed into the given minutes. Compression doesn't change their number, but timers still follow
the clock: removal of old records after days, daily tasks, and everything that depends on idle time aren't shown.

The day has 24 rounds. After each one, all pages must show the truth, and memory is measured. In the first and the last rounds,
the hub, the bridge and the page are restarted, and the browsers of the desktop and the phone lose the network. In between, the
second half may not need more memory than the first, apart from LIMITS. Exit code 0: everything was right.
"""

import argparse
import statistics
import sys
import tempfile
import time
from pathlib import Path

import lan as pretend
from day_house import House, memory, save
from day_pages import CONNECTED, IDLE, Household
from web import browser

ROUNDS = 24
#: The interruptions in the middle of rounds. The later ones kill the process.
INTERRUPTIONS = {2: "network", 3: "bridge", 4: "hub", 5: "page", 21: "network", 22: "bridge", 23: "hub", 24: "page"}
#: The rounds whose memory is compared: after caches are filled and all processes are new, and later without a restart.
HALVES = range(7, 14), range(14, 21)
#: The allowed growth from the first half to the second: an amount or a share, whichever is larger. Private, dirty memory doesn't
#: depend on other programs that use the same libraries, as the proportional set size does.
LIMITS = {"dirty": (1.5, 0.05), "heap": (0.3, 0.05), "nodes": (100, 0.05), "listeners": (10, 0.05)}


class Day:
    def __init__(self, house, household, minutes, hours):
        self.house, self.household = house, household
        self.seconds, self.hours = minutes * 60 / ROUNDS, hours
        self.rounds, self.wrong = [], []

    def run(self):
        for number in range(1, ROUNDS + 1):
            self.round(number)
            print(self.line(self.rounds[-1]), flush=True)
        self.wrong += self.household.complaints
        return self

    def round(self, number):
        share = self.hours / 8 * number / ROUNDS
        began = time.monotonic()
        threads = self.house.run(self.seconds, share)
        interruption = INTERRUPTIONS.get(number)
        changes = self.house.changes(("tap", "drag", "visit"), share)
        for moment, kind in changes:
            if interruption and moment > 0.5:
                self.interrupt(interruption, is_kill=number > ROUNDS // 2)
                interruption = None
            time.sleep(max(0.0, began + moment * self.seconds - time.monotonic()))
            self.household.act(kind)
        if interruption:
            self.interrupt(interruption, is_kill=number > ROUNDS // 2)
        for thread in threads:
            thread.join()
        late = time.monotonic() - began - self.seconds
        wrong = self.await_hub() or self.household.check()
        self.wrong += [f"round {number}: {one}" for one in wrong]
        self.rounds.append({
            "round": number, "changes": sum(self.house.done.values()), "interruption": INTERRUPTIONS.get(number, ""),
            "lateSeconds": round(late, 1), "wrong": wrong,
            "processes": {name: memory(process) for name, process in self.house.processes.items()},
            "pages": {page.name: page.memory() for page in self.household.pages}})

    def await_hub(self):
        """Wait until the hub knows the state of all devices. Return what is wrong if it doesn't."""
        last = []

        def right():
            nonlocal last
            last = self.house.differences()
            return not last

        try:
            pretend.until(right, 30, "the hub knows the truth", interval=0.3)
        except AssertionError:
            return [f"hub: {name} is {known!r} instead of {state!r}" for name, known, state in last[:5]]
        return []

    def interrupt(self, what, is_kill):
        """Interrupt something while changes continue."""
        house = self.house
        # A change that is interrupted is reported to the person, who repeats it. Here, people don't repeat changes.
        self.household.await_pages(IDLE)
        if what == "network":
            self.household.disconnect(True)
            time.sleep(min(8, self.seconds / 4))
            self.household.disconnect(False)
            return self.household.await_pages(CONNECTED)
        process = {"bridge": house.bridge, "hub": house.home, "page": house.page}[what]
        if is_kill:
            process.process.kill()
            process.process.wait()
        else:
            process.terminate()
        if what == "bridge":
            # Simulated lamps are in the bridge's process, so a kill also loses their last states. Real lamps keep them.
            house.chosen.clear()
        time.sleep(1)
        process.start(**({"allowed": False} if what == "page" else {}))
        # The hub needs a moment to notice the restart of the bridge.
        time.sleep(5)
        # People wait until the page answers again.
        self.household.await_pages(CONNECTED)

    # Verdict

    def line(self, one):
        processes = "  ".join(f"{values['dirty']:7.1f}" for values in one["processes"].values())
        pages = "  ".join(
            f"{values['heap']:5.2f} {values['nodes']:6d} {values['listeners']:4d}" for values in one["pages"].values())
        start = f"{one['round']:5d} {one['changes']:8d} {one['interruption']:>8s}"
        return f"{start}  {processes}   {pages}   {'; '.join(one['wrong']) or 'right'}"

    def halves(self):
        """Return the medians of the first and the second half for each measured value, with the limit."""
        halves = [[self.rounds[number - 1] for number in half] for half in HALVES]
        rows = []
        for group, measures in (("processes", ["dirty"]), ("pages", ["heap", "nodes", "listeners"])):
            for name in self.rounds[0][group]:
                for measure in measures:
                    first, second = (statistics.median(one[group][name][measure] for one in half) for half in halves)
                    amount, share = LIMITS[measure]
                    limit = first + max(amount, share * first)
                    rows.append({
                        "name": name, "measure": measure, "first": first, "second": second, "limit": round(limit, 2),
                        "kept": second <= limit})
        return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--minutes", type=float, default=18, help="the duration of the changes in minutes (default: 18)")
    parser.add_argument("--hours", type=float, default=8, help="the hours whose changes are simulated (default: 8)")
    parser.add_argument("--results", type=Path, help="a file for all measured values, as JSON")
    options = parser.parse_args()
    if reason := pretend.missing_requirement():
        sys.exit(f"web_day: no pretend LAN: {reason}")
    made = pretend.PretendLAN()
    with tempfile.TemporaryDirectory(dir="/tmp") as directory:
        house = House(made.bridge, directory)
        try:
            house.start()
            with browser(made.bridge, directory) as chromium:
                household = Household(chromium, house)
                names = "  ".join(f"{page.name:<17s}" for page in household.pages)
                print(f"{'private, dirty MB:':>23s}  homeweb homehubd  bridge   {names}")
                print(f"{'round  changes':14s}{'':36s}{'  '.join(['heap, nodes, lis.'] * len(household.pages))}")
                day = Day(house, household, options.minutes, options.hours).run()
        finally:
            house.close()
            made.close()
    rows = day.halves()
    print(f"\n{'':28s}{'first half':>11s}{'second half':>13s}{'limit':>9s}")
    for row in rows:
        numbers = f"{row['first']:11g}{row['second']:13g}{row['limit']:9g}"
        print(f"{row['name']:14s}{row['measure']:14s}{numbers}  {'kept' if row['kept'] else 'EXCEEDED'}")
    print(f"\n{sum(house.done.values())} changes: {', '.join(f'{count} {kind}' for kind, count in house.done.items())}")
    for wrong in day.wrong:
        print(f"WRONG: {wrong}")
    if options.results:
        save(options.results, {"rounds": day.rounds, "halves": rows, "wrong": day.wrong, "changes": house.done})
    sys.exit(1 if day.wrong or not all(row["kept"] for row in rows) else 0)


if __name__ == "__main__":
    main()
