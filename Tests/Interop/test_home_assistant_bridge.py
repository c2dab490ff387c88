"""Home Assistant's HomeKit bridge with its demo entities, whose accessories are added to the home.

Needs HASS=/path/of/hass of Scripts/install-home-assistant (checked with 2025.4.4 on Python 3.13 and
HAP-python 4.9.2); conftest skips this file without it.
"""

import os
import re
import subprocess

import pytest
from home import villa
from lan import end, until
from test_home_kinds import BUTTON, another, characteristics, full

HASS = os.environ.get("HASS")
PORT = 51840


class Bridge:
    """hass on the host `phone`, with its HomeKit bridge and its demo entities."""

    def __init__(self, host, directory):
        self.directory = directory
        (directory / "configuration.yaml").write_text(
            "demo:\n"
            "logger: {default: warning, logs: {homeassistant.components.homekit: info}}\n"
            f"homekit: [{{name: Demo House, port: {PORT}, ip_address: {host.address}, advertise_ip: [{host.address}]}}]\n")
        self.log = directory / "log"
        with open(self.log, "w") as log:
            self.process = host.popen(
                HASS, "--skip-pip", "-c", directory, stdout=log, stderr=subprocess.STDOUT,
                env={**os.environ, "DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nonexistent"})
        self.code = until(self._code, 60, "Home Assistant shows its setup code")

    def _code(self):
        assert self.process.poll() is None, self.log.read_text()[-4000:]
        found = re.search(r"Pincode: (\d{3}-\d{2}-\d{3})", self.log.read_text())
        return found and found[1]

    def close(self):
        end(self.process, 20)


@pytest.fixture
def bridge(lan, tmp_path):
    (tmp_path / "hass").mkdir()
    made = Bridge(lan.phone, tmp_path / "hass")
    yield made
    made.close()


@pytest.fixture
def home(lan, tmp_path):
    with villa(lan, tmp_path / "home") as made:
        yield made


def add(home, bridge):
    return until(
        lambda: isinstance(done := home.add(bridge.code, "Demo House", "--json", check=False), list) and done,
        60, "it is added", interval=1)


def value(holder):
    """Return the value in an answer or an event, with numbers converted by their type."""
    found = holder["value"]
    return float(next(iter(found.values()))) if isinstance(found, dict) else found


def on_of(app, name):
    return app.characteristic(name, "25")["id"]


def test_all_accessories_are_shown_read_and_written(bridge, home):
    names = [accessory["name"] for accessory in add(home, bridge)]
    assert len(names) > 50 and len(names) == len(set(names)), names
    app = home.app()
    kinds = {part["type"] for accessory in app.accessories.values() for part in accessory["services"]}
    readable = characteristics(app, "pr")
    answer = app.do("readValues", characteristics=[one["id"] for _, one in readable], timeout=120)
    # The press of a button can't be read.
    refused = {(accessory["name"], one["type"]): answer[one["id"]] for accessory, one in readable
               if "error" in answer[one["id"]] and full(one["type"]) != BUTTON}
    print(f"{len(names)} accessories, {len(kinds)} kinds of service, {len(readable)} values read")
    assert not refused, refused
    assert len(kinds) >= 20

    other = home.app("org.example.b")
    values = {one["id"]: value for accessory, one in characteristics(app, "pw")
              if (value := another(one, one.get("value"))) is not None}
    written = app.do("writeValues", values=values, timeout=120)
    refused = [(accessory["name"], one["type"]) for accessory, one in characteristics(app, "pw")
               if "error" in written.get(one["id"], {})]
    print(f"{len(values)} values written, {len(refused)} refused: {refused}")
    # The television has fewer inputs than it announces.
    assert len(values) > 80 and refused in ([], [("Lounge room", "E7")])
    for name in ("Bed Light", "AC", "Decorative Lights"):
        id = on_of(app, name)
        assert other.do("readValues", characteristics=[id])[id]["value"] == values[id], name


def test_position_changes_are_reported(bridge, home):
    """A blind moves for some seconds after a command and reports its positions."""
    add(home, bridge)
    app = home.app()
    current, target = (app.characteristic("Hall Window", kind)["id"] for kind in ("6D", "7C"))
    app.do("setNotification", characteristics=[current], isEnabled=True)
    home.cli("write", "Hall Window", "target-position=40")
    app.wait_for_event("valueUpdated", lambda line: line["characteristic"] == current and value(line) == 40, timeout=30)
    assert value(app.do("readValues", characteristics=[target])[target]) == 40


def test_removed_bridge_can_be_added_again(bridge, home):
    add(home, bridge)
    assert "reset" not in home.cli("remove", "Demo House", "--yes").stdout
    assert home.cli("accessories", "--json") == []
    add(home, bridge)
