"""Automations on the page: the list, the form, people and the location, over a simulated house."""

import re
from datetime import datetime, timedelta, timezone

import pytest
from conftest import configuration
from daemon import program
from home import hub, make_home  # noqa: F401 (fixtures)
from lan import until
from terminal import Terminal
from test_automations import HOUSE
from web import Page, browser, fetch


@pytest.fixture
def house(make_home, make_daemon, tmp_path):
    """A home with a scene, and its page in a browser."""
    home = make_home()
    home.cli("homes", "add", "My House")
    lock = {"id": "door", "name": "Front Door", "kind": "lock"}
    bridge = make_daemon(configuration("Demo", [*HOUSE, lock]) | {"include": ["all"]})
    bridge.until_published()
    home.add(bridge.setup_code, bridge.status["deviceId"])
    home.cli("scenes", "add", "Evening Lights")
    home.cli("scenes", "set", "Evening Lights", "hall lamp", "on")
    home.bridge = bridge
    home.page = Page(home.host, home, tmp_path / "page").start()
    try:
        with browser(home.host, tmp_path) as chromium:
            home.browser = chromium
            yield home
            for visitor in chromium.visitors:
                # A refused form is answered with 400, a refused switch with 403, a taken name with 409.
                complaints = [one for one in visitor.complaints if not re.search("40[039]", one)]
                assert not complaints and not visitor.foreign, (complaints, visitor.foreign)
    finally:
        home.page.close()


def listed(home):
    return {one["name"]: one for one in home.cli("automations", "--json")}


def lamp(home):
    return home.bridge.lights["simulated/lamp"]


def test_owner_adds_edits_runs_and_removes_an_automation_without_javascript(house):
    visitor = house.browser.open(house.page.address, "/automations", java_script_enabled=False)
    page = visitor.page
    assert "No automations yet" in visitor.text()
    page.get_by_role("link", name="New automation").click()
    page.get_by_label("Name").fill("Hall Light")
    page.get_by_label("When an accessory changes").check()
    page.get_by_label("Change", exact=True).select_option(label="Hall Sensor detects motion")
    # The check below must find that no one is home, also on the next day.
    other_day = f"{datetime.now(timezone.utc) + timedelta(days=3):%A}"
    page.get_by_label(other_day).uncheck()
    page.get_by_label("People are at home or away").check()
    page.get_by_label("People", exact=True).select_option(label="Anyone is home")
    page.get_by_label("Action 1", exact=True).select_option(label="Turn on Hall Lamp")
    page.get_by_label("Level of action 1").fill("140")
    page.get_by_label("Undo after").fill("5")
    page.get_by_role("button", name="Add automation").click()
    # The form comes back filled in, with the error next to the field.
    assert "wasn't saved" in visitor.text() and not listed(house)
    level = page.get_by_label("Level of action 1")
    assert level.input_value() == "140" and level.get_attribute("aria-invalid") == "true"
    assert "100" in page.locator(f"#{level.get_attribute('aria-describedby')}").inner_text()
    assert page.get_by_label("Name").input_value() == "Hall Light" and not page.get_by_label(other_day).is_checked()
    level.fill("40")
    page.get_by_role("button", name="Add automation").click()
    assert visitor.text("h1") == "Hall Light"
    text = visitor.text()
    for expected in ("When Hall Sensor detects motion", "anyone is home", "Turn on Hall Lamp", "40 %", "5 minutes later"):
        assert expected in text, (expected, text)
    assert "turn on Hall Lamp" in str(listed(house)["Hall Light"]).replace("Turn", "turn")

    page.get_by_role("link", name="Would Hall Light run now?").click()
    assert "wouldn't run now: no one is home" in visitor.text("[role=status].card")
    page.get_by_role("button", name="Run Hall Light now").click()
    until(lambda: lamp(house)["on"] and lamp(house)["brightness"] == 40, 10, "the lamp is on")
    visitor.go("/automations")
    assert re.search(r"Last: today \d\d:\d\d, (ran|running)", visitor.text()), visitor.text()

    # An automation that the form's fields can't express is edited in words.
    page.get_by_role("link", name="Edit Hall Light").click()
    assert page.get_by_label("When an accessory changes").is_checked()
    page.get_by_label("Name").fill("Hall")
    page.get_by_label("In words").first.check()
    page.get_by_label("Events, one per line").fill("hall sensor motion\nbedroom window open for 10m\nevery 2h")
    page.get_by_role("button", name="Save").click()
    assert visitor.text("h1") == "Hall" and "every 2 hours" in visitor.text(), visitor.text()
    page.get_by_role("link", name="Edit Hall").click()
    assert "Bedroom Window open for 10m" in page.get_by_label("Events, one per line").input_value()
    page.get_by_label("Events, one per line").fill("bedrom window open")
    page.get_by_role("button", name="Save").click()
    assert "Bedroom Window" in page.locator("#e-when").inner_text()
    assert page.get_by_label("Events, one per line").input_value() == "bedrom window open"

    visitor.go("/automations")
    page.get_by_role("link", name="Hall", exact=True).click()
    page.get_by_role("button", name="Remove automation").click()
    assert "No automations yet" in visitor.text() and not listed(house)
    page.get_by_role("button", name="Undo").click()
    assert "Hall was restored, without its history." in visitor.text("#toasts") and "Hall" in listed(house)
    page.get_by_role("link", name="Hall", exact=True).click()
    page.get_by_role("button", name="Remove automation").click()
    assert "No automations yet" in visitor.text() and not listed(house)


