"""The page on a touch screen: drags, taps, errors and a hanging server, with slow and failing lamps."""

import re
import signal

import pytest

from conftest import configuration
from daemon import Daemon, program
from home import HomeDaemon
from lan import PATIENCE, end, until
from web import Page, browser, fetch

LIGHTS = [
    {"id": "desk", "name": "Desk Lamp", "brightness": True},
    {"id": "slow", "name": "Slow Lamp", "brightness": True, "latency": "600ms"},
    {"id": "broken", "name": "Broken Lamp", "brightness": True, "fail": "every 1"},
]
SWITCH = "name: Fan Switch\ncode: 466-37-726\nservices:\n  - type: Switch\n    characteristics:\n      On: false\n"


@pytest.fixture(scope="module")
def house(lan, tmp_path_factory):
    directory = tmp_path_factory.mktemp("touch")
    with lan.add_host("touch", "10.77.0.36") as host:
        home = HomeDaemon(host, directory / "home").start()
        bridge = Daemon(host, directory / "bridge", configuration("Bridge", LIGHTS)).start()
        page = Page(host, home, directory / "page")
        try:
            bridge.until_published(60)
            home.cli("homes", "add", "Villa")
            home.add(bridge.setup_code, bridge.status["deviceId"])
            page.start()
            with browser(host, directory) as chromium:
                yield House(home, bridge, page, chromium)
        finally:
            page.close()
            bridge.close()
            home.close()


class House:
    def __init__(self, home, bridge, page, chromium):
        self.home, self.bridge, self.page, self.chromium = home, bridge, page, chromium

    def lamp(self, name):
        return self.bridge.lights[f"simulated/{name}"]

    def set(self, name, *words):
        self.bridge.cli("simulate", f"simulated/{name}", *words)


@pytest.fixture
def phone(house):
    visitors = []

    def open_page(path="/", **options):
        visitor = house.chromium.open(
            house.page.address, path, viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True, **options)
        visitors.append(visitor)
        return Phone(visitor)

    yield open_page
    for visitor in visitors:
        complaints = visitor.complaints
        visitor.context.close()
        # The browser reports refused requests.
        assert not [one for one in complaints if "Failed to load resource" not in one], complaints


class Phone:
    """A visitor with a touch screen, who counts the pending changes."""

    def __init__(self, visitor):
        self.visitor, self.page = visitor, visitor.page
        self.input = visitor.context.new_cdp_session(visitor.page)
        self.sent, self.under_way, self.most = 0, 0, 0
        self.page.on("request", lambda one: self._count(one, 1))
        self.page.on("requestfinished", lambda one: self._count(one, -1))
        self.page.on("requestfailed", lambda one: self._count(one, -1))

    def _count(self, request, step):
        if request.method == "POST":
            self.sent += step > 0
            self.under_way += step
            self.most = max(self.most, self.under_way)

    def tile(self, name):
        return self.page.locator(".tile", has_text=name).first

    def shows(self, name, pattern, timeout=5):
        until(lambda: re.search(pattern, self.tile(name).locator(".state").inner_text()), timeout, f"{name}: {pattern}")

    def touch(self, kind, *points):
        self.input.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": y} for x, y in points]})

    def drag(self, name, begin, finish, steps=8, box=None):
        """Drag across a tile, from one fraction of its width to another."""
        box = box or self.tile(name).bounding_box()
        y = box["y"] + box["height"] / 2
        xs = [box["x"] + box["width"] * (begin + (finish - begin) * step / steps) for step in range(steps + 1)]
        self.touch("touchStart", (xs[0], y))
        for x in xs[1:]:
            self.touch("touchMove", (x, y))
        self.touch("touchEnd")

    def tap(self, name):
        box = self.tile(name).locator("button.touch").bounding_box()
        self.touch("touchStart", (box["x"] + 20, box["y"] + 20))
        self.touch("touchEnd")

    def is_on(self, name):
        """Return the state of a tile, which shows it in two ways."""
        by_class = "on" in self.tile(name).get_attribute("class").split()
        by_button = self.tile(name).locator("button.touch").get_attribute("aria-pressed") == "true"
        assert by_class == by_button
        return by_class

    def until_idle(self, name):
        until(lambda: "pending" not in self.tile(name).get_attribute("class").split(), 10, f"{name} is idle")


