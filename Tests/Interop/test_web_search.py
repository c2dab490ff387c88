"""Search, the bulk edit of accessories, and undo on the page, in a browser and without scripts."""

import os
import re

import pytest
from conftest import configuration
from home import hub, make_home  # noqa: F401 (fixtures)
from lan import until
from web import Page, browser, fetch

DEVICES = [
    {"id": "hall", "name": "Hall Lamp", "brightness": True}, {"id": "desk", "name": "Desk Lamp", "brightness": True},
    {"id": "spot", "name": "Café Spot"}, {"id": "door", "name": "Front Door", "kind": "lock"},
]


@pytest.fixture
def house(make_home, make_daemon, tmp_path):
    home = make_home()
    home.cli("homes", "add", "Villa")
    bridge = make_daemon(configuration("Demo", DEVICES) | {"include": ["all"]})
    bridge.until_published()
    home.add(bridge.setup_code, bridge.status["deviceId"])
    for room, accessories in {"Hall": ["Hall Lamp", "Front Door"], "Study": ["Desk Lamp", "Café Spot"]}.items():
        home.cli("rooms", "add", room)
        home.cli("assign", *accessories, room)
    home.cli("scenes", "add", "Good Night")
    home.cli("scenes", "set", "Good Night", "Hall Lamp", "on")
    home.cli("automations", "add", "Bedtime", "--at", "22:00", "--run", "Good Night")
    home.bridge = bridge
    home.page = Page(home.host, home, tmp_path / "page").start()
    try:
        yield home
    finally:
        home.page.close()


@pytest.fixture
def chromium(house, tmp_path):
    with browser(house.host, tmp_path) as chromium:
        yield chromium
    assert not [(one.complaints, one.foreign) for one in chromium.visitors if one.complaints or one.foreign]


def names(home, what):
    return {one["name"] for one in home.cli(what, "--json")}


def picture(visitor, name):
    if "PICTURES" in os.environ:
        visitor.page.wait_for_timeout(400)
        visitor.page.screenshot(path=f"{os.environ['PICTURES']}/{name}.png")


def check(visitor):
    assert not visitor.violations()


def test_search_by_keyboard_switches_a_light_and_runs_a_scene(house, chromium):
    visitor = chromium.open(house.page.address)
    page = visitor.page
    visitor.until_text("Hall Lamp")
    page.keyboard.press("/")
    field = page.get_by_role("combobox", name="Search")
    page.keyboard.type("cafe")
    option = page.get_by_role("option", name="Café Spot Study, off")
    option.wait_for()
    until(lambda: option.get_attribute("aria-selected") == "true", 5, "the first result is chosen")
    assert field.get_attribute("aria-activedescendant") == option.get_attribute("id")
    check(visitor)
    picture(visitor, "search")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    until(lambda: house.bridge.lights["simulated/spot"]["on"], 5, "the light is on")
    page.get_by_role("option", name="Turn off: Café Spot").wait_for()
    assert field.evaluate("field => field === document.activeElement") and page.locator("dialog").is_visible()
    field.fill("night run")
    page.get_by_role("option", name="Run Good Night").wait_for()
    page.keyboard.press("Enter")
    until(lambda: house.bridge.lights["simulated/hall"]["on"], 5, "the scene ran")
    visitor.until_text("Good Night was run", "#toasts")
    assert not page.locator("dialog").is_visible()
    page.keyboard.press("/")
    field.fill("xyz")
    visitor.until_text("Nothing matches", "dialog")
    page.keyboard.press("Escape")
    # A field takes the character.
    visitor.go("/rooms")
    page.get_by_label("New room name").press("/")
    assert page.get_by_label("New room name").input_value() == "/"


def test_search_and_undo_work_without_scripts(house):
    address, host = house.page.address, house.host
    home = house.cli("homes", "--json")[0]["id"]
    status, _, body = fetch(host, address, "/search?q=LAMP+desk")
    assert status == 200 and "Desk Lamp" in body and "Hall Lamp" not in body and "1 result" in body
    action = re.search(r'action="(/services/[^"]+)"><input type="hidden" name="back" value="([^"]+)"><button class="button side" name="([^"]+)" value="true"', body)
    assert fetch(host, address, action[1], "POST", {action[3]: "true", "back": "/"})[0] == 303
    until(lambda: house.bridge.lights["simulated/desk"]["on"], 5, "the light is on")
    status, fields, _ = fetch(host, address, f"/homes/{home}/lights/off", "POST", {"back": "/"})
    assert status == 303 and not house.bridge.lights["simulated/desk"]["on"]
    cookie = fields["set-cookie"].split(";")[0]
    body = fetch(host, address, "/", headers={"Cookie": cookie})[2]
    undo = re.search(r'name="id" value="([^"]+)"', body)[1]
    assert "All lights were turned off." in body
    assert fetch(host, address, "/undo", "POST", {"id": undo})[0] == 303
    assert house.bridge.lights["simulated/desk"]["on"] and not house.bridge.lights["simulated/spot"]["on"]
    assert fetch(host, address, "/undo", "POST", {"id": undo})[0] == 410


