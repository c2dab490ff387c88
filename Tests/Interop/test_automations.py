"""Automations as people type them: the command, the file and the history, with a simulated house."""

import re
import shlex

import documents
import pytest
from conftest import configuration
from home import hub, make_home  # noqa: F401 (fixtures)
from lan import until

PAGE = "Documentation/Automations.md"
HOUSE = [
    {"id": "lamp", "name": "Hall Lamp", "brightness": True},
    {"id": "ceiling", "name": "Ceiling Light"},
    {"id": "sensor", "name": "Hall Sensor", "kind": "sensor", "readings": ["motion", "temperature"]},
    {"id": "window", "name": "Bedroom Window", "kind": "sensor", "readings": ["contact"]},
    {"id": "switch", "name": "Kitchen Switch", "kind": "button", "buttons": ["top"]},
]


@pytest.fixture
def house(make_home, make_daemon):
    """A home with the devices, rooms and scenes of the page."""
    home = make_home()
    home.cli("homes", "add", "My House")
    bridge = make_daemon(configuration("Demo", HOUSE) | {"include": ["all"]})
    bridge.until_published()
    home.add(bridge.setup_code, bridge.status["deviceId"])
    home.cli("rooms", "add", "Living Room")
    home.cli("assign", "Ceiling Light", "Living Room")
    for scene, changes in [("Evening Lights", ["hall lamp", "on"]), ("Sleep", ["ceiling light", "off"])]:
        home.cli("scenes", "add", scene)
        home.cli("scenes", "set", scene, *changes)
    home.bridge = bridge
    return home


def lamp(house):
    return house.bridge.lights["simulated/lamp"]


def records(house, *name):
    return house.cli("automations", "history", *name, "--json")


def test_documented_commands_work_as_written(house, tmp_path):
    for block in documents.blocks(PAGE):
        for line in block.commands:
            words = shlex.split(re.sub(r"\s#\s.*", "", line))
            assert words.pop(0) == "homehub"
            file = None
            if ">" in words:
                *words, _, file = words
            words = [str(tmp_path / word) if word.endswith(".yaml") else word for word in words]
            done = house.cli(*words)
            if file:
                (tmp_path / file).write_text(done.stdout)
    names = [one["name"] for one in house.cli("automations", "--json")]
    assert sorted(names) == ["Evening", "Good Night", "Hall Light", "Window Open"]
    page = (documents.ROOT / PAGE).read_text()
    example = tmp_path / "example.yaml"
    example.write_text(page.split("```yaml\n")[1].split("```")[0])
    assert house.cli("automations", "import", example).stdout == "Hall Light: unchanged\nGood Night: changed\n"


def test_export_restores_removed_automations(house, tmp_path):
    house.cli("homes", "location", "My House", "52.52,13.40", "--time-zone", "Europe/Berlin")
    for person in ("Anna", "Ben"):
        house.cli("people", "add", person)
    for name, *options in [
        ("Sun", "--at", "sunset-30m", "--at", "7:00", "--days", "mon-fri", "--run", "Evening Lights", "--missed", "skip"),
        ("Once", "--at", "2027-02-24 18:00", "--notify", "It's \"time\": go # now", "--once", "--disabled"),
        ("Interval", "--every", "90m", "--set", "hall lamp on brightness=40", "--after", "1h30m", "--set", "hall lamp off"),
        ("States", "--when", "hall sensor temperature>=24", "--when", "bedroom window open for 10m",
         "--when", "kitchen switch double press", "--when", "Hall Lamp unreachable",
         "--if", "anyone home and (after sunset or not hall lamp on)", "--if", "between 22:00 and 6:00",
         "--set", "living room lights off", "--for", "5m", "--until", "hall sensor no motion"),
        ("People", "--when", "first of Anna and Ben arrives", "--when", "last person leaves", "--notify", "Hello"),
    ]:
        house.cli("automations", "add", name, *options)
    before = house.cli("automations", "--json")
    file = tmp_path / "automations.yaml"
    file.write_text(house.cli("automations", "export").stdout)
    assert not re.search(r"[0-9A-F]{8}-", file.read_text()), f"names instead of IDs: {file.read_text()}"
    for one in before:
        house.cli("automations", "remove", one["name"])
    assert "no automations yet" in house.cli("automations").stdout
    assert house.cli("automations", "import", file).stdout.count(": added\n") == 5

    def content(listing):
        return [{key: value for key, value in one.items() if key not in ("id", "next", "last")} for one in listing]

    assert content(house.cli("automations", "--json")) == content(before)
    assert house.cli("automations", "import", file).stdout.count(": unchanged\n") == 5

    lines = file.read_text().splitlines()
    number = next(index for index, line in enumerate(lines) if "sunset-30m" in line)
    lines[number] = lines[number].replace("sunset-30m", "sunsat-30m")
    file.write_text("\n".join(lines) + "\n")
    refused = house.cli("automations", "import", file, check=False)
    assert refused.returncode == 65
    assert f"{file}:{number + 1}:" in refused.stderr and 'don\'t understand "sunsat-30m"' in refused.stderr
    assert content(house.cli("automations", "--json")) == content(before), "an invalid file changes nothing"


