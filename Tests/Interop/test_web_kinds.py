"""The controls of each kind of device on the page, with simulated devices, a mouse, a touch screen and a keyboard."""

import os
import re
import shutil
import subprocess
import threading
from pathlib import Path

import pytest
from daemon import program
from home import HomeDaemon
from lan import end, until
from web import Page, browser

EXAMPLES = Path(__file__).resolve().parents[2] / "Examples/Accessories"


@pytest.fixture(scope="module")
def house(lan, tmp_path_factory):
    directory = tmp_path_factory.mktemp("kinds")
    with lan.add_host("kinds", "10.77.0.37") as host:
        home = HomeDaemon(host, directory / "home").start()
        simulators, page = [], Page(host, home, directory / "page")
        try:
            home.cli("homes", "add", "Villa")
            for file in ("living-room.yaml", "house.yaml"):
                simulators.append(Simulator(host, Path(shutil.copy(EXAMPLES / file, directory))))
                # Avahi may still be choosing the host's name.
                until(lambda: home.add(*simulators[-1].identity, check=False).returncode == 0, 60, f"{file} is added")
            page.start()
            with browser(host, directory) as chromium:
                yield House(home, page, chromium, *simulators)
        finally:
            page.close()
            for simulator in simulators:
                end(simulator.process)
            home.close()