def test_automation_list_updates_live_and_its_switch_disables_an_automation(house):
    house.cli("people", "add", "Anna")
    house.cli(
        "automations", "add", "Hall", "--when", "hall sensor motion", "--if", "anna home", "--set", "hall lamp on")
    visitor = house.browser.open(house.page.address, "/automations")
    page = visitor.page
    switch = page.get_by_role("switch", name="Hall")
    assert switch.get_attribute("aria-checked") == "true"
    switch.click()
    until(lambda: listed(house)["Hall"]["state"] == "off", 5, "it is off")
    house.cli("automations", "enable", "Hall")
    until(lambda: switch.get_attribute("aria-checked") == "true", 5, "it is on in the page")
    # The first value that the hub reads isn't an event.
    until(lambda: "no motion" in house.cli("accessories").stdout, 10, "the sensor is read")
    house.bridge.cli("simulate", "simulated/sensor", "motion=true")
    visitor.until_text("not run: Anna was away")
    page.get_by_role("link", name="Hall", exact=True).click()
    visitor.until_text("Not run: Anna was away")
    house.cli("people", "remove", "Anna")
    visitor.until_text("Off: Anna was removed")
    page.get_by_role("switch").click()
    visitor.until_text("incomplete", ".refusal")


def test_people_and_location_are_set_on_the_page(house):
    visitor = house.browser.open(house.page.address, "/people")
    page = visitor.page
    page.get_by_label("New person's name").fill("Anna")
    page.get_by_role("button", name="Add person").click()
    visitor.until_text("Anna away")
    page.get_by_label("New person's name").fill("anna")
    page.get_by_role("button", name="Add person").click()
    visitor.until_text("Anna", "#e-name")
    assert page.get_by_label("New person's name").input_value() == "anna"
    page.get_by_role("button", name="Anna: Set to home").click()
    visitor.until_text("Anna at home")
    (anna,) = house.cli("people", "--json")
    assert (anna["name"], anna["isHome"]) == ("Anna", True)
    house.cli("people", "add", "Ben")
    visitor.until_text("Ben away")
    box = page.locator(f"#p-{anna['id']}").get_by_label("Name", exact=True)
    box.fill("ben")
    page.get_by_role("button", name="Rename Anna").click()
    visitor.until_text("Ben", f"#e-{anna['id']}")
    assert box.input_value() == "ben"
    # Without JavaScript, the answer is the page with the typed name.
    status, _, body = fetch(house.host, house.page.address, f"/people/{anna['id']}/name", "POST", {"name": "ben"})
    assert status == 400 and 'value="ben"' in body and "Ben" in body.split(f'id="e-{anna["id"]}"')[1].split("</p>")[0]
    house.cli("people", "remove", "Ben")
    page.get_by_label("Latitude").fill("north")
    page.get_by_role("button", name="Save location").click()
    visitor.until_text("such as 52.52 and 13.40")
    assert page.get_by_label("Latitude").input_value() == "north"
    page.get_by_label("Latitude").fill("-33.87, 151.21")
    page.get_by_label("Time zone").fill("Australia/Sydney")
    page.get_by_role("button", name="Save location").click()
    visitor.until_text(r"sunrise 0[4-7]:\d\d, sunset")
    page.get_by_role("link", name="Remove location").click()
    page.get_by_role("button", name="Remove location").click()
    until(lambda: page.get_by_label("Latitude").input_value() == "", 5, "it is removed")
    page.get_by_role("button", name="Remove Anna").click()
    visitor.until_text("No people yet")


