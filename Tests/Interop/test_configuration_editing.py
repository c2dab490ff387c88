"""The daemon edits its configuration file for `lamplighter` and for the page."""

import json
import re
import subprocess

import pytest
from broker import Broker
from conftest import configuration
from daemon import program
from home import hub, make_home  # noqa: F401 (fixtures)
from lan import open_to_all, until
from scripted_device import made_devices
from terminal import Terminal
from test_mqtt import make_gateway  # noqa: F401 (fixture)
from test_shelly import Device as Shelly
from web import Page, browser, fetch

PASSWORD = "correct-horse-battery"
TEXT = """\
# The house of Ada
bridge: {port: auto, setup-code: 415-27-893}

drivers:
  - driver: simulated       # for testing
    lights:
      - {id: desk, name: Desk Lamp}
      - {id: lock, name: Front Lock, kind: lock}

# Nothing is below this line.
"""


@pytest.fixture
def guarded(lan, tmp_path):
    """A broker that requires a password."""
    folder = tmp_path / "broker"
    folder.mkdir()
    subprocess.run(["mosquitto_passwd", "-b", "-c", folder / "users", "anna", PASSWORD], check=True, capture_output=True)
    open_to_all(folder)
    (folder / "users").chmod(0o644)
    broker = Broker(lan.bridge, folder)
    broker.configuration.write_text(
        f"listener {broker.port} 0.0.0.0\nallow_anonymous false\npassword_file {folder}/users\n")
    broker.start()
    yield broker
    broker.stop()


@pytest.fixture
def shelly(lan):
    yield from made_devices(Shelly, lan.phone)


def text(daemon):
    return (daemon.directory / "lamplighter.yaml").read_text()


def lamplighter(daemon, *words, typed=""):
    command = [str(program("lamplighter")), "--control", str(daemon.socket), *map(str, words)]
    return subprocess.run(command, input=typed, capture_output=True, text=True, timeout=60)


def reachable(daemon, driver):
    return [key for key, light in daemon.lights.items() if light["driver"] == driver and light["reachable"]]


def test_command_adds_a_broker_with_a_password_and_undoes_it(make_daemon, make_gateway, guarded):  # noqa: F811
    daemon = make_daemon(TEXT)
    make_gateway(guarded, lights=2, user="anna", password=PASSWORD)
    words = ["drivers", "add", "mqtt", f"url=127.0.0.1:{guarded.port}", "user=anna", "password-file"]
    assert lamplighter(daemon, *words, "--dry-run", typed=f"{PASSWORD}\n").returncode == 0
    assert lamplighter(daemon, *words, typed=f"{PASSWORD}\n").returncode == 64, "it asks before the change"
    assert text(daemon) == TEXT
    done = lamplighter(daemon, *words, "--yes", typed=f"{PASSWORD}\n")
    assert done.returncode == 0, done.stderr
    assert "+  - driver: mqtt\n" in done.stdout and "415-27-893" not in done.stdout
    until(lambda: len(reachable(daemon, "mqtt")) == 2, 15, "the lights of the broker are there")
    file = daemon.directory / "mqtt.password"
    assert file.stat().st_mode & 0o777 == 0o600 and file.read_text() == f"{PASSWORD}\n"
    before, _, after = TEXT.partition("\n# Nothing")
    entry = f"  - driver: mqtt\n    url: mqtt://127.0.0.1:{guarded.port}\n    user: anna\n    password-file: {file}\n"
    assert text(daemon) == f"{before}{entry}\n# Nothing{after}"
    for place in (done.stdout, done.stderr, daemon.log, text(daemon)):
        assert PASSWORD not in place
    assert "configuration edited" in daemon.log

    assert "removed mqtt" in lamplighter(daemon, "drivers", "undo").stdout
    assert text(daemon) == TEXT and not file.exists()
    assert not reachable(daemon, "mqtt")
    assert lamplighter(daemon, "drivers", "undo").returncode == 69


def test_command_refuses_secrets_as_words_and_values_that_the_driver_rejects(make_daemon):
    daemon = make_daemon(TEXT)
    for code, words in [
        (64, ["mqtt", "url=h", f"password-file={PASSWORD}"]), (64, ["mqtt", f"url=mqtt://a:{PASSWORD}@h"]),
        (64, ["mqtt"]), (64, ["mqqt", "url=h"]), (64, ["plugin", "command=/bin/sh"]), (64, ["shelly", "hosts=a b/c"]),
    ]:
        done = lamplighter(daemon, "drivers", "add", *words, "--yes")
        assert done.returncode == code, (words, done.stdout, done.stderr)
        assert PASSWORD not in done.stderr + done.stdout + daemon.log
    assert text(daemon) == TEXT
    # A file that can't be edited stays as it is, with an explanation.
    shared = TEXT.replace("drivers:", "drivers: &all")
    daemon.configure(shared)
    done = lamplighter(daemon, "drivers", "add", "wiz", "--yes")
    assert done.returncode == 65 and "anchor" in done.stderr and text(daemon) == shared