def test_many_accessories_are_renamed_and_moved_together(house, chromium):
    visitor = chromium.open(house.page.address, "/accessories")
    page = visitor.page
    page.get_by_label("All in Study").check()
    page.get_by_label("Hall Lamp").check()
    visitor.until_text("3 selected", "output")
    check(visitor)
    picture(visitor, "select")
    page.get_by_role("button", name="Edit selected").click()
    page.get_by_label("New name").fill("Front Door")
    page.get_by_role("button", name="Preview").click()
    visitor.until_text("Add {n} where the number belongs", ".message")
    page.get_by_label("New name").fill("Spot {n}")
    page.locator("[name=set-room]").fill("Attic")
    house.cli("rooms", "add", "Spot 2")
    page.get_by_role("button", name="Preview").click()
    visitor.until_text("One accessory needs a change", ".message")
    check(visitor)
    picture(visitor, "preview")
    assert "Desk Lamp" in names(house, "accessories") and "Attic" not in names(house, "rooms")
    assert [one.input_value() for one in page.locator("td [name=name]").all()] == ["Spot 1", "Spot 2", "Spot 3"]
    page.locator("td [name=name]").nth(1).fill("Spot 9")
    page.get_by_role("button", name="Save all 3").first.click()
    visitor.until_text("3 accessories were changed.", "#toasts")
    assert {"Spot 1", "Spot 9", "Spot 3"} < names(house, "accessories") and "Attic" in names(house, "rooms")
    check(visitor)
    # Another person changes one of them in the meantime.
    house.cli("rename", "Spot 9", "Mine")
    page.keyboard.press("Control+z")
    visitor.until_text("Not everything was restored. Mine was renamed in the meantime.", "#toasts")
    assert {"Mine", "Hall Lamp", "Café Spot"} < names(house, "accessories") and "Attic" not in names(house, "rooms")
    picture(visitor, "toast")


def test_many_accessories_are_hidden_together_and_shown_again(house, chromium):
    visitor, home = chromium.open(house.page.address, "/accessories"), chromium.open(house.page.address)
    page, tiles = visitor.page, home.page.locator(".rooms .tile b")
    page.get_by_label("All in Study").check()
    page.get_by_role("button", name="Edit selected").click()
    page.get_by_label("Hidden on Home").first.select_option(label="Yes")
    page.get_by_role("button", name="Preview").click()
    assert page.get_by_role("checkbox", name="Desk Lamp is hidden on Home").is_checked()
    page.get_by_role("checkbox", name="Café Spot is hidden on Home").uncheck()
    page.locator("[name=set-hidden]").select_option(label="Keep")
    check(visitor)
    page.get_by_role("button", name="Save all 2").first.click()
    visitor.until_text("One accessory was changed.", "#toasts")
    until(lambda: sorted(tiles.all_text_contents()) == ["Café Spot", "Front Door", "Hall Lamp"], 5, "hidden")
    page.get_by_role("button", name="Undo").click()
    visitor.until_text("The accessories are as before.", "#toasts")
    until(lambda: "Desk Lamp" in tiles.all_text_contents(), 5, "shown again")


def test_removed_scene_is_restored_with_its_automation(house, chromium):
    visitor = chromium.open(house.page.address, "/scenes")
    page = visitor.page
    page.get_by_role("link", name="Good Night").click()
    page.get_by_text("Name", exact=True).first.click()
    page.get_by_role("button", name="Remove scene").click()
    visitor.until_text("Good Night was removed. These automations are off now: Bedtime.", "#toasts")
    assert "Good Night" not in names(house, "scenes")
    # The message waits for a visitor who is about to use it.
    page.get_by_role("button", name="Undo").focus()
    check(visitor)
    picture(visitor, "undo")
    page.keyboard.press("Enter")
    visitor.until_text("Good Night was restored.", "#toasts")
    visitor.until_text("Good Night")
    (bedtime,) = house.cli("automations", "--json")
    assert bedtime["next"], bedtime
    house.cli("write", "Hall Lamp", "off")
    house.cli("automations", "run", "Bedtime")
    until(lambda: house.bridge.lights["simulated/hall"]["on"], 5, "the automation runs the restored scene")
    until(lambda: page.locator(".toast").count() == 0, 15, "the message ends")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_search_selection_and_message_fit_a_phone_and_large_text(house, chromium, scheme):
    visitor = chromium.open(
        house.page.address, "/accessories", viewport={"width": 360, "height": 740}, color_scheme=scheme)
    page = visitor.page

    def check_fit(name):
        for size in ("100%", "200%"):
            page.evaluate("size => document.documentElement.style.fontSize = size", size)
            picture(visitor, f"{name}-{scheme}-{size[:3]}")
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), (name, size)
            check(visitor)
        page.evaluate("document.documentElement.style.fontSize = ''")

    check_fit("phone-select")
    page.get_by_label("All in Study").check()
    page.get_by_role("button", name="Edit selected").click()
    check_fit("phone-table")
    page.locator("[name=set-favorite]").select_option(label="Yes")
    page.get_by_role("button", name="Save all 2").first.click()
    page.get_by_role("button", name="Undo").focus()
    check_fit("phone-toast")
    page.get_by_role("link", name="Search").click()
    page.keyboard.type("lamp")
    page.get_by_role("option", name="Hall Lamp Hall").wait_for()
    check_fit("phone-search")
