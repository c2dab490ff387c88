"""The permissions of owners, members, guests, guests of some rooms, and strangers on the page."""

import re
from pathlib import Path

import pytest
from conftest import configuration
from home import hub, make_home  # noqa: F401 (fixtures)
from lan import PATIENCE, until
from web import Page, browser, fetch

DEVICES = [
    {"id": "hall", "name": "Hall Lamp", "brightness": True},
    {"id": "kitchen", "name": "Kitchen Lamp"},
    {"id": "door", "name": "Front Door", "kind": "lock"},
]


@pytest.fixture
def house(make_home, make_daemon, tmp_path):
    home = make_home()
    home.cli("homes", "add", "Villa")
    bridge = make_daemon(configuration("Demo", DEVICES) | {"include": ["all"]})
    bridge.until_published()
    home.add(bridge.setup_code, bridge.status["deviceId"])
    for room, accessories in {"Hall": ["Hall Lamp", "Front Door"], "Kitchen": ["Kitchen Lamp"]}.items():
        home.cli("rooms", "add", room)
        home.cli("assign", *accessories, room)
    for scene, accessory in {"Bright Hall": "Hall Lamp", "Bright Kitchen": "Kitchen Lamp"}.items():
        home.cli("scenes", "add", scene)
        home.cli("scenes", "set", scene, accessory, "on")
    home.cli("zones", "add", "Upstairs")
    home.cli("people", "add", "Carl")
    home.cli("automations", "add", "Morning", "--at", "07:00", "--run", "Bright Hall")
    home.bridge = bridge
    home.page = Page(home.host, home, tmp_path / "page", listen="0.0.0.0:0").start()
    try:
        yield House(home)
    finally:
        home.page.close()


class House:
    def __init__(self, home):
        self.home, self.page = home, home.page
        self.address = f"http://{home.host.address}:{self.page.port}"
        self.rooms = {one["name"]: one["id"] for one in home.cli("rooms", "--json")}
        self.accessories = {one["name"]: one for one in home.cli("accessories", "--json")}
        self.scenes = {one["name"]: one["id"] for one in home.cli("scenes", "--json")}
        self.tokens = {"nobody": None, "owner": self.page.token}
        for name, options in {"member": ["--role", "member"], "guest": ["--guest"], "rooms": ["--guest", "--room", "Hall"]}.items():
            self.tokens[name] = self.web("--invite", name, *options)["token"]

    def web(self, *words):
        return self.home.cli("web", "--state-directory", self.page.state_directory, *words, "--json")

    def value(self, name, characteristic):
        shown = self.home.cli("show", name, "--json")
        return next(
            (service["id"], value["id"]) for service in shown["services"] for value in service["characteristics"]
            if value["name"] == characteristic)

    def get(self, path, who):
        return fetch(self.home.host, self.address, path, token=self.tokens.get(who, who))

    def post(self, path, who, **fields):
        return fetch(self.home.host, self.address, path, "POST", fields, token=self.tokens.get(who, who))


def posted_routes():
    """The routes of all forms in the sources of the page."""
    sources = [path.read_text() for path in (Path(__file__).parents[2] / "Sources/homeweb").rglob("*.swift")]
    return [route for text in sources for route in re.findall(r'(?:\.post\(|(?:editing|undoable)\(\s*router,\s*)"([^"]+)"', text)]