def test_confirmation_counts_only_for_the_change_that_was_shown(make_daemon):
    daemon = make_daemon(TEXT)
    command = [program("lamplighter"), "--control", daemon.socket, "drivers", "add", "wiz"]
    terminal = Terminal(daemon.host, *command)
    try:
        terminal.shows("and reload it?")
        daemon.configure(TEXT.replace("# Nothing", "# Hardly anything"))
        terminal.type("yes")
        terminal.shows("has changed in the meantime. The change is now:")
        terminal.shows("+  - driver: wiz")
        terminal.shows("and reload it?")
        assert "wiz" not in text(daemon)
        terminal.type("yes")
        assert terminal.ends() == 0
        assert "wiz" in text(daemon) and "# Hardly anything" in text(daemon)
    finally:
        terminal.close()


def test_command_adds_what_the_network_has_and_renames_and_hides(make_daemon, shelly):
    shelly()
    daemon = make_daemon(TEXT)
    found = lambda: "shelly" in lamplighter(daemon, "devices", "discover").stdout  # noqa: E731
    until(found, 20, "the device is found")
    done = lamplighter(daemon, "devices", "discover", "--add", "--yes")
    assert done.returncode == 0, done.stderr
    until(lambda: reachable(daemon, "shelly"), 15, "its light is there")
    aid = daemon.lights["simulated/desk"]["aid"]
    assert lamplighter(daemon, "devices", "rename", "desk", "lamp", "Reading", "Lamp", "--yes").returncode == 0
    assert daemon.lights["simulated/desk"]["name"] == "Reading Lamp"
    assert lamplighter(daemon, "devices", "hide", "Reading Lamp", "--yes").returncode == 0
    assert "simulated/desk" not in daemon.lights
    assert "simulated/desk" in lamplighter(daemon, "devices", "show").stdout
    assert lamplighter(daemon, "devices", "show", "simulated/desk", "--yes").returncode == 0
    until(lambda: "simulated/desk" in daemon.lights, 5, "it is shown again")
    assert daemon.lights["simulated/desk"]["aid"] == aid
    assert lamplighter(daemon, "drivers", "remove", "shelly", "--yes").returncode == 0
    assert not reachable(daemon, "shelly")
    assert all(line in text(daemon).splitlines() for line in TEXT.splitlines())


def test_owner_adds_a_light_system_on_the_page(make_home, make_daemon, make_gateway, guarded, shelly, tmp_path):  # noqa: F811
    home = make_home()
    home.cli("homes", "add", "Villa")
    daemon = make_daemon(TEXT)
    make_gateway(guarded, lights=1, user="anna", password=PASSWORD)
    shelly()
    page = Page(home.host, home, tmp_path / "page", bridge=daemon.socket).start()
    try:
        with browser(home.host, tmp_path) as chromium:
            visitor = chromium.open(page.address, "/bridge")
            tab = visitor.page
            assert "Desk Lamp" in visitor.text() and "1 lock" in visitor.text()
            # A form of the daemon; an error keeps the values, but not the password.
            tab.get_by_role("link", name="Add a light system").click()
            tab.get_by_role("link", name=re.compile("^MQTT")).click()
            assert not visitor.violations()
            tab.get_by_label("Broker").fill(f"127.0.0.1:{guarded.port}")
            tab.get_by_label("Password").fill(PASSWORD)
            tab.get_by_role("button", name="Continue").click()
            visitor.until_text("requires a user", ".message")
            assert tab.get_by_label("Broker").input_value() == f"127.0.0.1:{guarded.port}"
            assert tab.get_by_label("Password").input_value() == ""
            tab.get_by_label("User").fill("anna")
            tab.get_by_label("Password").fill(PASSWORD)
            tab.get_by_role("button", name="Continue").click()
            visitor.until_text(r"\+  - driver: mqtt")
            assert not visitor.violations()
            assert PASSWORD not in tab.content() and "415-27-893" not in visitor.text() and text(daemon) == TEXT
            tab.get_by_role("button", name="Apply").click()
            until(lambda: reachable(daemon, "mqtt"), 15, "the light of the broker is there")
            visitor.go("/bridge").until_text("Last change: add the driver mqtt")
            assert not visitor.violations()
            # What the network has needs one button.
            until(lambda: "Shelly" in visitor.go("/bridge/systems?search=1").text(), 30, "the device is found")
            assert not visitor.violations()
            tab.get_by_role("button", name="Add shelly").click()
            tab.get_by_role("button", name="Apply").click()
            until(lambda: reachable(daemon, "shelly"), 15, "the light of the device is there")
            # A device is renamed and hidden.
            visitor.go("/bridge")
            tab.get_by_role("link", name="Desk Lamp").click()
            assert not visitor.violations()
            tab.get_by_label("Name for HomeKit").fill("Reading Lamp")
            tab.get_by_role("button", name="Rename").click()
            tab.get_by_role("button", name="Apply").click()
            until(lambda: daemon.lights["simulated/desk"]["name"] == "Reading Lamp", 5, "it is renamed")
            visitor.go("/bridge")
            tab.get_by_role("link", name="Reading Lamp").click()
            tab.get_by_role("button", name="Hide").click()
            tab.get_by_role("button", name="Apply").click()
            visitor.until_text("Hidden devices")
            assert "simulated/desk" not in daemon.lights
            tab.get_by_role("button", name="Undo").click()
            until(lambda: "simulated/desk" in daemon.lights, 5, "the change is undone")
            # Further kinds are shown.
            visitor.go("/bridge")
            tab.get_by_role("button", name="Show locks").click()
            tab.get_by_role("button", name="Apply").click()
            until(lambda: "simulated/lock" in daemon.lights, 5, "the lock is shown")
            # A file that was edited meanwhile isn't overwritten.
            visitor.go("/bridge")
            tab.get_by_role("button", name="Remove mqtt").click()
            visitor.until_text("1 device of mqtt")
            edited = text(daemon) + "# mine\n"
            daemon.configure(edited)
            tab.get_by_role("button", name="Apply").click()
            visitor.until_text("has changed")
            assert text(daemon) == edited
            assert not [one for one in visitor.complaints if not re.search("400|409", one)] and not visitor.foreign
        assert PASSWORD not in page.log + daemon.log
        body = fetch(home.host, page.address, "/activity", token=page.token)[2]
        assert PASSWORD not in body
    finally:
        page.close()


