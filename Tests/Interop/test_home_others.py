"""The home's command with accessories of another make, HAP-python's: their numbers, names, codes and comings and goings."""

import itertools
import json
import sys
from pathlib import Path

import pytest

from home import HomeDaemon
from lan import until
from python_device import CODE
from talker import Talker

HERE = Path(__file__).parent
DEVICE = "5A:11:C0:DE:00:07"
LAMP = {"type": "Lightbulb", "values": ["Brightness"]}


@pytest.fixture(scope="module")
def hub(lan):
    """A host with an Avahi daemon, where the home's daemon and its command run."""
    with lan.add_host("hub", "10.77.0.3") as host:
        yield host


@pytest.fixture
def home(hub, tmp_path):
    daemon = HomeDaemon(hub, tmp_path / "home").start()
    daemon.cli("homes", "add", "Villa")
    yield daemon
    daemon.close()


@pytest.fixture
def device(lan, tmp_path):
    """Start an accessory of HAP-python; its pairing outlives its process."""
    started = []

    def start(services=(LAMP,), name="Meter", id=DEVICE, port=51830):
        description = {"id": id, "name": name, "services": list(services)}
        made = Talker(
            lan.phone, tmp_path / "device.log", sys.executable, HERE / "python_device.py", lan.phone.address, port,
            tmp_path / f"{id}.state", json.dumps(description))
        started.append(made)
        made.payload = made.until(lambda line: "ready" in line)["payload"]
        return made

    yield start
    for made in started:
        made.close()


def add(home, *more, id=DEVICE):
    return home.cli("add", "--code", CODE, "--device", id, "--yes", "--json", *more, timeout=90)


def value(home, target, word):
    (found,) = home.cli("read", target, word, "--json")
    return found["value"]


# Numbers


COUNTER = {
    "type": "5A110000-0000-4000-8000-000000000001", "values": [
        {"type": "5A110000-0000-4000-8000-000000000002", "description": "Counter", "format": "uint64",
         "permissions": ["pr", "pw", "ev"], "minValue": 0, "maxValue": 2**64 - 1, "value": 2**63 + 1},
        {"type": "5A110000-0000-4000-8000-000000000003", "description": "Ratio", "format": "float",
         "permissions": ["pr", "pw", "ev"], "minValue": 0, "maxValue": 1, "minStep": 0.25, "value": 0},
    ]}


def test_an_integer_of_64_bits_keeps_every_digit(home, device):
    meter = device([LAMP, COUNTER])
    add(home)
    assert value(home, "Meter", "counter") == 2**63 + 1
    assert str(2**64 - 1) in home.cli("show", "Meter").stdout
    home.cli("write", "Meter", f"counter={2**64 - 1}")
    meter.until(lambda line: line.get("wrote") == ["Counter", 2**64 - 1])
    assert value(home, "Meter", "counter") == 2**64 - 1
    refused = home.cli("write", "Meter", f"counter={2**64}", check=False)
    assert refused.returncode != 0 and str(2**64 - 1) in refused.stderr
    with home.watching("Meter", "counter") as watch:
        # What the accessory reports before it is asked to, no app is notified of.
        numbers = itertools.cycle([7, 2**63 + 7])
        until(
            lambda: meter.say(["Counter", next(numbers)]) or watch.received_lines(lambda line: line.get("value") == 2**63 + 7), 20,
            "the event is told", interval=0.5)
    meter.say(["Counter", 2**63 + 9])
    assert value(home, "Meter", "counter") == 2**63 + 9
    # What is kept is kept to the last digit.
    assert home.terminate() == 0
    meter.close()
    home.start()
    assert str(2**63 + 9) in home.cli("show", "Meter").stdout


def test_a_number_between_two_steps_is_said(home, device):
    meter = device([LAMP, COUNTER])
    add(home)
    written = home.cli("write", "Meter", "ratio=0.3")
    assert "0.25" in written.stderr and "0.3" in written.stderr and written.stdout == ""
    meter.until(lambda line: line.get("wrote") == ["Ratio", 0.25])
    (listed,) = home.cli("write", "Meter", "ratio=0.6", "--json")
    assert (listed["asked"], listed["value"]) == (0.6, 0.5)
    assert "asked" not in home.cli("write", "Meter", "ratio=0.75", "--json")[0]


# Words


def test_a_renamed_accessory_is_shown_by_its_name(home, device):
    device([LAMP])
    add(home)
    home.cli("rename", "Meter", "Desk Lamp")
    shown = home.cli("show", "Desk Lamp").stdout
    assert "Desk Lamp (Lightbulb, main)" in shown and "Meter (" not in shown
