"""The page as an installed app: its manifest, the worker that answers without the server, and wall tablets."""

import json
import re

import pytest
from conftest import configuration
from home import hub, make_home  # noqa: F401 (fixtures)
from lan import until
from web import Page, browser, fetch

SECOND = 1000


@pytest.fixture
def house(make_home, make_daemon, tmp_path):
    home = make_home()
    home.cli("homes", "add", "Villa")
    bridge = make_daemon(configuration("Demo", [{"id": "hall", "name": "Hall Lamp", "brightness": True}]))
    bridge.until_published()
    home.add(bridge.setup_code, bridge.status["deviceId"])
    home.cli("rooms", "add", "Hall")
    home.cli("assign", "Hall Lamp", "Hall")
    home.bridge = bridge
    home.page = Page(home.host, home, tmp_path / "page").start()
    try:
        with browser(home.host, tmp_path) as chromium:
            home.chromium = chromium
            yield home
    finally:
        home.page.close()


def until_controlled(visitor):
    """Wait until the worker answers for the page."""
    visitor.page.wait_for_function("() => navigator.serviceWorker.controller")


def cached(visitor):
    return visitor.page.evaluate(
        "(async () => (await Promise.all((await caches.keys()).map(async (name) => (await (await caches.open(name)).keys())"
        ".map((request) => new URL(request.url).pathname + new URL(request.url).search)))).flat().sort())()")


def test_page_is_installable_and_its_worker_caches_only_the_files_of_the_shell(house):
    visitor = house.chromium.open(house.page.address)
    until_controlled(visitor)
    session = visitor.page.context.new_cdp_session(visitor.page)
    assert session.send("Page.getInstallabilityErrors")["installabilityErrors"] in ([], [{"errorId": "in-incognito", "errorArguments": []}])
    read = session.send("Page.getAppManifest")
    manifest = json.loads(read["data"])
    assert not read["errors"] and {"id", "name", "short_name", "start_url", "display", "theme_color"} <= set(manifest)
    for icon in manifest["icons"]:
        status, fields, _ = fetch(house.host, house.page.address, icon["src"])
        assert status == 200 and fields["content-type"] == icon["type"]
        if icon["type"] == "image/png":
            size = visitor.page.evaluate(
                "async (src) => { const image = new Image(); image.src = src; await image.decode(); return `${image.width}x${image.height}`; }", icon["src"])
            assert size == icon["sizes"] and int(fields["content-length"]) < 12_000
    assert {(icon["sizes"], icon.get("purpose")) for icon in manifest["icons"]} >= {
        ("192x192", None), ("512x512", None), ("512x512", "maskable")}
    for shortcut in manifest["shortcuts"]:
        assert fetch(house.host, house.page.address, shortcut["url"])[0] == 200
    for path in ("/", "/scenes", "/activity"):
        visitor.go(path)
    names = [re.sub(r"\?[a-z0-9]+$", "", path) for path in cached(visitor)]
    assert names == ["/assets/offline.html", "/assets/script.js", "/assets/style.css"]
    assert not visitor.complaints


def test_page_of_an_unreachable_server_shows_no_states_and_returns_by_itself(house):
    visitor = house.chromium.open(house.page.address)
    until_controlled(visitor)
    visitor.until_text("Hall Lamp")
    room = visitor.page.get_by_role("link", name="Hall", exact=True).get_attribute("href")
    house.page.terminate()
    # Without the server, both an address and a reload show the same page.
    visitor.go(room)
    assert "can't be reached" in visitor.text() and "Hall Lamp" not in visitor.page.content()
    assert visitor.page.title() == "Lamplighter can't be reached" and not visitor.violations()
    visitor.page.get_by_role("link", name="Try again").click()
    visitor.until_text("can't be reached")
    assert visitor.page.url.endswith(room)
    house.page.start()
    visitor.until_text("Hall Lamp")
    assert visitor.page.url.endswith(room)
    # A page that a server doesn't have is the server's answer.
    visitor.go("/nothing").until_text("Not found")


