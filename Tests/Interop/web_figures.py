"""Measures the page with 140 lamps against its budgets, and prints a table.

    make web-figures, or, with programs that are already built:
    sudo env PROGRAMS=.build-static/release .venv/bin/python Tests/Interop/web_figures.py [--seconds 60] [--former HOMEWEB]

Everything, including the browsers, runs on one computer, so other work on it makes all times longer. With --former, first
paints of another build of homeweb are measured in turn with this one's. Exit code 0: all budgets are kept.
"""

import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import lan as pretend
from home_figures import Control, LargeHome, cpu, resident
from lan import end, until
from paints import Paints
from web import Page, browser, fetch

ROOMS = [f"Room {letter}" for letter in "ABCDEFGHIJ"]
LAMPS_OF_ROOM = 14

#: Records the states that each lamp showed, with their times.
WATCH = """() => {
  window.seen = [];
  new MutationObserver((records) => {
    const now = performance.timeOrigin + performance.now();
    for (const tile of new Set(records.map((record) => (record.target.parentElement || record.target).closest?.('.tile')))) {
      if (tile) window.seen.push([tile.querySelector('b').innerText, tile.querySelector('.state').innerText, now]);
    }
  }).observe(document.getElementById('main'), {subtree: true, childList: true, characterData: true});
}"""


class Table:
    """The results, some of them with a budget."""

    def __init__(self):
        self.rows = []

    def add(self, name, value, unit, budget=None):
        self.rows.append({"name": name, "value": value, "unit": unit, "budget": budget})
        kept = "" if budget is None else "  kept" if value <= budget else "  EXCEEDED"
        shown = f"{value:,}" if isinstance(value, int) else f"{value:,.1f}"
        print(f"{name:62s}{shown:>10s} {unit:3s}{'' if budget is None else f'{budget:,}':>8s}{kept}", flush=True)

    @property
    def is_kept(self):
        return all(row["budget"] is None or row["value"] <= row["budget"] for row in self.rows)


def render(host, page, table, count=40):
    """Measure the rendering of Home: the time to the first byte and the CPU time."""
    def load():
        return float(host.run("curl", "-s", "-o", "/dev/null", "-H", "Accept-Encoding: gzip", "-w", "%{time_starttransfer}",
                              page.address).stdout)

    for _ in range(5):
        load()
    before = cpu(page.process)
    times = sorted(load() for _ in range(count))
    table.add("Home, to the first byte, median", statistics.median(times) * 1000, "ms", 100)
    table.add("Home, CPU time of homeweb", (cpu(page.process) - before) / count * 1000, "ms")


def sizes(large, page, table):
    """Measure the bytes on the wire: the page, what a first visit loads, and the event of one changed lamp."""
    host, address = page.host, page.address

    def size(path):
        return int(host.run("curl", "-s", "-o", "/dev/null", "-w", "%{size_download}", "-H", "Accept-Encoding: gzip",
                            address.rstrip("/") + path).stdout)

    body = fetch(host, address)[2]
    script, style = re.search(r'src="(/assets/script[^"]*)"', body)[1], re.search(r'href="(/assets/style[^"]*)"', body)[1]
    table.add("Home, compressed", size("/"), "B", 20_000)
    table.add("Home, uncompressed", len(body.encode()), "B")
    table.add("script, uncompressed", len(fetch(host, address, script)[2].encode()), "B", 40_000)
    table.add("a first visit, compressed", sum(size(path) for path in ("/", script, style, "/assets/icons.svg")), "B")
    table.add("the largest event of one changed lamp", largest_event(host, address, large.bridge.socket), "B", 1000)


