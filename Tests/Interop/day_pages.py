"""The pages of web_day.py that stay open all day, and the person who looks around."""

import contextlib
import re

from playwright.sync_api import TimeoutError

from day_house import DRAGGED, ROOMS, TAPPED, lamp
from lan import PATIENCE, until

DESKTOP = {"viewport": {"width": 1440, "height": 900}}
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
#: The time within which each page must show the truth, in seconds.
LIMIT = 30

#: Everything that a page shows: the state of each tile by its name, the readings of each room by its name, and the text.
SHOWN = """() => ({
  tiles: [...document.querySelectorAll('.tile')].map((tile) => ['b', '.state'].map((one) => tile.querySelector(one).textContent)),
  strips: [...document.querySelectorAll('.strip')].map(
    (strip) => [strip.parentElement.querySelector('h1, h2').textContent, strip.textContent]),
  stale: document.querySelectorAll('.stale, .away').length,
  notice: document.getElementById('notice').textContent,
  refusals: [...document.querySelectorAll('.refusal')].map((one) => one.parentElement.textContent),
  text: document.getElementById('main').innerText,
})"""

#: Whether no change is on its way to the server.
IDLE = "!document.querySelector('.pending')"
#: Whether the page is connected, and everything is reachable and up to date.
CONNECTED = "!document.getElementById('notice').textContent && !document.querySelector('.stale, .away')"

#: The first difference between an open page and the same page opened again, or null.
FRESH = """async () => {
  const lines = (main) => {
    // The script replaces the server's time by the local one.
    for (const time of main.querySelectorAll('time[datetime]')) time.textContent = time.getAttribute('datetime');
    for (const refusal of main.querySelectorAll('.refusal')) refusal.remove();
    for (const end of main.querySelectorAll('li, h1, h2, p, div, tr')) end.append('\\n');
    return main.textContent.split('\\n').map((line) => line.replace(/\\s+/g, ' ').trim()).filter(Boolean);
  };
  const answer = await fetch(location.href);
  const fresh = new DOMParser().parseFromString(await answer.text(), 'text/html').getElementById('main');
  const open = lines(document.getElementById('main').cloneNode(true)), again = lines(fresh);
  for (let at = 0; at < Math.max(open.length, again.length); at++)
    if (open[at] !== again[at]) return `line ${at}: "${open[at]}", opened again: "${again[at]}"`;
  return null;
}"""


class OpenPage:
    """A page that stays open, with the means to measure its memory."""

    def __init__(self, name, chromium, house, path, options):
        self.name, self.house, self.path = name, house, path
        self.visitor = chromium.open(house.page.address, path, **options)
        self.page = self.visitor.page
        self.session = self.page.context.new_cdp_session(self.page)
        self.session.send("HeapProfiler.enable")

    def memory(self):
        """Return the heap in MB after a garbage collection, and the numbers of nodes and event listeners."""
        for _ in range(2):
            self.session.send("HeapProfiler.collectGarbage")
        heap = self.session.send("Runtime.getHeapUsage")["usedSize"]
        counters = self.session.send("Memory.getDOMCounters")
        return {"heap": round(heap / 1e6, 2), "nodes": counters["nodes"], "listeners": counters["jsEventListeners"]}

    def wrong(self, known):
        """Return a description of something wrong on the page, or None if it shows the states that the hub knows."""
        shown = self.page.evaluate(SHOWN)
        if shown["notice"]:
            return f"the notice {shown['notice']!r}"
        if shown["stale"]:
            return f"{shown['stale']} stale or unreachable elements"
        if shown["refusals"]:
            return f"refused: {shown['refusals']}"
        for name, state in shown["tiles"]:
            # The page of an accessory names its parts without the accessory.
            true = known.get(name) or known.get(f"Kitchen Climate/{name}")
            true = true and true[0].upper() + true[1:]
            if state != true:
                return f"{name}: {state!r} instead of {true!r}"
        for room, text in shown["strips"]:
            words = [known[f"{room} Climate/{part} Sensor"] for part in ("Temperature", "Humidity") if room in ROOMS]
            if missing := [one for one in words if one not in text]:
                return f"{room}: {text!r} instead of {missing}"
            # The strip on Home omits "No motion".
            if room in ROOMS and ("Motion" in text) != (known[f"{room} Motion"] == "motion"):
                return f"{room}: {text!r}, but the hub knows {known[f'{room} Motion']!r}"
        return self._wrong_content(known, shown) or self.page.evaluate(FRESH)

    def _wrong_content(self, known, shown):
        if self.name.startswith("home"):
            if len(shown["tiles"]) < len(ROOMS) * 14 or len(shown["strips"]) < len(ROOMS):
                return f"{len(shown['tiles'])} tiles in {len(shown['strips'])} rooms"
        elif self.name == "room" and len(shown["tiles"]) < 14:
            return f"{len(shown['tiles'])} tiles"
        elif self.name == "accessory":
            state = known["Kitchen Climate/Temperature Sensor"]
            if state not in shown["text"]:
                return f"no {state!r} in {shown['text'][:300]!r}"
        return None

    def check(self):
        """Wait until the page shows what the hub knows. Return what is wrong if it doesn't."""
        last = None

        def right():
            nonlocal last
            last = self.wrong(self.house.known)
            return last is None

        try:
            until(right, LIMIT, "the page shows the truth", interval=0.3)
        except AssertionError:
            # Messages stay until they are dismissed. The next round reports only new ones.
            self.page.evaluate("document.querySelectorAll('.refusal .dismiss').forEach((button) => button.click())")
            return f"{self.name}: {last}"
        return None