class Simulator:
    """`hapsim` with a file, whose output is recorded."""

    def __init__(self, host, file):
        self.name = re.search(r"^name: (.*)$", file.read_text(), re.M)[1]
        self.process = host.popen(
            program("hapsim"), file, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.seen = []
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self.process.stdout:
            self.seen.append(line.rstrip("\n"))

    @property
    def identity(self):
        """The setup code, and a prefix of the name."""
        return until(lambda: re.search(r"setup code: (\d{3}-\d{2}-\d{3})", "\n".join(self.seen)), 20, "a setup code")[1], self.name

    def type(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def written(self, name):
        """Return the values that were written to a characteristic, oldest first."""
        found = (re.search(rf"/{name} = ([^ ,]+).*written$", line) for line in list(self.seen))
        return [one[1].removesuffix(".0") for one in found if one]


class House:
    def __init__(self, home, page, chromium, living_room, house):
        self.home, self.page, self.chromium, self.living_room, self.house = home, page, chromium, living_room, house
        self.services = {}
        for one in home.cli("accessories", "--json"):
            shown = home.cli("show", one["name"], "--json")
            self.services[one["name"]] = next(
                (service["id"] for service in shown["services"] if service.get("isPrimary")), shown["services"][0]["id"])


@pytest.fixture
def visit(house):
    visitors = []

    def open_page(name, **options):
        visitor = house.chromium.open(house.page.address, f"/services/{house.services[name]}", **options)
        visitor.page.wait_for_function("() => !document.querySelector('#state.stale')")
        visitors.append(visitor)
        return visitor

    yield open_page
    for visitor in visitors:
        # The browser reports the server's question before an opening as a refused request.
        complaints = [one for one in visitor.complaints if "409" not in one]
        foreign = visitor.foreign
        visitor.context.close()
        assert not complaints and not foreign, (complaints, foreign)


PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}


def value(visitor, name):
    return visitor.page.get_by_role("slider", name=name, exact=True).input_value()


def center(locator):
    box = locator.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2, box["width"] / 2


def idle(visitor):
    until(lambda: visitor.page.locator(".control.pending").count() == 0, 10, "all changes are sent")


def test_drag_on_the_color_wheel_sets_hue_and_saturation(house, visit):
    visitor = visit("Color Lamp")
    mouse = visitor.page.mouse
    visitor.page.locator(".disc").scroll_into_view_if_needed()
    x, y, radius = center(visitor.page.locator(".disc"))
    sent, under_way = [], []
    visitor.page.on("request", lambda one: one.method == "POST" and (sent.append(one), under_way.append(len(sent) - done[0])))
    done = [0]
    visitor.page.on("requestfinished", lambda one: one.method == "POST" and done.__setitem__(0, done[0] + 1))
    mouse.move(x + radius * 0.5, y)
    mouse.down()
    for step in range(1, 31):
        # From red to blue, counterclockwise.
        mouse.move(x + radius * 0.5 - radius * step / 40, y - radius * 0.7 * step / 30)
    mouse.move(x, y - radius * 0.85)
    mouse.up()
    idle(visitor)
    until(lambda: house.living_room.written("Hue")[-1:] == [value(visitor, "Hue")], 5, "the last hue")
    assert abs(float(value(visitor, "Hue")) - 270) <= 3 and float(value(visitor, "Saturation")) > 90
    assert house.living_room.written("Saturation")[-1] == value(visitor, "Saturation")
    # The number of requests depends on the speed of the computer.
    assert max(under_way) == 1, under_way
    # The keyboard moves the same values.
    saturation = visitor.page.get_by_role("slider", name="Saturation")
    saturation.focus()
    saturation.press("ArrowLeft")
    idle(visitor)
    until(lambda: house.living_room.written("Saturation")[-1] == value(visitor, "Saturation"), 5, "one step less")
    knob = visitor.page.locator(".wheel .knob")
    assert abs(float(knob.get_attribute("cy")) + float(value(visitor, "Saturation"))) < 3
    visitor.page.get_by_role("button", name="Daylight").click()
    until(lambda: house.living_room.written("ColorTemperature")[-1:] == ["182"], 5, "a preset")


def test_dial_is_turned_with_a_finger_buttons_and_keys(house, visit):
    visitor = visit("Hall Thermostat", **PHONE)
    touch = visitor.context.new_cdp_session(visitor.page)
    x, y, radius = center(visitor.page.locator(".dial"))

    def send(kind, *points):
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": y} for x, y in points]})

    # The right end of the horizontal line is at five sixths of the scale, which is from 5 to 30 degrees.
    send("touchStart", (x - radius * 0.84, y))
    for step in range(1, 11):
        send("touchMove", (x - radius * 0.84 * (1 - step / 5), y - radius * 0.84 * (1 - abs(1 - step / 5))))
    send("touchEnd")
    idle(visitor)
    target = visitor.page.get_by_role("slider", name="Temperature")
    assert abs(float(target.input_value()) - 26) <= 0.5, target.input_value()
    before = float(target.input_value())
    # Quick presses add up, however long the first change takes.
    for _ in range(3):
        visitor.page.get_by_role("button", name="Increase Temperature").click()
    idle(visitor)
    until(lambda: house.house.written("TargetTemperature")[-1:] == [f"{before + 1.5:g}"], 5, "three steps more")
    target.focus()
    target.press("ArrowLeft")
    idle(visitor)
    until(lambda: house.house.written("TargetTemperature")[-1:] == [f"{before + 1:g}"], 5, "one step less")
    visitor.until_text(f"{before + 1:g} °C", ".aim")
    # Both ends of the range appear only in automatic mode.
    assert visitor.page.get_by_role("slider").count() == 1
    visitor.page.get_by_role("button", name="Automatic").click()
    visitor.page.get_by_role("slider", name="Heat to").wait_for()
    assert visitor.page.get_by_role("slider").count() == 2
    visitor.page.get_by_role("button", name="Heat", exact=True).click()
    target.wait_for()


def test_cover_stops_on_its_way(house, visit):
    visitor = visit("Bedroom Blind")
    page = visitor.page
    # The first change stays pending until Stop, which replaces the waiting ones.
    held = []
    page.route("**/values", lambda route: held.append(route), times=1)
    page.get_by_role("button", name="Open").click()
    page.get_by_role("button", name="Close").click()
    page.get_by_role("button", name="Stop").click()
    held[0].continue_()
    idle(visitor)
    until(lambda: house.house.written("HoldPosition"), 5, "Stop arrives")
    visitor.until_text(r"[0-9]+ % open|Closed", "#state")
    assert "Open" not in visitor.text("#state") and house.house.written("TargetPosition")[-1:] == ["100"]
    page.get_by_role("button", name="Close").click()
    visitor.until_text("^Closed", "#state")


def test_each_press_of_a_remote_key_counts(house, visit):
    visitor = visit("Television")
    page = visitor.page
    mark = len(house.living_room.written("RemoteKey"))
    for _ in range(3):
        page.get_by_role("button", name="Right").click()
    page.get_by_role("button", name="OK").focus()
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    until(lambda: house.living_room.written("RemoteKey")[mark:] == ["7", "7", "7", "4", "8"], 5, "five presses in order")
    assert page.get_by_role("button", name="OK").evaluate("one => one === document.activeElement")
    assert page.get_by_role("button", name="Radio").count() == 0, "a hidden input"
    page.get_by_role("button", name="Game Console").click()
    visitor.until_text("Game Console", "#state")
    page.get_by_role("button", name="Volume up").click()
    until(lambda: house.living_room.written("VolumeSelector") == ["0"], 5, "the speaker's volume")


def test_lock_asks_moves_and_jams(house, visit):
    visitor = visit("Front Lock", **PHONE)
    page = visitor.page
    assert "Readings" not in visitor.text()  # They would only repeat the state.
    page.get_by_role("button", name="Locked").tap()
    page.get_by_role("dialog").get_by_role("button", name="Unlock").tap()
    visitor.until_text("Unlocking…|Unlocked", ".latch")
    visitor.until_text("Unlocked", ".latch")
    house.house.type("Front Lock/LockCurrentState=Jammed")
    visitor.until_text("Jammed", ".latch")
    visitor.until_text("Check the door")
    page.get_by_role("button", name="Lock", exact=True).or_(page.get_by_role("button", name="Unlock", exact=True)).first.wait_for()
    house.house.type("Front Lock/LockCurrentState=Secured")


def test_garage_door_opens_after_a_question_and_closes_without_one(house, visit):
    visitor = visit("Garage")
    page, mark = visitor.page, len(house.house.written("TargetDoorState"))
    written = lambda: house.house.written("TargetDoorState")[mark:]  # noqa: E731
    page.get_by_role("button", name="Closed").click()
    page.get_by_role("dialog").get_by_role("button", name="Cancel").click()
    visitor.until_text("Closed", ".latch")
    assert not written()
    page.get_by_role("button", name="Closed").click()
    page.get_by_role("dialog").get_by_role("button", name="Open").click()
    visitor.until_text("^Open(?!ing)", ".latch")
    page.locator(".latch").press("Enter")
    visitor.until_text("^Closed", ".latch")
    assert written() == ["0", "1"] or written() == ["Open", "Closed"], written()


def test_alarm_is_armed_at_once_and_disarmed_after_a_question(house, visit):
    visitor = visit("House Alarm", **PHONE)
    page = visitor.page
    page.get_by_role("button", name="Armed, away").tap()
    visitor.until_text("Will be armed, away", "#state")
    page.get_by_role("button", name="Off", exact=True).tap()
    page.get_by_role("dialog").get_by_role("button", name="Disarm").tap()
    visitor.until_text("^Off", "#state")
    # The keyboard does the same.
    page.get_by_role("button", name="Armed, at home").press("Enter")
    visitor.until_text("[Aa]rmed, at home", "#state")
    page.get_by_role("button", name="Off", exact=True).press("Enter")
    page.keyboard.press("Tab")
    page.get_by_role("dialog").get_by_role("button", name="Disarm").press("Enter")
    visitor.until_text("^Off", "#state")
    assert page.get_by_role("button", name="Off", exact=True).get_attribute("aria-pressed") == "true"


def test_valve_runs_for_the_chosen_minutes(house, visit):
    visitor = visit("Water Tap")
    page, mark = visitor.page, len(house.house.written("SetDuration"))
    page.get_by_label("Duration").select_option(label="5 min")
    page.get_by_role("button", name="Set").click()
    until(lambda: house.house.written("SetDuration")[mark:] == ["300"], 5, "the duration")
    run = page.get_by_role("switch", name="Run")
    run.click()
    visitor.until_text("4 min|5 min", "#state")
    assert run.get_attribute("aria-checked") == "true"
    run.press("Space")
    until(lambda: run.get_attribute("aria-checked") == "false", 5, "it is off")
    visitor.until_text("Off|Not running|Closed", "#state")


def test_fan_has_speed_direction_and_swing(house, visit):
    visitor = visit("Ceiling Fan")
    page = visitor.page
    written = lambda name: house.living_room.written(name)[-1:]  # noqa: E731
    speed = page.get_by_role("slider", name="Speed")
    box = speed.bounding_box()
    page.mouse.click(box["x"] + box["width"] * 0.9, box["y"] + box["height"] / 2)
    idle(visitor)
    shown = value(visitor, "Speed")
    assert float(shown) > 80
    until(lambda: written("RotationSpeed") == [shown], 5, "the speed")
    speed.press("ArrowLeft")
    until(lambda: written("RotationSpeed") == [f"{float(shown) - 1:g}"], 5, "one step less")
    page.get_by_role("button", name="Counterclockwise").click()
    until(lambda: written("RotationDirection") in (["1"], ["CounterClockwise"]), 5, "the direction")
    swing = page.get_by_role("switch", name="Swing")
    swing.press("Space")
    until(lambda: swing.get_attribute("aria-checked") == "true" and house.living_room.written("SwingMode"), 5, "it swings")
    page.get_by_role("button", name="Automatic").press("Enter")
    until(lambda: house.living_room.written("TargetFanState"), 5, "the mode")
    power = page.get_by_role("switch", name="Ceiling Fan")
    power.click()
    visitor.until_text("^Off", "#state")
    # A speed turns the fan on.
    speed.press("ArrowRight")
    until(lambda: power.get_attribute("aria-checked") == "true", 5, "it is on")


def test_humidifier_is_switched_and_its_target_set(house, visit):
    visitor = visit("Bedroom Humidifier")
    page = visitor.page
    power = page.get_by_role("switch", name="Bedroom Humidifier")
    before = power.get_attribute("aria-checked")
    power.press("Space")
    until(lambda: power.get_attribute("aria-checked") != before and house.house.written("Active"), 5, "it is switched")
    idle(visitor)
    power.click()
    until(lambda: power.get_attribute("aria-checked") == before, 5, "it is switched back")
    idle(visitor)
    target = page.get_by_role("slider", name="Humidify to")
    before = float(target.input_value())
    page.get_by_role("button", name="Increase Humidify to").click()
    idle(visitor)
    raised = float(target.input_value())
    assert raised > before
    until(lambda: house.house.written("RelativeHumidityHumidifierThreshold")[-1:] == [f"{raised:g}"], 5, "the target")
    target.press("ArrowLeft")
    idle(visitor)
    until(lambda: float(house.house.written("RelativeHumidityHumidifierThreshold")[-1]) < raised, 5, "the target")


def test_purifier_has_modes_and_speed_and_its_filter_is_reset(house, visit):
    visitor = visit("Air Purifier")
    page = visitor.page
    page.get_by_role("switch", name="Air Purifier").click()
    visitor.until_text("Purifying|On", "#state")
    page.get_by_role("button", name="Automatic").click()
    until(lambda: house.house.written("TargetAirPurifierState"), 5, "the mode")
    page.get_by_role("button", name="Manual").press("Enter")
    speed = page.get_by_role("slider", name="Speed")
    speed.press("ArrowRight")
    idle(visitor)
    until(lambda: house.house.written("RotationSpeed")[-1:] == [f"{float(speed.input_value()):g}"], 5, "the speed")
    page.get_by_role("button", name="Reset Filter").click()
    until(lambda: house.house.written("ResetFilterIndication"), 5, "the filter is reset")
    page.get_by_role("switch", name="Air Purifier").press("Space")
    visitor.until_text("^Off", "#state")


def test_change_of_one_value_is_a_small_event(house, visit):
    visitor = visit("Color Lamp")
    session, sizes = visitor.context.new_cdp_session(visitor.page), []
    session.send("Network.enable")
    session.on("Network.eventSourceMessageReceived", lambda one: sizes.append((one["eventName"], len(one["data"]))))
    # A change that arrives before the stream has drawn the page for the first time replaces the whole page.
    house.living_room.type("Color Lamp/Brightness=32")
    visitor.until_text("32 %", "#state")
    sizes.clear()
    house.living_room.type("Color Lamp/Brightness=33")
    visitor.until_text("33 %", "#state")
    changes = [size for name, size in sizes if name != "beat"]
    assert changes and all(name != "main" for name, _ in sizes) and max(changes) <= 1024, sizes


def test_every_control_fits_a_phone_at_200_percent(house, visit, tmp_path):
    """Set PICTURES=folder to keep the screenshots."""
    wide = []
    visitor = visit("Color Lamp", **PHONE | {"viewport": {"width": 360, "height": 780}})
    for name, id in house.services.items():
        visitor.go(f"/services/{id}")
        visitor.page.evaluate("document.documentElement.style.fontSize = '200%'")
        if visitor.page.evaluate("document.documentElement.scrollWidth > innerWidth"):
            wide.append(name)
    assert not wide
    if "PICTURES" in os.environ:
        take_pictures(house, visit, Path(os.environ["PICTURES"]))


def take_pictures(house, visit, folder):
    folder.mkdir(parents=True, exist_ok=True)
    for size, options in {"phone": PHONE, "desktop": {"viewport": {"width": 1440, "height": 900}}}.items():
        for scheme in ("light", "dark"):
            visitor = visit("Color Lamp", color_scheme=scheme, **options)
            for name, id in house.services.items():
                visitor.go(f"/services/{id}")
                visitor.page.wait_for_function("() => !document.querySelector('.stale')")
                visitor.page.screenshot(path=folder / f"{name.replace(' ', '-')}-{size}-{scheme}.png", full_page=True)


#: Returns the box of every element, and the style of the visible ones.
LOOK = """() => [...document.querySelectorAll("body, body *")].map((one) => {
  const box = one.getBoundingClientRect(), style = getComputedStyle(one);
  const shown = ["color", "backgroundColor", "fontSize", "fontWeight", "borderTopColor", "borderTopLeftRadius", "cursor"];
  return [one.tagName, one.id, one.getAttribute("class"), box.x, box.y, box.width, box.height]
    .concat(box.width && style.opacity > 0 ? shown.map((name) => style[name]) : []);
})"""


@pytest.mark.parametrize("path", ["/", "/more?tablet=1"])
@pytest.mark.parametrize("options", [PHONE, {"viewport": {"width": 1000, "height": 800}, "color_scheme": "dark"},
                                     {"viewport": {"width": 2560, "height": 1440}}], ids=["phone", "dark", "wide"])
def test_home_looks_the_same_before_the_rest_of_its_style_is_loaded(house, options, path):
    visitor = house.chromium.open(house.page.address, path, **options)
    try:
        visitor.go("/")
        page = visitor.page
        page.wait_for_function("() => document.querySelectorAll('.tile').length > 10 && !document.querySelector('.stale')")
        whole = page.evaluate(LOOK)
        page.evaluate("() => { document.querySelector('link[rel=stylesheet]').disabled = true }")
        differences = [pair for pair in zip(page.evaluate(LOOK), whole, strict=True) if pair[0] != pair[1]]
        assert not differences[:3] and not visitor.complaints
    finally:
        visitor.context.close()