def largest_event(host, address, bridge, path="/"):
    """Return the size in bytes of the largest event that a page receives when the brightness of one lamp changes."""
    live = subprocess.Popen(
        host.inside("curl", "-s", "-N", "-m", "60", address.rstrip("/") + live_path(host, address, path)), stdout=subprocess.PIPE, text=True)
    control, events, level = Control(bridge), [], 40
    try:
        # Every beat is followed by another change, until one is shown.
        for line in live.stdout:
            if line.startswith("event: beat"):
                level += 1
                control.simulate("simulated/lamp7", on=True, brightness=level)
            events += [line] if line.startswith("data: ") and '"id"' in line else []
            if events and f"{level} %" in events[-1]:
                break
    finally:
        end(live)
    assert events and f"{level} %" in events[-1], "the change is shown"
    return max(len(f"event: part\n{one}\n".encode()) for one in events)


def live_path(host, address, path="/"):
    return re.search(r'data-live="([^"]*)"', fetch(host, address, path)[2])[1].replace("&amp;", "&")


def open_pages(host, page, table, count=20):
    """Measure the memory of open pages: each loads the page and follows its live updates."""
    def visit():
        return host.popen("curl", "-s", "-N", "-o", "/dev/null", page.address.rstrip("/") + live_path(host, page.address))

    def memory():
        status = Path(f"/proc/{page.process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+)", status)[1]) / 1024

    streams = []
    try:
        # The first pages fill caches, which aren't a cost of each page.
        for _ in range(2):
            streams.append(visit())
        time.sleep(5)
        before = memory()
        for _ in range(count):
            streams.append(visit())
        time.sleep(20)
        after = memory()
        assert all(stream.poll() is None for stream in streams), "all pages are open"
    finally:
        for stream in streams:
            end(stream)
    table.add(f"{count} open pages, resident memory of homeweb", after - before, "MB", 5)


def idle(large, page, table, seconds=20):
    """Measure the cost of four visible pages without changes."""
    before = cpu(page.process), cpu(large.home.process)
    time.sleep(seconds)
    table.add("4 pages without changes, CPU time per minute, homeweb", (cpu(page.process) - before[0]) / seconds * 60_000, "ms")
    table.add("  homehubd", (cpu(large.home.process) - before[1]) / seconds * 60_000, "ms", 150)