def test_each_route_requires_its_role(house):
    home = house.home
    ids = {
        "home": home.cli("homes", "--json")[0]["id"], "room": house.rooms["Hall"], "zone": home.cli("zones", "--json")[0]["id"],
        "accessory": house.accessories["Hall Lamp"]["id"], "person": home.cli("people", "--json")[0]["id"],
        "automation": home.cli("automations", "--json")[0]["id"], "scene": house.scenes["Bright Hall"],
        "service": house.value("Hall Lamp", "on")[0], "kitchen": house.rooms["Kitchen"],
        "lamp": house.accessories["Kitchen Lamp"]["id"], "oven": house.scenes["Bright Kitchen"],
        "bridge": house.accessories["Demo"]["id"], "elsewhere": house.value("Kitchen Lamp", "on")[0],
    }
    pages = {
        "rooms": ["/", "/search", "/search?q=lamp", "/scenes", "/activity", "/more", "/rooms/{room}", "/services/{service}", "/accessories/{accessory}",
                  "/status/attention", "/status/lights", "/status/climate", "/status/security"],
        "guest": ["/automations", "/automations/{automation}", "/rooms/{kitchen}", "/services/{elsewhere}", "/accessories/{lamp}"],
        "member": ["/rooms", "/rooms/{room}/order", "/favorites/{home}/order", "/names", "/people", "/add", "/accessories/{bridge}/remove", "/accessories/{bridge}/arrange",
                   "/automations/new", "/automations/{automation}/edit", "/homes/{home}/location/remove", "/accessories",
                   "/check-name?kind=room&name=Attic"],
        "owner": ["/access", "/access/link?person=guest", "/access/code.svg?person=guest", "/access/remove?person=guest", "/access/token?person=guest", "/access/token?person=guest",
                  "/privacy", "/privacy/history?home={home}", "/bridge", "/bridge/systems", "/bridge/systems?driver=mqtt", "/bridge/systems?search=1",
                  "/bridge/devices?key=simulated/hall", "/bridge/warnings", "/bridge/pairings", "/bridge/backup"],
    }
    changes = {
        "rooms": ["/undo", "/services/{service}/values", "/homes/{home}/lights/off", "/rooms/{room}/off", "/scenes/{scene}/run"],
        "guest": ["/rooms/{kitchen}/off", "/scenes/{oven}/run"],
        "member": ["/homes", "/homes/{home}/order", "/rooms/{room}/order", "/favorites/{home}/order", "/homes/{home}/name", "/homes/{home}/rooms", "/homes/{home}/zones", "/rooms/{room}/name",
                   "/zones/{zone}/rooms", "/accessories/{accessory}/name", "/accessories/{accessory}/room",
                   "/accessories/edit", "/accessories/{accessory}/arrange", "/accessories/{accessory}/identify", "/accessories/{accessory}/unblock", "/accessories/{accessory}/pair",
                   "/services/{service}/name", "/services/{service}/favorite", "/services/{service}/kind", "/add", "/add/{service}", "/read-code",
                   "/homes/{home}/automations", "/automations/{automation}/edit", "/automations/{automation}/run",
                   "/homes/{home}/people", "/homes/{home}/location", "/people/{person}/name", "/people/{person}/presence",
                   "/homes/{home}/scenes", "/scenes/{scene}/name", "/scenes/{scene}/services", "/automations/{automation}/enabled",
                   # These remove something, so they come last.
                   "/automations/{automation}/remove", "/scenes/{scene}/remove", "/people/{person}/remove", "/homes/{home}/location/remove",
                   "/zones/{zone}/remove", "/rooms/{room}/remove", "/accessories/{bridge}/remove"],
        "owner": ["/access", "/access/change", "/access/token", "/access/remove", "/privacy", "/privacy/history", "/bridge/changes", "/bridge/changes/apply", "/bridge/changes/undo", "/bridge/backup"],
    }
    # The table has all forms of the program except those for signing in and out.
    tested = {re.sub(r"{\w+}", ":id", path) for paths in changes.values() for path in paths}
    assert {re.sub(r":\w+", ":id", route) for route in posted_routes()} - {"/enter", "/leave"} == tested
    order = ["nobody", "rooms", "guest", "member", "owner"]
    wrong = []
    for method, table in (("GET", pages), ("POST", changes)):
        for least, paths in table.items():
            for path in paths:
                for who in order:
                    path = path.format(**ids)
                    status = (house.get(path, who) if method == "GET" else house.post(path, who, name=""))[0]
                    is_refused = (
                        status in (401, 403) or status == 303 and who == "nobody"
                        or status == 404 and (method == "GET" or who == "rooms"))
                    if is_refused != (order.index(who) < order.index(least)):
                        wrong.append((method, path, who, status))
    assert not wrong, wrong