def test_motion_turns_the_lamp_on_and_history_explains_skipped_runs(house):
    house.cli("people", "add", "Anna")
    house.cli(
        "automations", "add", "Hall Light", "--when", "hall sensor motion", "--if", "anyone home",
        "--set", "hall lamp on brightness=40", "--notify", "Someone is in the hall")
    check = house.cli("automations", "run", "Hall Light", "--check")
    assert check.stdout == "it wouldn't run now: no one is home\n"
    assert not lamp(house)["on"]
    # The first value that the hub reads isn't an event.
    until(lambda: "no motion" in house.cli("accessories").stdout, 10, "the sensor is read")
    house.bridge.cli("simulate", "simulated/sensor", "motion=true")
    until(lambda: len(records(house, "Hall Light")) == 1, 10, "the evaluation is recorded")
    assert "not run: no one was home" in house.cli("automations", "history", "Hall Light").stdout
    house.bridge.cli("simulate", "simulated/sensor", "motion=false")
    house.cli("people", "set", "Anna", "home")
    with house.watching() as watch:
        until(lambda: [house.cli("people", "set", "anna", presence) for presence in ("home", "away")] and
              watch.received_lines(lambda line: line["event"] == "presenceUpdated"), 10, "it watches")
        house.cli("people", "set", "anna", "home")
        house.bridge.cli("simulate", "simulated/sensor", "motion=true")
        until(lambda: lamp(house)["on"] and lamp(house)["brightness"] == 40, 10, "the lamp is on")
        until(lambda: watch.received_lines(
            lambda line: line["event"] == "message" and line["text"] == "Someone is in the hall"), 10, "the text arrives")
        until(lambda: watch.received_lines(
            lambda line: line["event"] == "triggerFired" and line["resultText"] == "ran"), 10, "the run is reported")
    newest = records(house, "Hall Light")[0]
    assert newest["resultText"] == "ran" and newest["causeText"] == "when Hall Sensor detects motion"
    house.bridge.cli("simulate", "simulated/lamp", "on=false")
    done = house.cli("automations", "run", "Hall Light")
    assert done.stdout in ("ran\n", "running\n")
    until(lambda: lamp(house)["on"], 10, "it runs by hand")
    listing = house.cli("automations").stdout
    assert "Hall Light" in listing and "when Hall Sensor detects motion" in listing
    house.cli("automations", "disable", "Hall Light")
    assert house.cli("automations", "show", "Hall Light", "--json")["state"] == "off"


def test_errors_name_the_invalid_input(house):
    for words, text in [
        (["add", "A", "--when", "hal sensor motion", "--notify", "x"], 'did you mean "Hall Sensor"?'),
        (["add", "A", "--at", "sunset", "--notify", "x"], "the home has no location"),
        (["add", "A", "--at", "7:00"], "Add an action"),
        (["add", "A", "--notify", "x"], "Add an event"),
        (["show", "Nothing"], "there's no automation called"),
    ]:
        refused = house.cli("automations", *words, check=False)
        assert refused.returncode != 0 and text in refused.stderr, refused.stderr
    refused = house.cli("homes", "location", "My House", "north", check=False)
    assert "such as 52.52,13.40" in refused.stderr
    shown = house.cli("homes", "location", "My House", "-33.87,151.21", "--time-zone", "Australia/Sydney").stdout
    assert "33.87° S, 151.21° E" in shown and re.search(r"sunrise +0[4-7]:\d\d", shown), shown
