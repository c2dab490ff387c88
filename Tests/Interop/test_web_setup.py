"""The setup of a home on the page: from the first start to a lamp that is switched, with a real bridge and hub."""

import re
import time
from pathlib import Path

import axe_playwright_python
import pytest
from conftest import configuration
from home import hub, make_home  # noqa: F401 (fixtures)
from lan import PATIENCE, until
from web import Page, browser, fetch

AXE = (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text()
LAMPS = [{"id": "desk", "name": "Desk Lamp"}, {"id": "spot", "name": "Spot"}, {"id": "floor", "name": "Floor Lamp"}]


@pytest.fixture
def make_house(make_home, make_daemon, tmp_path):
    """Start a bridge, a hub and the page, as after the installation of the packages. Nothing else was done."""
    houses = []

    def make(lamps=LAMPS):
        home = make_home()
        (home.installed_apps / "homeweb.yaml").write_text("app: org.lamplighter.homeweb\nuser: root\n")
        home.cli("homes", check=False)
        home.process.send_signal(1)
        bridge = make_daemon(configuration("Demo", lamps))
        bridge.until_published()
        page = Page(home.host, home, tmp_path / "page", listen="0.0.0.0:0", bridge=bridge.page_socket).start(allowed=False)
        houses.append(House(home, bridge, page))
        return houses[-1]

    yield make
    for house in houses:
        house.page.close()


class House:
    def __init__(self, home, bridge, page):
        self.home, self.bridge, self.page = home, bridge, page

    @property
    def link(self):
        """The link that the installation prints."""
        return self.home.cli("web", "--state-directory", self.page.state_directory, "--once").stdout.strip()

    def open(self, chromium, path="/", **options):
        """Open the page as a visitor who is signed in as the owner."""
        visitor = chromium.open(self.page.address, "/enter", **options)
        visitor.context.add_cookies([{"name": "lamplighter", "value": self.page.token, "url": self.page.address}])
        return visitor.go(path)

    def add_bridge(self, visitor):
        """Add this computer's devices, and return when the table is shown."""
        if not self.home.cli("homes", "--json"):
            self.home.cli("homes", "add", "Villa")
        visitor.go("/add").page.get_by_role("button", name="Add this computer's devices").click()
        visitor.until_text("Set up your accessories", "h1", timeout=40)

    @property
    def rooms(self):
        """The names of the accessories with their rooms and favorites."""
        return {one["name"]: (one["room"], any(service.get("favorite") for service in one.get("services", [])))
                for one in self.home.cli("accessories", "--json")}


@pytest.fixture
def chromium(hub, tmp_path):
    with browser(hub, tmp_path) as chromium:
        yield chromium


def complaints(visitor):
    """The messages of the browser, except those about refused forms and about a page without encryption."""
    return [one for one in visitor.complaints if "400" not in one and "untrustworthy" not in one]


def field(visitor, accessory, kind="Name"):
    return visitor.page.get_by_label(f"{kind} of {accessory}", exact=True)


def save(visitor):
    visitor.page.get_by_role("button", name=re.compile("^Save")).first.click()


def tab_to(visitor, name):
    """Move the focus with the Tab key to the element with this text or label."""
    focused = "(document.activeElement.getAttribute('aria-label') || document.activeElement.labels?.[0]?.innerText || document.activeElement.innerText)"
    for _ in range(60):
        visitor.page.keyboard.press("Tab")
        if name in (visitor.page.evaluate(focused) or ""):
            assert visitor.page.evaluate("document.activeElement.matches(':focus-visible')"), f"{name} shows no focus"
            return
    raise AssertionError(f"the Tab key doesn't reach {name}")


def violations(visitor):
    session = visitor.context.new_cdp_session(visitor.page)
    session.send("Runtime.evaluate", {"expression": AXE})
    answer = session.send("Runtime.evaluate", {
        "expression": "axe.run(document, {resultTypes: ['violations']}).then(r => JSON.stringify("
                      "r.violations.map(v => [v.id, v.nodes.map(n => n.html + n.failureSummary).slice(0, 3)])))",
        "awaitPromise": True, "returnByValue": True})
    return answer["result"]["value"]


def test_three_actions_lead_from_the_link_to_a_switched_lamp_by_keyboard_alone(make_house, chromium):
    house = make_house()
    link = house.link
    address, token = link.split("enter#")
    assert address == f"http://{house.home.host.address}:{house.page.port}/", "the link has the address on the network"
    visitor = chromium.open(address, f"/enter#{token}")
    press = visitor.page.keyboard.press
    # Signing in needs no action, and neither does the permission.
    visitor.until_text("No homes yet")
    tab_to(visitor, "Home name")
    visitor.page.keyboard.type("Villa")
    # The live stream shows the new home before the answer to the form opens its page.
    with visitor.page.expect_navigation():
        press("Enter")
    visitor.until_text("This home is empty")
    tab_to(visitor, "Add this computer's devices")
    press("Enter")
    visitor.until_text("Set up your accessories", "h1", timeout=40)
    tab_to(visitor, "Save all 3")
    with visitor.page.expect_navigation():
        press("Enter")
    visitor.until_text("No room")
    tab_to(visitor, "Desk Lamp, off")
    press("Enter")
    until(lambda: house.bridge.lights["simulated/desk"]["on"], 5, "the lamp is on")
    assert not complaints(visitor) and not visitor.foreign
    # The link worked once.
    stranger = chromium.open(address, f"/enter#{token}")
    stranger.until_text("Wrong token")


def test_140_lamps_are_one_table_with_names_rooms_and_favorites(make_house, chromium):
    house = make_house([{"id": f"l{number}", "name": f"Lamp {number}"} for number in range(1, 141)])
    visitor = house.open(chromium)
    house.add_bridge(visitor)
    assert visitor.page.locator("tbody tr").count() == 140
    assert violations(visitor) == "[]"
    field(visitor, "Lamp 7").fill("Piano")
    visitor.page.get_by_label("Lamp 7 is a favorite").check()
    for number in range(1, 141):
        visitor.page.evaluate(
            "([name, room]) => { document.querySelector(`[aria-label='Room of ${name}']`).value = room }",
            [f"Lamp {number}", ["", "Hall", "hall", "Attic"][number % 4]])
    began = time.monotonic()
    save(visitor)
    visitor.until_text("Piano", timeout=30)
    seconds = time.monotonic() - began
    assert seconds < 8 * PATIENCE, f"the table with 140 lamps took {seconds:.1f} s"
    visitor.until_text("Favorites")
    rooms = house.home.cli("rooms", "--json")
    assert sorted(room["name"] for room in rooms) == ["Attic", "Hall", "Villa"]
    listed = house.home.cli("accessories", "--json")
    by_name = {one["name"]: one for one in listed}
    assert "Lamp 7" not in by_name and "Piano" in by_name and len(listed) == 141
    text = house.home.cli("accessories", "--by", "room").stdout
    assert text.index("Attic") < text.index("Hall") < text.index("No room")
    print(f"140 lamps saved in {seconds:.2f} s")


def test_refused_name_shows_its_reason_and_the_rest_of_the_form_stays(make_house, chromium):
    house = make_house()
    visitor = house.open(chromium)
    house.add_bridge(visitor)
    field(visitor, "Desk Lamp").fill("Desk_Lamp")
    # The reason already appears while typing.
    visitor.until_text("letters, digits", "tr:has([aria-label='Name of Desk Lamp'])")
    field(visitor, "Spot").fill("Villa")
    field(visitor, "Spot", "Room").fill("Bad!")
    field(visitor, "Floor Lamp").fill("Reading Lamp")
    field(visitor, "Floor Lamp", "Room").fill("Study")
    save(visitor)
    visitor.until_text("2 accessories need a change", ".message")
    assert field(visitor, "Desk Lamp").input_value() == "Desk_Lamp"
    assert field(visitor, "Desk Lamp").get_attribute("aria-invalid") == "true"
    spot = visitor.page.locator("tr", has=field(visitor, "Spot"))
    assert spot.locator(".hint").nth(0).inner_text() and spot.locator(".hint").nth(1).inner_text()
    assert field(visitor, "Floor Lamp").input_value() == "Reading Lamp"
    assert field(visitor, "Floor Lamp", "Room").input_value() == "Study"
    assert violations(visitor) == "[]"
    assert "Reading Lamp" not in house.rooms, "nothing is saved until everything can be"
    field(visitor, "Desk Lamp").fill("Desk Light")
    field(visitor, "Spot").fill("Floor Lamp")
    field(visitor, "Spot", "Room").fill("study")
    save(visitor)
    visitor.until_text("Reading Lamp")
    assert {"Desk Light", "Floor Lamp", "Reading Lamp"} <= set(house.rooms)
    assert [room["name"] for room in house.home.cli("rooms", "--json") if room["name"] != "Villa"] == ["Study"]
    assert not complaints(visitor)


def test_accessory_that_disappears_during_the_form_is_reported_and_the_rest_is_saved(make_house, chromium):
    house = make_house()
    visitor = house.open(chromium)
    house.add_bridge(visitor)
    field(visitor, "Desk Lamp").fill("Reading Lamp")
    house.bridge.configure(configuration("Demo", LAMPS[:2]))
    house.bridge.cli("reload")
    until(lambda: "Floor Lamp" not in house.rooms, 20, "the lamp is gone")
    save(visitor)
    visitor.until_text("Floor Lamp was removed in the meantime", ".message")
    assert field(visitor, "Desk Lamp").input_value() == "Reading Lamp"
    assert visitor.page.locator("tbody tr").count() == 2
    save(visitor)
    visitor.until_text("Reading Lamp")


def test_second_browser_sees_the_changes_of_the_first_before_it_saves(make_house, chromium):
    house = make_house()
    first = house.open(chromium)
    house.add_bridge(first)
    second = house.open(chromium, first.page.url.removeprefix(house.page.address.rstrip("/")))
    field(first, "Desk Lamp").fill("Reading Lamp")
    save(first)
    first.until_text("Reading Lamp")
    field(second, "Spot").fill("Ceiling")
    save(second)
    second.until_text("Reading Lamp was changed in the meantime", ".message")
    assert field(second, "Spot").input_value() == "Ceiling"
    save(second)
    second.until_text("Ceiling")
    assert {"Reading Lamp", "Ceiling", "Floor Lamp"} <= set(house.rooms)


@pytest.mark.parametrize("role", ["member", "guest"])
def test_only_owners_add_the_lights_of_this_computer(make_house, chromium, role):
    house = make_house()
    home = house.home.cli("homes", "add", "Villa", "--json")["id"]
    token = house.home.cli(
        "web", "--state-directory", house.page.state_directory, "--invite", role, "--role", role, "--json")["token"]
    until(lambda: "Villa" in fetch(house.home.host, house.page.address, "/", token=token)[2], 10, "the home is shown")
    for path in ("/", "/add"):
        assert "this computer" not in fetch(house.home.host, house.page.address, path, token=token)[2]
    status, _, _ = fetch(
        house.home.host, house.page.address, "/add", "POST", {"home": home, "bridge": "1"}, token=token)
    assert status == 403
    assert "setup code shown" not in house.bridge.log
    # Owners get the offer, without a setup code on the page or in a log.
    body = fetch(house.home.host, house.page.address, "/add", token=house.page.token)[2]
    assert "devices" in body and house.bridge.setup_code not in body + house.page.log


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_violations_in_the_setup(make_house, chromium, scheme):
    house = make_house()
    visitor = house.open(chromium, color_scheme=scheme, viewport={"width": 390, "height": 844})
    visitor.until_text("No homes yet")
    found = {"first start": violations(visitor)}
    house.home.cli("homes", "add", "Villa")
    visitor.until_text("Add this computer's devices")
    found["offer"] = violations(visitor)
    found["add"] = violations(visitor.go("/add"))
    house.add_bridge(visitor)
    found["table"] = violations(visitor)
    visitor.page.evaluate("document.documentElement.style.fontSize = '200%'")
    found["large"] = violations(visitor)
    assert not visitor.page.evaluate("document.documentElement.scrollWidth > innerWidth"), "the table fits a phone"
    assert set(found.values()) == {"[]"}, found