def test_guest_of_a_room_sees_only_that_room(house):
    for path in ("/", "/?by=kind", "/search?q=a", "/search", "/scenes", "/more", f"/rooms/{house.rooms['Hall']}", "/activity"):
        status, _, body = house.get(path, "rooms")
        assert status == 200 and "Kitchen" not in body and "Automations" not in body, path
    assert "Hall Lamp" in house.get("/", "rooms")[2] and "Bright Hall" in house.get("/scenes", "rooms")[2]
    service, on = house.value("Kitchen Lamp", "on")
    assert house.post(f"/services/{service}/values", "rooms", **{on: "true"})[0] == 404
    assert not house.home.bridge.lights["simulated/kitchen"]["on"]
    service, on = house.value("Hall Lamp", "on")
    assert house.post(f"/services/{service}/values", "rooms", **{on: "true"})[0] == 303
    assert house.home.bridge.lights["simulated/hall"]["on"]
    # If the room is removed, nothing else appears instead.
    house.home.cli("rooms", "remove", "Hall")
    body = house.get("/", "rooms")[2]
    assert "no longer exist" in body and "Lamp" not in body


def test_guest_without_permission_to_unlock_is_refused(house):
    token = house.web("--invite", "Anna", "--guest", "--no-unlock")["token"]
    service, target = house.value("Front Door", "lock-target-state")
    house.home.cli("write", "Front Door", "target=locked")
    status, _, body = house.post(f"/services/{service}/values", token, **{target: "0", "confirmed": "1"})
    assert status == 403 and "unlock" in body
    house.home.cli("scenes", "add", "Arrival")
    house.home.cli("scenes", "set", "Arrival", "Front Door", "target=unlocked")
    scene = next(one["id"] for one in house.home.cli("scenes", "--json") if one["name"] == "Arrival")
    assert house.post(f"/scenes/{scene}/run", token, confirmed="1")[0] == 403
    assert house.home.cli("read", "Front Door", "target").stdout.strip() == "locked"
    assert house.post(f"/services/{service}/values", token, **{target: "1"})[0] == 303
    assert house.post(f"/services/{service}/values", "guest", **{target: "0", "confirmed": "1"})[0] == 303
    assert house.home.cli("read", "Front Door", "target").stdout.strip() == "unlocked"


def test_member_without_permission_to_unlock_cannot_unlock_with_an_automation_or_a_scene(house):
    home = house.home
    token = house.web("--invite", "Mem", "--role", "member", "--no-unlock")["token"]
    service = house.value("Front Door", "lock-target-state")[0]
    target = lambda: home.cli("read", "Front Door", "target").stdout.strip()  # noqa: E731
    home.cli("write", "Front Door", "target=locked")
    home.cli("automations", "add", "Open", "--at", "06:00", "--set", "front door unlock")
    path = next(f"/automations/{one['id']}" for one in home.cli("automations", "--json") if one["name"] == "Open")
    assert house.post(f"{path}/run", token, confirmed="1")[0] == 403
    assert house.post(f"{path}/enabled", token, enabled="1")[0] == 403
    assert house.post(f"{path}/enabled", token, enabled="0")[0] == 303
    assert house.post(f"{path}/edit", token, name="Open", event="time", time="07:00", notify="x")[0] in (303, 400)
    scene = house.scenes["Bright Hall"]
    home.cli("write", "Front Door", "target=unlocked")
    until(lambda: target() == "unlocked", 5, "it is unlocked")
    assert house.post(f"/scenes/{scene}/services", token, add=service)[0] == 403
    home.cli("write", "Front Door", "target=locked")
    # The owner is asked first.
    home.cli("automations", "add", "Open Again", "--at", "06:00", "--set", "front door unlock")
    path = next(f"/automations/{one['id']}" for one in home.cli("automations", "--json") if one["name"] == "Open Again")
    status, _, body = house.post(f"{path}/run", "owner", back=path)
    assert status == 200 and "This will unlock Front Door" in body and target() == "locked"
    assert house.post(f"{path}/run", "owner", confirmed="1")[0] == 303
    until(lambda: target() == "unlocked", 5, "the automation ran")