def test_guest_sees_automations_but_cannot_change_them(house):
    house.cli("automations", "add", "Morning", "--at", "7:00", "--run", "Evening Lights")
    token = house.cli("web", "--state-directory", house.page.state_directory, "--invite", "Ben", "--guest", "--json")["token"]
    (automation,) = house.cli("automations", "--json")
    path = f"/automations/{automation['id']}"
    visit = lambda where, **options: fetch(house.host, house.page.address, where, token=token, **options)  # noqa: E731
    for where in ("/automations", path):
        status, _, body = visit(where)
        assert status == 200 and "Morning" in body and 'method="post"' not in body and "/edit" not in body, body
    for where in ("/automations/new", f"{path}/edit", f"{path}/remove", "/people"):
        assert visit(where)[0] in (403, 404), where
    home = house.cli("homes", "--json")[0]["id"]
    for where in (
            f"{path}/enabled", f"{path}/run", f"{path}/edit", f"{path}/remove", f"/homes/{home}/automations",
            f"/homes/{home}/people", f"/homes/{home}/location", f"/homes/{home}/location/remove"):
        assert visit(where, method="POST", fields={"name": "x"})[0] == 403, where
    # Another site can't send the owner's forms.
    assert fetch(
        house.host, house.page.address, f"{path}/remove", "POST", {}, headers={"Origin": "http://evil.example"})[0] == 403
    assert list(listed(house)) == ["Morning"] and listed(house)["Morning"]["state"] == "on"


def test_automation_that_unlocks_needs_the_agents_approval_and_stops_without_permission(house):
    app = "org.lamplighter.homeweb"
    agent = Terminal(house.host, program("homehub"), "--socket", house.socket, "privacy", "agent")
    visitor = house.browser.open(house.page.address, "/automations/new", java_script_enabled=False)
    page = visitor.page
    page.get_by_label("Name").fill("Open")
    page.get_by_label("When an accessory changes").check()
    page.get_by_label("Change", exact=True).select_option(label="Hall Sensor detects motion")
    page.get_by_label("Action 1", exact=True).select_option(label="Unlock Front Door")
    for answer in ("deny", "allow"):
        page.get_by_role("button", name="Add automation").click(no_wait_after=True)
        agent.shows(f'Allow {app} to set up the automation "Open"')
        assert not listed(house), "nothing is stored before the answer"
        agent.type(answer)
        if answer == "deny":
            visitor.until_text("No one has allowed this automation.*homehub privacy agent")
            assert page.get_by_label("Name").input_value() == "Open" and not listed(house)
    visitor.until_text("^Open$", "h1")
    assert listed(house)["Open"]["state"] == "on"

    # The permission lists the automation, which doesn't run without it.
    (permission,) = [one for one in house.cli("privacy", "--json") if one["id"] == app]
    assert [one["name"] for one in permission["automations"]] == ["Open"]
    assert "to run the automation Open" in house.cli("privacy").stdout
    house.cli("automations", "add", "Light", "--when", "hall sensor motion", "--set", "hall lamp on")
    until(lambda: "no motion" in house.cli("accessories").stdout, 10, "the sensor is read")
    house.bridge.cli("simulate", "simulated/door", "lock=locked")
    house.cli("privacy", "deny", app)
    house.bridge.cli("simulate", "simulated/sensor", "motion=true")
    until(lambda: lamp(house)["on"], 10, "the other automation runs")
    assert "locked" in house.cli("accessories").stdout and "unlocked" not in house.cli("accessories").stdout
    house.cli("privacy", "allow", app, "--yes")
    until(lambda: "no motion" in house.cli("accessories").stdout or
          house.bridge.cli("simulate", "simulated/sensor", "motion=false") and False, 10, "the motion is over")
    house.bridge.cli("simulate", "simulated/sensor", "motion=true")
    until(lambda: "unlocked" in house.cli("accessories").stdout, 10, "it runs again")
    agent.close()