def test_drag_dims_a_lamp_and_switches_it_on_or_off(house, phone):
    house.set("desk", "on=false", "brightness=100")
    visitor = phone()
    visitor.shows("Desk Lamp", "Off")
    visitor.drag("Desk Lamp", 0.2, 0.7)
    visitor.until_idle("Desk Lamp")
    lamp = house.lamp("desk")
    assert lamp["on"] and 45 <= lamp["brightness"] <= 55, lamp
    visitor.shows("Desk Lamp", f"On, {lamp['brightness']} %")
    assert visitor.is_on("Desk Lamp")
    visitor.drag("Desk Lamp", 0.8, 0.1)
    visitor.until_idle("Desk Lamp")
    visitor.shows("Desk Lamp", "Off")
    assert not house.lamp("desk")["on"] and not visitor.is_on("Desk Lamp")


def test_a_hundred_touch_drags_work_in_a_row(house, phone):
    house.set("desk", "on=true", "brightness=50")
    visitor = phone()
    visitor.shows("Desk Lamp", "50 %")
    visitor.page.evaluate("window.cancels = 0; addEventListener('pointercancel', () => { cancels += 1; })")
    box, state = visitor.tile("Desk Lamp").bounding_box(), visitor.tile("Desk Lamp").locator(".state")
    before = state.inner_text()
    for number in range(100):
        visitor.drag("Desk Lamp", *((0.3, 0.5) if number % 2 else (0.5, 0.3)), steps=2, box=box)
        assert (after := state.inner_text()) != before, f"drag {number}"
        before = after
    assert visitor.page.evaluate("cancels") == 0
    visitor.until_idle("Desk Lamp")
    visitor.shows("Desk Lamp", f"On, {house.lamp('desk')['brightness']} %")


@pytest.mark.parametrize("taps", [2, 3, 6])
def test_last_tap_on_a_slow_lamp_determines_its_state(house, phone, taps):
    house.set("slow", "on=false")
    visitor = phone()
    visitor.shows("Slow Lamp", "Off")
    # The first change stays pending until the last tap, however long the taps take.
    held = []
    visitor.page.route("**/values", lambda route: held.append(route), times=1)
    for _ in range(taps):
        visitor.tap("Slow Lamp")
    assert visitor.is_on("Slow Lamp") == bool(taps % 2), "at once"
    held[0].continue_()
    visitor.until_idle("Slow Lamp")
    assert house.lamp("slow")["on"] == bool(taps % 2) == visitor.is_on("Slow Lamp")
    assert visitor.sent == 2 and visitor.most == 1, (visitor.sent, visitor.most)


def test_error_stays_next_to_its_button_until_the_next_attempt(house, phone):
    house.set("desk", "on=false")
    house.set("slow", "on=false", "brightness=20")
    visitor = phone()
    tile = visitor.tile("Desk Lamp")
    visitor.shows("Desk Lamp", "Off")
    visitor.page.route("**/values", lambda route: route.fulfill(status=504, json={"message": "The lamp is broken."}))
    visitor.tap("Desk Lamp")
    tile.locator(".refusal").wait_for()
    assert not visitor.is_on("Desk Lamp")
    # A changed value redraws one tile, and a new room redraws the whole page.
    house.set("desk", "brightness=30")
    house.set("slow", "on=true")
    visitor.shows("Slow Lamp", "20 %")
    house.home.cli("rooms", "add", "Attic")
    house.home.cli("assign", "Slow Lamp", "Attic")
    visitor.visitor.until_text("Attic")
    assert "The lamp is broken." in tile.locator(".refusal").inner_text()
    center = "one => { const b = one.getBoundingClientRect(); const x = b.x + b.width / 2, y = b.y + b.height / 2;" \
        " return one.contains(document.elementFromPoint(x, y)); }"
    assert tile.locator("button.touch").evaluate(center) and tile.locator("a.words").evaluate(center), "nothing is covered"
    tile.get_by_role("button", name="Dismiss").click()
    assert tile.locator(".refusal").count() == 0
    visitor.tap("Desk Lamp")
    tile.locator(".refusal").wait_for()
    visitor.page.unroute("**/values")
    visitor.tap("Desk Lamp")
    visitor.shows("Desk Lamp", "On, 30 %")
    assert tile.locator(".refusal").count() == 0 and house.lamp("desk")["on"]
    house.home.cli("rooms", "remove", "Attic")