def test_worker_follows_the_version_of_the_page_and_is_removed_by_a_page_without_one(house):
    visitor = house.chromium.open(house.page.address)
    until_controlled(visitor)
    status, fields, _ = fetch(house.host, house.page.address, "/assets/worker.js?another", token="wrong")
    assert status == 200 and fields["cache-control"] == "no-cache" and "set-cookie" not in fields
    # A later version may have another worker, or none.
    registered = "(async () => (await navigator.serviceWorker.getRegistrations()).map((one) => (one.active || one.installing || one.waiting)?.scriptURL))()"
    follow = "new MutationObserver(() => document.body?.setAttribute('data-worker', '{}')).observe(document, {{childList: true, subtree: true}})"
    visitor.page.add_init_script(follow.format("/assets/worker.js?another"))
    visitor.go("/activity")
    until(lambda: visitor.page.evaluate(registered) == [visitor.address + "/assets/worker.js?another"], 10, "the worker is new")
    until(lambda: {path.rpartition("?")[2] for path in cached(visitor)} == {"another"}, 10, "its cache has replaced the old cache")
    visitor.page.add_init_script(follow.format(""))
    visitor.go("/activity")
    until(lambda: visitor.page.evaluate(registered) == [], 10, "there is no worker")


def test_wall_tablet_has_large_tiles_changes_only_states_and_returns_to_home(house):
    visitor = house.chromium.open(house.page.address, viewport={"width": 1280, "height": 800})
    tab = visitor.page
    width = lambda: tab.locator(".tile").first.bounding_box()["height"]  # noqa: E731
    small = width()
    visitor.go("/more")
    tab.get_by_role("link", name="Wall tablet").click()
    visitor.until_text("Hall Lamp")
    assert "tablet" not in tab.url and width() > 1.3 * small and not visitor.violations()
    assert tab.locator(".bar a").all_inner_texts() == ["Home", "Scenes"]
    assert tab.evaluate("navigator.wakeLock.request('screen').then(() => 'awake')") == "awake"
    # The setting belongs to the browser, and the server refuses changes of the home.
    assert tab.evaluate("fetch('/rooms').then((r) => r.status)") == 404
    refusal = tab.evaluate(
        "fetch('/homes', {method: 'POST', headers: {Accept: 'application/json'}, body: new URLSearchParams({name: 'X'})}).then((r) => r.json())")
    assert "wall tablet" in refusal["message"]
    other = house.chromium.open(house.page.address)
    assert other.page.locator(".bar a").count() > 2
    # Touches postpone the return to Home.
    tab.clock.install()
    visitor.go("/scenes")
    tab.clock.fast_forward(50 * SECOND)
    tab.mouse.click(5, 300)
    tab.clock.fast_forward(50 * SECOND)
    assert tab.url.endswith("/scenes")
    tab.clock.fast_forward(11 * SECOND)
    tab.wait_for_url(visitor.address + "/")
    visitor.until_text("Hall Lamp")
    tab.get_by_role("link", name="Leave wall tablet mode").click()
    visitor.until_text("Wall tablet")
    visitor.go("/")
    assert tab.locator(".bar a").count() > 2
    assert not [one for one in visitor.complaints if not re.search("40[34]", one)] and not visitor.foreign


def test_link_on_another_site_does_not_make_a_browser_a_wall_tablet(house):
    answers = {site: fetch(house.host, house.page.address, "/?tablet=1&home=x", headers={"Sec-Fetch-Site": site})
               for site in ("cross-site", "none", "same-origin")}
    assert answers["cross-site"][0] == 200 and "set-cookie" not in answers["cross-site"][1]
    for site in ("none", "same-origin"):
        status, fields, _ = answers[site]
        assert status == 303 and fields["location"] == "/?home=x" and fields["set-cookie"].startswith("tablet=1")