def test_only_owners_can_use_forms_and_every_page_requires_a_token(make_home, tmp_path):
    home = make_home()
    home.cli("homes", "add", "My House")
    home.cli("people", "add", "Anna")
    home.cli("automations", "add", "Morning", "--at", "7:00", "--notify", "x")
    page = Page(home.host, home, tmp_path / "page", "--require-token").start()
    try:
        guest = home.cli("web", "--state-directory", page.state_directory, "--invite", "Ben", "--guest", "--json")["token"]
        (automation,), (person,) = home.cli("automations", "--json"), home.cli("people", "--json")
        one, who = f"/automations/{automation['id']}", f"/people/{person['id']}"
        house = f"/homes/{home.cli('homes', '--json')[0]['id']}"

        def ask(path, method, token, **options):
            return fetch(home.host, page.address, path, method=method, token=token, fields={}, **options)[0]

        for path in ("/automations", one, f"{one}?check=1", f"/live?page={one}"):
            # The stream of changes never ends, so test only requests for it that must be refused.
            if not path.startswith("/live"):
                assert [ask(path, "GET", token) for token in (page.token, guest)] == [200, 200], path
            assert ask(path, "GET", None) in (303, 401) and ask(path, "GET", "wrong") in (303, 401), path
        for path in ("/automations/new", f"{one}/edit", "/people", f"{house}/location/remove"):
            answers = [ask(path, "GET", token) for token in (page.token, guest, None)]
            assert answers[0] == 200 and answers[1] in (403, 404) and answers[2] in (303, 401), (path, answers)
        changes = (
            f"{one}/enabled", f"{one}/run", f"{one}/edit", f"{house}/automations", f"{house}/people", f"{house}/location",
            f"{house}/location/remove", f"{who}/name", f"{who}/presence", f"{who}/remove", f"{one}/remove")
        for path in changes:
            assert (ask(path, "POST", guest), ask(path, "POST", None)) == (403, 401), path
            assert ask(path, "POST", page.token, headers={"Origin": "http://evil.example"}) == 403, path
        assert [one["name"] for one in home.cli("automations", "--json")] == ["Morning"]
        assert [one["name"] for one in home.cli("people", "--json")] == ["Anna"]
        for path in changes:
            assert ask(path, "POST", page.token, headers={"Content-Type": "application/x-www-form-urlencoded"}) in (303, 400), path
        assert not home.cli("automations", "--json") and not home.cli("people", "--json")
    finally:
        page.close()


def test_outdated_form_does_not_silently_overwrite_an_automation(make_home, tmp_path):
    home = make_home()
    home.cli("homes", "add", "My House")
    home.cli("automations", "add", "Morning", "--at", "7:00", "--notify", "x")
    page = Page(home.host, home, tmp_path / "page").start()
    try:
        (automation,) = home.cli("automations", "--json")
        path = f"/automations/{automation['id']}/edit"

        def shown():
            body = fetch(home.host, page.address, path)[2]
            return {name: re.search(f'name="{name}" value="([^"]*)"', body)[1] for name in ("home", "mark")}

        def save(hidden, time):
            days = {f"day-{day}": "1" for day in "monday tuesday wednesday thursday friday saturday sunday".split()}
            fields = {"name": "Morning", "event": "time", "time": time, "notify": "x"} | days | hidden
            return fetch(home.host, page.address, path, method="POST", fields=fields)

        old = shown()
        home.cli("automations", "disable", "Morning")
        assert save(old, "07:10")[0] == 303, "whether it's enabled isn't in the form"
        stale = old
        status, _, body = save(stale, "07:20")
        assert status == 409 and "Someone has changed this automation" in body and 'value="07:20"' in body
        assert home.cli("automations", "--json")[0]["when"] == "at 07:10"
        new = {name: re.search(f'name="{name}" value="([^"]*)"', body)[1] for name in ("home", "mark")}
        status, headers, _ = save(new, "07:20")
        assert status == 303 and home.cli("automations", "--json")[0]["when"] == "at 07:20"
        cookie = {"Cookie": headers["set-cookie"].split(";")[0]}
        undo = re.search(r'name="id" value="([^"]+)"', fetch(home.host, page.address, headers=cookie)[2])[1]
        assert fetch(home.host, page.address, "/undo", "POST", {"id": undo})[0] == 303
        assert home.cli("automations", "--json")[0]["when"] == "at 07:10"
        new = shown()
        home.cli("automations", "remove", "Morning")
        status, _, body = save(new, "07:30")
        assert status == 409 and "Someone has removed this automation" in body and 'value="07:30"' in body
        assert f'action="/homes/{new["home"]}/automations"' in body
    finally:
        page.close()