def heard(visitor, selector):
    """Return what a screen reader says about the first element and its content, from Chromium's accessibility tree."""
    element = visitor.input.send("Runtime.evaluate", {"expression": f"document.querySelector({selector!r})"})["result"]["objectId"]
    nodes = visitor.input.send("Accessibility.queryAXTree", {"objectId": element})["nodes"]
    alerts = {node["nodeId"] for node in nodes if not node["ignored"] and node["role"]["value"] == "alert"}
    sentences = []
    for node in nodes:
        role = "" if node["ignored"] else node["role"]["value"]
        if role in ("button", "link", "slider"):
            words = [f"{role} {node['name']['value']}"]
            words += ["pressed" for one in node["properties"] if one == {"name": "pressed", "value": {"type": "tristate", "value": "true"}}]
            if role == "slider":
                # DevTools only returns the number. Screen readers say the text instead.
                described = visitor.input.send("DOM.describeNode", {"backendNodeId": node["backendDOMNodeId"]})["node"]["attributes"]
                words.append(dict(zip(described[::2], described[1::2]))["aria-valuetext"])
            sentences.append(", ".join(words))
        elif role == "StaticText" and node["parentId"] in alerts:
            sentences.append(f"alert {node['name']['value']}")
    return sentences


def test_screen_reader_says_the_state_of_a_tile_the_value_of_a_slider_and_an_error(house, phone):
    house.set("desk", "on=true", "brightness=30")
    house.set("broken", "on=false")
    visitor = phone()
    visitor.shows("Desk Lamp", "On, 30 %")
    tile = f"#{visitor.tile('Desk Lamp').get_attribute('id')}"
    assert heard(visitor, tile) == [
        "button Desk Lamp, on, 30 %. Turn off, pressed", "link Desk Lamp On, 30 %", "slider Desk Lamp, brightness, 30 %"]
    visitor.tile("Desk Lamp").get_by_role("slider").press("ArrowRight")
    assert heard(visitor, tile)[2] == "slider Desk Lamp, brightness, 31 %"
    visitor.tap("Broken Lamp")
    visitor.tile("Broken Lamp").locator(".refusal").wait_for()
    assert heard(visitor, ".refusal") == ["alert The bridge responds, but the accessory doesn't.", "button Dismiss"]
    visitor.shows("Desk Lamp", "On, 31 %")
    visitor.visitor.go(visitor.tile("Desk Lamp").locator("a.words").get_attribute("href"))
    assert heard(visitor, ".control.main") == ["slider Brightness, 31 %"]


def test_all_off_names_the_lamp_that_failed_and_offers_undo(house, phone):
    house.set("desk", "on=true", "brightness=30")
    house.set("slow", "on=false")
    house.set("broken", "on=true")
    visitor = phone("/status/lights")
    visitor.page.get_by_role("button", name="Turn all 2 off").click()
    toast = visitor.page.locator("#toasts")
    toast.get_by_text("These didn't turn off: Broken Lamp. The other devices are off.").wait_for()
    assert not house.lamp("desk")["on"] and house.lamp("broken")["on"]
    # The message stays until it's dismissed.
    assert toast.locator(".toast[data-seconds]").count() == 0
    toast.get_by_role("button", name="Undo").click()
    visitor.visitor.until_text("These devices are on again.", "#toasts")
    assert house.lamp("desk")["on"] and house.lamp("desk")["brightness"] == 30
    house.set("broken", "on=false")


def test_partial_scene_failure_is_shown_until_dismissed(house, phone):
    house.home.cli("scenes", "add", "Evening")
    house.home.cli("scenes", "set", "Evening", "Broken Lamp", "on=yes")
    visitor = phone("/scenes")
    tile = visitor.tile("Evening")
    tile.get_by_role("button", name="Run Evening").click()
    tile.locator(".refusal").wait_for()
    house.home.cli("scenes", "add", "Morning")
    visitor.visitor.until_text("Morning")
    assert "Broken Lamp" in tile.locator(".refusal").inner_text()
    for name in ("Evening", "Morning"):
        house.home.cli("scenes", "remove", name)


