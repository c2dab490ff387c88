"""Every view of the page, found by the server's routes: accessibility, and text at 200 %."""

import re
from pathlib import Path

from web import Page, browser, fetch
from web_pictures import furnished, views

SOURCES = Path(__file__).resolve().parents[2] / "Sources/homeweb"
#: Routes that return no view.
OTHERS = {
    "/assets/:name", "/live", "/check-name", "/access/code.svg", "/services/:id/history/:file", "/bridge/:file"}
IMPACTS = ("minor", "moderate", "serious", "critical")
#: Finds text that is cut off, and pages that are wider than the window.
CLIPPED = """(() => {
  const hides = (value) => ["hidden", "clip"].includes(value), found = [];
  if (document.documentElement.scrollWidth > innerWidth) found.push(`${document.documentElement.scrollWidth} px wide`);
  for (const one of document.body.querySelectorAll("*")) {
    const style = getComputedStyle(one);
    if (!one.textContent.trim() || one.clientWidth < 4 || style.visibility === "hidden") continue;
    if (hides(style.overflowX) && one.scrollWidth > one.clientWidth + 1 || hides(style.overflowY) && one.scrollHeight > one.clientHeight + 1)
      found.push(one.outerHTML.slice(0, 120));
  }
  return found;
})()"""


def routes():
    """Return the paths of the GET routes in the sources."""
    found = set()
    for file in SOURCES.rglob("*.swift"):
        text = file.read_text()
        found |= set(re.findall(r'router\.get\(\s*"([^"]+)"', text))
        for block in re.findall(r"for path in \[(.*?)\] \{\s*router\.get", text, re.S):
            found |= set(re.findall(r'"([^"]+)"', block))
    return found


def further_views(home, page):
    """Return the paths of views that `web_pictures` doesn't take."""
    accessory = next(one["id"] for one in home.cli("accessories", "--json") if one["name"] == "Simulated House")
    automation = home.cli("automations", "--json")[0]["id"]
    villa = home.cli("homes", "--json")[0]["id"]
    lamp = home.cli("show", "Color Lamp", "--json")["services"]
    lamp = next(one["id"] for one in lamp if one.get("isPrimary") or one == lamp[-1])
    home.cli("web", "--state-directory", page.state_directory, "--invite", "Anna", "--json")
    setup = fetch(page.host, page.address, "/add", "POST", {"code": "518-26-003", "home": villa})[1].get("location", "/add")
    return [
        "/?by=kind", "/search", f"/favorites/{villa}/order", f"/accessories/{accessory}/remove", f"/accessories/{accessory}/arrange", f"/services/{lamp}/history",
        f"/automations/{automation}/edit", f"/homes/{villa}/location/remove", "/access/link?person=Anna", "/access/remove?person=Anna",
        "/access/token?person=Anna", "/bridge/systems?driver=mqtt", "/bridge/systems?id=mqtt", "/bridge/devices?key=simulated/porch",
        "/bridge/backup", f"/privacy/history?home={villa}", setup]


def test_every_view_is_accessible_and_shows_all_text_at_200_percent(lan, tmp_path):
    found = {}

    def check(visitor, path):
        visitor.go(path)
        visitor.page.wait_for_function("() => !document.querySelector('#state.stale')")
        # Only contrast depends on the colors.
        for scheme, width, rules in (("light", 360, []), ("dark", 1440, ["color-contrast"])):
            # Without motion, colors change at once.
            visitor.page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
            visitor.page.set_viewport_size({"width": width, "height": 900})
            if problems := visitor.page.evaluate(CLIPPED) + visitor.violations(IMPACTS, *rules):
                found[path, scheme, width] = problems

    with lan.add_host("views", "10.77.0.39") as host, furnished(host, tmp_path) as (home, page):
        paths = [*views(home).values(), *further_views(home, page)]
        checked = {"/enter", *(path.partition("?")[0] for path in paths)}
        missing = [
            route for route in routes() - OTHERS
            if not any(re.fullmatch(re.sub(r":\w+", "[^/]+", route), path) for path in checked)]
        assert not missing, "add views of these routes to the test"
        signed_out = Page(host, home, tmp_path / "signed-out", "--require-token").start(allowed=False)
        try:
            # The default size of text is usually 16 px.
            with browser(host, tmp_path, "--blink-settings=defaultFontSize=32,defaultFixedFontSize=26") as chromium:
                check(chromium.open(signed_out.address, "/enter"), "/enter")
                visitor = chromium.open(page.address)
                for path in paths:
                    check(visitor, path)
        finally:
            signed_out.close()
    assert not found, found