class Household:
    """The open pages, and what people do with them."""

    def __init__(self, chromium, house):
        self.house = house
        services = {accessory["name"]: accessory for accessory in house.home.cli("accessories", "--json")}
        rooms = {room["name"]: room["id"] for room in house.home.cli("rooms", "--json")}
        self.pages = [
            OpenPage("home", chromium, house, "/", DESKTOP), OpenPage("home (phone)", chromium, house, "/", PHONE),
            OpenPage("room", chromium, house, f"/rooms/{rooms['Kitchen']}", DESKTOP),
            OpenPage("accessory", chromium, house, f"/accessories/{services['Kitchen Climate']['id']}", DESKTOP),
            OpenPage("activity", chromium, house, "/activity", DESKTOP)]
        self.desktop, self.phone = self.pages[:2]
        self.guest = chromium.open(house.page.address, "/", **DESKTOP)
        self.paths = ["/", "/activity", "/scenes", "/more", "/automations", "/?by=kind", "/status/climate", "/status/lights"]
        self.paths += [f"/rooms/{identifier}" for identifier in rooms.values()]
        self.paths += [f"/accessories/{services[f'{room} Climate']['id']}" for room in ROOMS]
        self.taps = 0

    def act(self, kind):
        getattr(self, kind)()

    def tap(self):
        """Tap a lamp on the page, alternating between desktop and phone."""
        self.taps += 1
        number = lamp(self.house.random.randrange(len(ROOMS)), TAPPED)
        where = [self.desktop, self.phone][self.taps % 2].page
        button = where.locator(f'.tile:has(b:text-is("Lamp {number}")) button.touch')
        wants = "off" if button.get_attribute("aria-pressed") == "true" else "on"
        (button.tap if where is self.phone.page else button.click)()
        self.house.chosen[number] = wants
        self.await_lamp(number, wants)

    def drag(self):
        """Dim a lamp by a drag with the mouse on its tile."""
        number = lamp(self.house.random.randrange(len(ROOMS)), DRAGGED)
        page = self.desktop.page
        tile = page.locator(f'.tile:has(b:text-is("Lamp {number}"))')
        tile.scroll_into_view_if_needed()
        box = tile.bounding_box()
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] - 14
        page.mouse.move(x, y)
        page.mouse.down()
        level = int(tile.locator("input.level").input_value())
        way = 1 if level < 50 else -1
        for step in range(1, 9):
            page.mouse.move(x + way * 5 * step, y)
        value = tile.locator("input.level").input_value()
        page.mouse.up()
        self.house.chosen[number] = f"on, {value} %"
        self.await_lamp(number, f"on, {value} %")

    def await_lamp(self, number, state):
        """Wait until both pages show a state that a person chose. The check at the end of a round reports it if they don't."""
        with contextlib.suppress(TimeoutError):
            tile = (f"[...document.querySelectorAll('.tile')].find((tile) => "
                    f"tile.querySelector('b').textContent === 'Lamp {number}')")
            self.await_pages(f"{IDLE} && {tile}.querySelector('.state').textContent.startsWith('{state.capitalize()}')", timeout=12_000)

    def visit(self):
        """Open another page, as a person who looks around."""
        path = self.house.random.choice(self.paths)
        self.guest.go(path)
        assert re.search(r"\w", self.guest.text("h1")), f"{path} has no heading"

    def disconnect(self, is_offline):
        """Disconnect the desktop and the phone from the network, or connect them again."""
        for page in (self.desktop, self.phone):
            page.page.context.set_offline(is_offline)

    def await_pages(self, condition, timeout=60_000):
        """Wait until a condition, which is an expression in JavaScript, is true on the pages that people use."""
        for page in (self.desktop, self.phone):
            page.page.wait_for_function(f"() => {condition}", timeout=timeout * PATIENCE)

    def check(self):
        """Return what is wrong on the pages."""
        return [wrong for wrong in (page.check() for page in self.pages) if wrong]

    @property
    def complaints(self):
        return [f"{page.name}: {complaint}" for page in self.pages for complaint in page.visitor.complaints] + [
            f"visit: {complaint}" for complaint in self.guest.complaints]