def follow(large, page, visitors, seconds, rate, table):
    """Change a hundred lamps per second. Each browser must show each change within a second, and finally the last state."""
    names = {key: f"Lamp {key.split('lamp')[-1]}" for key in large.ids}
    control = Control(large.bridge.socket)
    for visitor in visitors:
        visitor.page.evaluate(WATCH)
    memory = resident(page.process)["now"]
    before = cpu(page.process), cpu(large.home.process)
    sent, final, keys = {}, {}, list(large.ids)
    began = time.monotonic()
    for number in range(seconds * rate):
        key, value = keys[number % len(keys)], 2 + number // len(keys) % 99
        # Waiting includes the browsers' work.
        time.sleep(max(0.0, began + number / rate - time.monotonic()))
        sent[names[key], f"On, {value} %"] = time.time() * 1000
        control.simulate(key, on=True, brightness=value)
        final[names[key]] = f"On, {value} %"
    spent = time.monotonic() - began
    after = cpu(page.process), cpu(large.home.process)
    late = []
    for visitor in visitors:
        def shown():
            tiles = dict(visitor.page.evaluate(
                "[...document.querySelectorAll('.tile')].map((e) => ['b', '.state'].map((one) => e.querySelector(one).innerText))"))
            return all(tiles.get(name) == state for name, state in final.items())
        until(shown, 20, "every browser shows every final state")
        for name, state, when in visitor.page.evaluate("window.seen"):
            if (name, state) in sent:
                late.append(when - sent[name, state])
    late.sort()
    table.add(f"{rate} changes a second, until {len(visitors)} pages show one: median", late[len(late) // 2], "ms")
    table.add("  99 %", late[len(late) * 99 // 100], "ms")
    table.add("  longest", late[-1], "ms", 1000)
    table.add("  CPU time of homeweb, share of a core", (after[0] - before[0]) / spent * 100, "%")
    table.add("  CPU time of homehubd, share of a core", (after[1] - before[1]) / spent * 100, "%")
    table.add("  more resident memory of homeweb", resident(page.process)["now"] - memory, "MB", 20)


def paint(chromium, pages, table, count):
    """Measure first paints of each page in turn, without a cache."""
    paints = {name: Paints(chromium, page.address) for name, page in pages.items()}
    for is_phone, kind, budget in ((False, "desktop", 300), (True, "phone", 400)):
        for number in range(count):
            for one in list(paints.values())[::(-1) ** number]:
                one.measure(is_phone)
        for name, one in paints.items():
            of = f", {name}" if name else ""
            table.add(f"first paint, {kind}{of}, median of {count}", one.median("paint", is_phone), "ms", None if name else budget)
            table.add("  the best", one.best("paint", is_phone), "ms")
            table.add("  all tiles in the window, median", one.median("screen", is_phone), "ms")
            table.add("  a short text instead of the page, median", one.median("text", is_phone), "ms")
        if len(paints) > 1:
            this, former = (one.median("paint", is_phone) for one in paints.values())
            table.add(f"first paint, {kind}, relative to the former build", this / former * 100, "%")
        for step, milliseconds in paints[""].steps(is_phone).items():
            table.add(f"  until then, CPU time: {step}", milliseconds, "ms")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seconds", type=int, default=60, help="the duration of the changes (default: 60)")
    parser.add_argument("--paints", type=int, default=15, help="the number of first paints of each kind (default: 15)")
    parser.add_argument("--former", type=Path, help="another build of homeweb, for a comparison of first paints")
    parser.add_argument("--only-paints", action="store_true", help="measure only first paints")
    parser.add_argument("--results", type=Path, help="a file for the results, as JSON")
    options = parser.parse_args()
    if reason := pretend.missing_requirement():
        sys.exit(f"web_figures: no pretend LAN: {reason}")
    made, table = pretend.PretendLAN(), Table()
    with tempfile.TemporaryDirectory(dir="/tmp") as directory:
        large = LargeHome(made.bridge, directory, lights=len(ROOMS) * LAMPS_OF_ROOM)
        pages = {}
        try:
            large.start()
            large.add()
            for number, room in enumerate(ROOMS):
                large.home.cli("rooms", "add", room)
                large.home.cli("assign", *[f"Lamp {LAMPS_OF_ROOM * number + lamp}" for lamp in range(1, LAMPS_OF_ROOM + 1)], room)
            page = pages[""] = Page(made.bridge, large.home, Path(directory) / "page").start()
            if options.former:
                os.environ["HOMEWEB"] = str(options.former)
                pages["former build"] = Page(made.bridge, large.home, Path(directory) / "former").start(allowed=False)
                # Two programs with the same ID need separate permissions.
                allow = ["privacy", "allow", "org.lamplighter.homeweb", "--user", "root", "--program", options.former.resolve(), "--yes"]
                until(lambda: large.home.cli(*allow, check=False).returncode == 0, 20, "the former build requests access")
            for one in pages.values():
                until(lambda: "Lamp 140" in fetch(made.bridge, one.address)[2], 20, "the home is shown")
            print(f"{'140 lamps, load of this computer ' + format(os.getloadavg()[0], '.1f'):62s}{'':14s}{'budget':>8s}")
            if not options.only_paints:
                render(made.bridge, page, table)
                sizes(large, page, table)
                open_pages(made.bridge, page, table)
            with browser(made.bridge, directory) as chromium:
                paint(chromium, pages, table, options.paints)
                if not options.only_paints:
                    visitors = [chromium.open(page.address) for _ in range(4)]
                    for visitor in visitors:
                        visitor.page.wait_for_function("() => !document.querySelector('.stale')")
                    idle(large, page, table)
                    follow(large, page, visitors, options.seconds, 100, table)
        finally:
            for one in pages.values():
                one.close()
            large.close()
            made.close()
    if options.results:
        options.results.write_text(json.dumps(table.rows, indent=1, ensure_ascii=False) + "\n")
    print("all budgets are kept" if table.is_kept else "a budget is exceeded")
    sys.exit(0 if table.is_kept else 1)


if __name__ == "__main__":
    main()
