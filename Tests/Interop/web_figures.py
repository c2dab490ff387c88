"""Measures the cost of the page with a large home: a bridge of 149 simulated lights, four browsers, a hundred changes a second.

    make all && sudo env LAMPLIGHTERD=.build-static/release/lamplighterd LAMPLIGHTER=.build-static/release/lamplighter \\
        HOMEHUBD=.build-static/release/homehubd HOMEHUB=.build-static/release/homehub HOMEWEB=.build-static/release/homeweb \\
        .venv/bin/python Tests/Interop/web_figures.py [SECONDS]

Everything, including the browsers, runs on one computer. Prints JSON, and exits with 1 if a limit is exceeded.
"""

import gzip
import html
import json
import re
import sys
import tempfile
import time
from pathlib import Path

import lan as pretend
from home_figures import Control, LargeHome, cpu, resident
from lan import end, until
from web import Page, browser, fetch

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


def render(host, page, figures):
    """Measure one rendering of all tiles: the server's own time, and the bytes on the wire."""
    for _ in range(3):
        fetch(host, page.address)
    times = []
    for _ in range(20):
        before = cpu(page.process)
        began = time.monotonic()
        done = host.run("curl", "-s", "-o", "/dev/null", "-w", "%{time_starttransfer}", page.address)
        times.append(float(done.stdout if hasattr(done, "stdout") else done))
        figures.setdefault("cpuOfRendering", []).append(round(cpu(page.process) - before, 3))
        del began
    body = fetch(host, page.address)[2].encode()
    figures["rendering"] = {
        "tiles": len(re.findall(rb'class="tile', body)), "p50Milliseconds": round(sorted(times)[10] * 1000, 1),
        "mostMilliseconds": round(max(times) * 1000, 1), "bytes": len(body), "bytesPacked": len(gzip.compress(body, 5))}
    del figures["cpuOfRendering"]


def follow(large, page, visitors, seconds, rate, figures):
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
        sent[names[key], f"on, {value} %"] = time.time() * 1000
        control.simulate(key, on=True, brightness=value)
        final[names[key]] = f"on, {value} %"
    after = cpu(page.process), cpu(large.home.process)
    late = []
    for visitor in visitors:
        def shown():
            tiles = dict(visitor.page.evaluate(
                "[...document.querySelectorAll('.tile')].map((e) => [e.querySelector('b').innerText, e.querySelector('.state').innerText])"))
            return all(tiles.get(name) == state for name, state in final.items())
        until(shown, 20, "every browser shows every final state")
        for name, state, when in visitor.page.evaluate("window.seen"):
            if (name, state) in sent:
                late.append(when - sent[name, state])
    late.sort()
    figures["follow"] = {
        "seconds": seconds, "changes": len(sent), "browsers": len(visitors), "shown": len(late),
        "p50Milliseconds": round(late[len(late) // 2]), "p99Milliseconds": round(late[len(late) * 99 // 100]),
        "mostMilliseconds": round(late[-1]), "cpuOfHomeweb": round(after[0] - before[0], 2),
        "cpuOfHomehubd": round(after[1] - before[1], 2), "memoryBefore": memory, "memoryAfter": resident(page.process)["now"]}


def idle(large, page, figures, seconds=20):
    """Measure the cost of a visible page without changes."""
    before = cpu(page.process), cpu(large.home.process)
    time.sleep(seconds)
    figures["idle"] = {
        "seconds": seconds, "cpuOfHomeweb": round(cpu(page.process) - before[0], 3),
        "cpuOfHomehubd": round(cpu(large.home.process) - before[1], 3)}


def open_pages(host, page, figures, count=20):
    """Measure the memory of open pages: each browser loads the page and follows its live updates."""
    def visit():
        path = html.unescape(re.search(r'data-live="([^"]+)"', fetch(host, page.address)[2])[1])
        return host.popen("curl", "-s", "-N", "-o", "/dev/null", page.address.rstrip("/") + path)

    def memory():
        status = Path(f"/proc/{page.process.pid}/status").read_text()
        return round(int(re.search(r"VmRSS:\s+(\d+)", status)[1]) / 1024, 1)

    streams = []
    try:
        # The first page fills caches, which aren't a cost of each page.
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
    figures["openPages"] = {"pages": count, "before": before, "after": after, "more": round(after - before, 1)}


def main():
    if reason := pretend.missing_requirement():
        sys.exit(f"web_figures: no pretend LAN: {reason}")
    seconds = int(sys.argv[1]) if len(sys.argv) > 1 else 60
    made = pretend.PretendLAN()
    figures = {}
    with tempfile.TemporaryDirectory() as directory:
        large = LargeHome(made.bridge, directory)
        page = None
        try:
            large.start()
            large.add()
            page = Page(made.bridge, large.home, Path(directory) / "page").start()
            until(lambda: "Lamp 1" in fetch(made.bridge, page.address)[2], 20, "the home is shown")
            render(made.bridge, page, figures)
            open_pages(made.bridge, page, figures)
            with browser(made.bridge, directory) as chromium:
                figures["firstPaintMilliseconds"] = {
                    name: round(min(chromium.first_paint(page.address, is_phone)[0] for _ in range(10)))
                    for name, is_phone in (("desktop", False), ("phone", True))}
                visitors = [chromium.open(page.address) for _ in range(4)]
                for visitor in visitors:
                    visitor.page.wait_for_function("() => !document.querySelector('.stale')")
                idle(large, page, figures)
                follow(large, page, visitors, seconds, 100, figures)
            figures["memory"] = resident(page.process)
        finally:
            if page:
                page.close()
            large.close()
            made.close()
    print(json.dumps(figures, indent=2))
    kept = (figures["rendering"]["mostMilliseconds"] < 100 and figures["rendering"]["bytesPacked"] <= 20_000
            and figures["firstPaintMilliseconds"]["desktop"] <= 300 and figures["firstPaintMilliseconds"]["phone"] <= 400
            and figures["follow"]["mostMilliseconds"] < 1000 and figures["idle"]["cpuOfHomehubd"] <= 0.05
            and figures["follow"]["memoryAfter"] < figures["follow"]["memoryBefore"] + 20
            and figures["openPages"]["more"] <= 5)
    sys.exit(0 if kept else 1)


if __name__ == "__main__":
    main()