def test_access_form_that_is_outdated_or_has_no_rooms_is_refused(house):
    def mark(name):
        body = house.get("/access", "owner")[2]
        return re.search(r'name="mark" value="([^"]*)"', body[body.index(f'name="person" value="{name}"'):])[1]

    people = lambda: {one["name"]: one for one in house.web()["people"]}  # noqa: E731
    hall = house.rooms["Hall"]
    old = mark("rooms")
    change = {"person": "rooms", "role": "guest", "mark": old}
    assert house.post("/access/change", "owner", scope="some", open="1", **change)[0] == 400
    assert house.post("/access/change", "owner", scope="some", open="1", room="xyz", **change)[0] == 400
    assert people()["rooms"]["rooms"] == [hall]
    # The form doesn't offer a removed room, but the guest keeps it as the only one.
    house.home.cli("rooms", "remove", "Hall")
    assert house.post("/access/change", "owner", scope="some", **change)[0] == 303
    assert people()["rooms"]["rooms"] == [hall] and not people()["rooms"]["mayOpen"]
    assert house.post("/access/change", "owner", scope="all", **change)[0] == 409
    # The guest's history has no events of accessories in the default room.
    service, on = house.value("Hall Lamp", "on")
    assert house.post(f"/services/{service}/values", "owner", **{on: "true"})[0] == 303
    assert "Hall Lamp" in house.get("/activity", "owner")[2] and "Hall Lamp" not in house.get("/activity", "rooms")[2]


def test_owner_stays_signed_in_after_replacing_their_own_link(house):
    status, fields, _ = house.post("/access/token", "owner", person="owner")
    assert status == 303 and house.page.token in fields["set-cookie"]
    assert house.get("/access/link?person=owner", "owner")[0] == 303
    assert house.get("/access/link?person=owner", house.page.token)[0] == 200


#: Hides or shows a page.
SET_HIDDEN = """(isHidden) => {
  Object.defineProperty(document, "hidden", { value: isHidden, configurable: true });
  document.dispatchEvent(new Event("visibilitychange"));
}"""


def test_owner_invites_people_changes_and_revokes_their_access_on_the_page(house, tmp_path):
    with browser(house.home.host, tmp_path) as chromium:
        visitor = chromium.open(f"http://127.0.0.1:{house.page.port}", "/access")
        page = visitor.page
        page.locator("section", has_text="Invite a person").get_by_label("Name").fill("Berta")
        form = page.locator("form.access").last
        form.get_by_label("Role").select_option(label="Guest")
        form.get_by_label("Rooms of the guest").select_option(label="These rooms")
        form.get_by_label("Rooms of the guest").select_option(label="These rooms")
        form.get_by_label("Hall").check()
        form.get_by_label("May unlock").uncheck()
        form.get_by_role("button", name="Invite").click()
        visitor.until_text("Link of Berta")
        link = visitor.text("pre")
        picture = page.get_by_role("img", name="QR code of the link")
        until(lambda: picture.evaluate("image => image.complete && image.naturalWidth > 0"), 10, "the QR code is drawn")
        guest = chromium.open(house.address, f"/enter{link[link.index('#'):]}")
        guest.until_text("Hall Lamp")
        assert "Kitchen" not in guest.text() and guest.page.get_by_role("link", name="Add").count() == 0
        # A change to her access takes effect immediately.
        visitor.go("/access")
        card = page.locator(".card", has_text="Berta")
        assert "Hall, no unlocking" in card.inner_text()
        card.get_by_text("Change access").click()
        card.get_by_label("Rooms of the guest").select_option(label="All rooms")
        card.get_by_role("button", name="Save").click()
        guest.until_text("Kitchen Lamp")
        hidden = guest.context.new_page()
        hidden.goto(house.address)
        hidden.evaluate(SET_HIDDEN, True)
        # The only owner can't become a guest.
        owner = page.locator(".card", has=page.get_by_role("heading", name=re.compile("^owner")))
        owner.get_by_text("Change access").click()
        owner.get_by_label("Role").select_option(label="Guest")
        owner.get_by_role("button", name="Save").click()
        visitor.until_text("only owner", ".message")
        visitor.go("/access")
        page.get_by_role("link", name="Revoke the access of Berta").click()
        with page.expect_navigation():
            page.get_by_role("button", name="Revoke access").click()
        guest.until_text("Sign in")
        hidden.evaluate(SET_HIDDEN, False)
        hidden.wait_for_url("**/enter", timeout=10_000 * PATIENCE)
        until(lambda: "Berta" not in [one["name"] for one in house.web()["people"]], 5, "she is gone")
        assert not [one for one in visitor.complaints if "409" not in one] and not visitor.foreign
