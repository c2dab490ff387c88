"""Measures first paints of a page in Chromium, and where their time goes."""

import contextlib
import json
import statistics

from lan import until

SIZES = {False: {"width": 1440, "height": 900}, True: {"width": 390, "height": 844}}
#: A text of a few lines, which needs neither a style nor a script.
TEXT = "assets/worker.js"
#: A phone's processor is four times slower than the one of a desktop computer.
SLOWDOWN = 4
PAINT = """() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime"""
#: Records the number of tiles at the beginning of each frame. This runs before the page's own script.
FRAMES = """(() => {
  const frames = window.frames_ = [];
  const look = (time) => {
    frames.push([time, document.querySelectorAll('.tile').length]);
    if (frames.length < 1000) requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
})()"""
#: The beginning of the frame after the first one with all tiles of the window.
SCREEN = """() => {
  const inside = [...document.querySelectorAll('.tile')].filter((tile) => tile.getBoundingClientRect().top < innerHeight).length;
  const at = window.frames_.findIndex(([, count]) => count >= inside);
  return inside && at >= 0 && window.frames_[at + 1]?.[0];
}"""
#: The steps of the main thread in a trace of Chromium.
STEPS = {
    "begin of the document": ["FrameLoader::CommitDocumentLoader"], "parsing": ["ParseHTML"], "style": ["UpdateLayoutTree"],
    "layout": ["Layout"], "painting": ["PrePaint", "Paint", "Layerize", "Commit"], "script": ["EvaluateScript"],
}


class Paints:
    """The first paints of an address, each in a new browser profile without a cache."""

    def __init__(self, chromium, address):
        self.chromium, self.address = chromium.chromium, address
        self.times = {}

    @contextlib.contextmanager
    def _page(self, is_phone):
        context = self.chromium.new_context(viewport=SIZES[is_phone])
        try:
            page = context.new_page()
            if is_phone:
                context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": SLOWDOWN})
            yield page
        finally:
            context.close()

    def measure(self, is_phone):
        """Measure one first paint, the time until all tiles of the window are painted, and one first paint of a short text.

        Each is another visit. The short text shows what the browser itself needs on this computer.
        """
        for kind, expression, path in (("paint", PAINT, ""), ("screen", SCREEN, ""), ("text", PAINT, TEXT)):
            with self._page(is_phone) as page:
                if kind == "screen":
                    page.add_init_script(FRAMES)
                page.goto(self.address + path, wait_until="load")
                time = until(lambda: page.evaluate(expression), 10, f"the {kind}", interval=0.05)
                self.times.setdefault((kind, is_phone), []).append(time)

    def median(self, kind, is_phone):
        return statistics.median(self.times[kind, is_phone])

    def best(self, kind, is_phone):
        return min(self.times[kind, is_phone])

    def steps(self, is_phone):
        """Return the CPU time of each step of the main thread until the first paint, in milliseconds.

        Other processes don't lengthen CPU time. The time of a phone contains its slowdown.
        """
        with self._page(is_phone) as page:
            self.chromium.start_tracing(page=page, categories=["devtools.timeline", "navigation", "blink", "loading"])
            page.goto(self.address, wait_until="load")
            until(lambda: page.evaluate(PAINT), 10, "the first paint", interval=0.05)
            events = json.loads(self.chromium.stop_tracing())["traceEvents"]
        first = max((event for event in events if event["name"] == "firstContentfulPaint"), key=lambda event: event["ts"])
        thread = first["pid"], first["tid"]
        mine = [event for event in events if (event["pid"], event.get("tid")) == thread and event["ts"] < first["ts"]]
        return {step: sum(event.get("tdur", 0) for event in mine if event["name"] in names) / 1000
                for step, names in STEPS.items()}