def test_page_on_its_own_socket_changes_and_removes_what_forms_add_and_undoes_only_its_own_change(
        make_home, make_daemon, tmp_path):
    home = make_home()
    home.cli("homes", "add", "Villa")
    systems = TEXT.replace(
        "\n# Nothing", "  - driver: wled            # strips\n    discover: false\n    hosts: [127.0.0.8]\n  - driver: hue             # bridges\n    groups: true\n\n# Nothing")
    daemon = make_daemon(systems)
    page = Page(home.host, home, tmp_path / "page", bridge=daemon.page_socket).start()
    try:
        with browser(home.host, tmp_path) as chromium:
            visitor = chromium.open(page.address, "/bridge")
            tab = visitor.page
            # A form can't add the first driver, or show all settings of the second.
            assert tab.get_by_role("button", name=re.compile("^Remove")).count() == 2
            tab.get_by_role("link", name=re.compile("^Edit")).click()
            assert tab.get_by_label("Show rooms").is_checked()
            tab.get_by_label("Show rooms").uncheck()
            tab.get_by_label("Addresses").fill("no/host")
            tab.get_by_role("button", name="Continue").click()
            visitor.until_text("Addresses", ".message")
            assert tab.get_by_label("Addresses").input_value() == "no/host" and not tab.get_by_label("Show rooms").is_checked()
            tab.get_by_label("Addresses").fill("127.0.0.9")
            tab.get_by_role("button", name="Continue").click()
            visitor.until_text(r"\+    hosts")
            tab.get_by_role("button", name="Apply").click()
            until(lambda: text(daemon) == systems.replace("groups: true", "hosts: [127.0.0.9]"), 5, "it is changed")
            visitor.until_text("Last change: change the driver hue")
            tab.get_by_role("button", name="Remove hue").click()
            visitor.until_text("-  - driver: hue")
            tab.get_by_role("button", name="Apply").click()
            until(lambda: "hue" not in text(daemon) and "# strips" in text(daemon), 5, "it is removed")
            tab.get_by_role("button", name="Undo").click()
            until(lambda: "127.0.0.9" in text(daemon), 5, "it is there again")
            visitor.go("/bridge")
            tab.get_by_role("link", name="Desk Lamp").click()
            tab.get_by_label("Name for HomeKit").fill("Reading Lamp")
            tab.get_by_role("button", name="Rename").click()
            visitor.until_text("Reading Lamp")
            tab.get_by_role("button", name="Apply").click()
            until(lambda: daemon.lights["simulated/desk"]["name"] == "Reading Lamp", 5, "it is renamed")
            visitor.go("/bridge").until_text("Reading Lamp")
            tab.get_by_role("button", name="Undo").click()
            until(lambda: daemon.lights["simulated/desk"]["name"] == "Desk Lamp", 5, "the change is undone")
            # The page can't undo a change that a command made.
            assert lamplighter(daemon, "devices", "rename", "desk", "lamp", "Reading", "Lamp", "--yes").returncode == 0
            visitor.go("/bridge").until_text("Reading Lamp")
            assert tab.get_by_role("button", name="Undo").count() == 0
    finally:
        page.close()