def test_code_error_and_typed_text_survive_live_updates(house, phone, tmp_path):
    visitor = phone("/add")
    page = visitor.page
    page.get_by_role("button", name="Look for accessories").click()
    page.get_by_label("Setup code").fill("518")
    page.get_by_label("Setup code").press("Enter")
    message = page.get_by_role("alert").filter(has_text="eight digits")
    message.wait_for()
    page.get_by_label("Setup code").fill("4663")
    page.get_by_label("Setup code").blur()
    (tmp_path / "switch.yaml").write_text(SWITCH)
    switch = house.page.host.popen(program("hapsim"), tmp_path / "switch.yaml", "--state-directory", tmp_path / "switch")
    try:
        visitor.visitor.until_text("Fan Switch", timeout=20)
        assert message.is_visible() and page.get_by_label("Setup code").input_value() == "4663"
        message.get_by_role("button", name="Dismiss").click()
        assert not message.is_visible()
        page.get_by_role("button", name="Cancel").click()
    finally:
        end(switch)


def test_focused_slider_follows_external_changes(house, phone):
    house.set("desk", "on=true", "brightness=30")
    visitor = phone()
    visitor.shows("Desk Lamp", "30 %")
    visitor.visitor.go(visitor.tile("Desk Lamp").locator("a.words").get_attribute("href"))
    slider = visitor.page.get_by_role("slider", name="Brightness")
    slider.focus()
    house.set("desk", "brightness=75")
    until(lambda: slider.input_value() == "75", 5, "the slider follows")
    slider.press("ArrowRight")
    until(lambda: house.lamp("desk")["brightness"] == 76, 5, "one more than 75")


def test_page_detects_a_hung_server(house, phone):
    """Advances the browser's clock. The long test waits in real time."""
    visitor = phone()
    visitor.page.clock.install()
    visitor.visitor.go("/")
    visitor.shows("Desk Lamp", "On|Off")
    # Once the page notices a change, it has received the first beat.
    house.set("desk", "on=true", "brightness=40")
    visitor.shows("Desk Lamp", "40 %")
    house.page.process.send_signal(signal.SIGSTOP)
    try:
        visitor.page.clock.fast_forward(14_000)
        assert not visitor.visitor.text("#notice")
        # The page waits again for each beat that the server had sent before it stopped, and receives at most a few.
        until(lambda: visitor.page.clock.fast_forward(6_000) or "Connection lost" in visitor.visitor.text("#notice"), 10,
              "the notice appears")
    finally:
        house.page.process.send_signal(signal.SIGCONT)
    until(lambda: not visitor.visitor._now("#notice"), 10, "the notice disappears")
    house.set("desk", "brightness=45")
    visitor.shows("Desk Lamp", "45 %")


@pytest.mark.long
def test_page_detects_a_hung_server_in_real_time(house, phone):
    visitor = phone()
    visitor.shows("Desk Lamp", "On|Off")
    house.page.process.send_signal(signal.SIGSTOP)
    try:
        visitor.tap("Desk Lamp")
        visitor.tile("Desk Lamp").locator(".refusal").wait_for(timeout=11_000 * PATIENCE)
        visitor.visitor.until_text("Connection lost", "#notice", timeout=20)
    finally:
        house.page.process.send_signal(signal.SIGCONT)
    until(lambda: not visitor.visitor._now("#notice"), 10, "the notice disappears")


def test_page_reports_a_missing_hub(house, tmp_path):
    class Nowhere:
        socket = tmp_path / "nowhere.sock"

    page = Page(house.page.host, Nowhere, tmp_path / "page")
    try:
        page.start(allowed=False)
        body = fetch(house.page.host, page.address)[2]
        assert "The home hub isn&#39;t responding" in body and "permission" not in body, body
    finally:
        page.close()


def test_tiles_are_reordered_with_a_finger_again_and_again(house, phone):
    room = re.search(r'href="(/rooms/[^"]+)">No room<', fetch(house.page.host, house.page.address)[2])[1]
    visitor = phone(room + "/order")
    names = lambda: visitor.page.locator(".order li b").all_inner_texts()  # noqa: E731
    before = names()
    for _ in before:
        boxes = [grip.bounding_box() for grip in visitor.page.locator(".grip").all()]
        (x, last), first = (boxes[-1]["x"] + 10, boxes[-1]["y"] + 10), boxes[0]["y"] + 5
        expected = names()[-1:] + names()[:-1]
        visitor.touch("touchStart", (x, last))
        for step in range(1, 9):
            visitor.touch("touchMove", (x, last + (first - last) * step / 8))
        visitor.touch("touchEnd")
        until(lambda: names() == expected and not visitor.page.locator(".pending").count(), 5, "the new order")
    assert names() == before and visitor.sent == len(before)
