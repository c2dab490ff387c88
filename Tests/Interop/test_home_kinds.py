"""Every service type of HAP-python is read, written, observed and shown by the home."""

import base64
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from daemon import program
from home import HomeDaemon
from lan import until
from python_kinds import CODE, DEVICE, TOGETHER
from talker import Talker

HERE = Path(__file__).parent
BUTTON = "00000073-0000-1000-8000-0026BB765291"
INFORMATION = "0000003E-0000-1000-8000-0026BB765291"


@pytest.fixture(scope="module")
def house(lan, tmp_path_factory):
    """A home with the bridge, an app that has access to it, and the bridge itself."""
    directory = tmp_path_factory.mktemp("kinds")
    with lan.add_host("kinds", "10.77.0.9") as host:
        home = HomeDaemon(host, directory / "home").start()
        bridge = Talker(
            lan.phone, directory / "bridge.log", sys.executable, HERE / "python_kinds.py", lan.phone.address, 51843,
            directory / "bridge.state")
        try:
            kinds = bridge.until(lambda line: "ready" in line, 40)["accessories"]
            home.cli("homes", "add", "Villa")
            home.add(CODE, DEVICE)
            app = home.app()
            yield home, app, bridge, kinds
        finally:
            bridge.close()
            home.close()


def characteristics(app, permission):
    """Return the characteristics with a permission, each with its accessory."""
    return [
        (accessory, one)
        for accessory in app.home["accessories"] if accessory["name"] != "Every Kind"
        for service in accessory["services"] if full(service["type"]) != INFORMATION
        for one in service["characteristics"] if permission in one["metadata"]["perms"]
    ]


def full(kind):
    return kind if "-" in kind else f"{int(kind, 16):08X}-0000-1000-8000-0026BB765291"


def another(one, present):
    """Return a valid value that differs from the current one, or `None`."""
    metadata = one["metadata"]
    form = metadata["format"]
    if form == "bool":
        return not present
    if form == "string":
        return "Another" if present != "Another" else "One More"
    if form in ("tlv8", "data"):
        return None
    if isinstance(present, dict):
        (present,) = present.values()
    choices = metadata.get("validValues") or [metadata.get("min", 0), metadata.get("max", 3)]
    return next((choice for choice in reversed(choices) if choice != present), None)


def test_accessories_of_all_types_are_listed_by_name(house):
    home, app, bridge, kinds = house
    listed = {accessory["name"]: accessory for accessory in app.home["accessories"]}
    assert set(kinds) <= set(listed)
    assert len({kind for those in kinds.values() for kind in those}) == 43
    for name, those in kinds.items():
        assert len(listed[name]["services"]) == len(those) + 1, name
    for name in TOGETHER:
        shown = home.cli("show", name).stdout
        assert name in shown and "0026BB765291" not in shown


def test_reads_return_the_values_of_the_accessories(house):
    home, app, bridge, kinds = house
    bridge.say("values")
    held = bridge.until(lambda line: "values" in line)["values"]
    readable = [(accessory, one) for accessory, one in characteristics(app, "pr") if accessory["name"] in kinds]
    answer = app.do("readValues", characteristics=[one["id"] for _, one in readable], timeout=120)
    assert len(readable) > 300
    wrong = {}
    compared = 0
    for accessory, one in readable:
        name = accessory["name"]
        if (expected := held[name].get(str(one["iid"]))) is None and full(one["type"]) != BUTTON:
            continue
        result = answer[one["id"]]
        if full(one["type"]) == BUTTON:
            # A press reads as null, because it has no lasting value.
            if "error" not in result:
                wrong[name, one["type"]] = result
            continue
        compared += 1
        got = result.get("value")
        if isinstance(got, dict):
            (got,) = got.values()
        if one["metadata"]["format"] in ("tlv8", "data") and isinstance(expected, str):
            expected = base64.b64decode(expected).hex().upper() if expected else ""
            got = got.upper() if isinstance(got, str) else got
        if one["metadata"]["format"] == "float" and got is not None:
            got, expected = float(got), float(expected)
        if got != expected:
            wrong[name, one["type"]] = result, expected
    assert not wrong, wrong
    assert compared > 280


def test_writes_reach_the_accessories(house):
    home, app, bridge, kinds = house
    writable = [(accessory, one) for accessory, one in characteristics(app, "pw") if accessory["name"] in kinds]
    values = {}
    for accessory, one in writable:
        value = another(one, one.get("value"))
        if value is not None:
            values[one["id"]] = (accessory["name"], one["iid"], value)
    assert len(values) > 80
    answer = app.do(
        "writeValues", values={id: value for id, (_, _, value) in values.items()}, timeout=120)
    failed = {values[id]: result["error"] for id, result in answer.items() if "error" in result}
    assert not failed, failed
    bridge.say("values")
    held = bridge.until(lambda line: "values" in line)["values"]
    wrong = {(name, iid): (held[name][str(iid)], value) for name, iid, value in values.values()
             if held[name][str(iid)] != value}
    assert not wrong, wrong


def test_list_shows_a_state_for_almost_every_type(house):
    home, app, bridge, kinds = house
    text = home.cli("accessories", "--by", "kind").stdout
    # Only buttons, and services of HAP-python that have no reading, are without a value.
    unknown = [line for line in text.splitlines() if line.endswith("unknown")]
    assert len(unknown) <= 3, text
    # HAP-python chooses the names, such as "The Battery Service", and the home the states.
    states = [line.strip().split("  ")[-1] for line in text.splitlines() if "  " in line.strip()]
    assert len(states) > 40, text
    assert not re.search(r"service|characteristic|\bnan\b|\bnull\b", "\n".join(states), re.I), text
    listed = home.cli("accessories", "--json")
    states = {accessory["name"]: accessory.get("state") for accessory in listed}
    assert "\u00b0C" in states["The Temperature Sensor"] and states["Front Door"]
    assert any(accessory.get("battery") for accessory in listed)
    rooms = home.cli("rooms").stdout
    assert "STATE" in rooms


def test_shells_complete_accessory_names(house, tmp_path):
    home, app, bridge, kinds = house
    environment = dict(os.environ, HOMEHUB_SOCKET=str(home.socket))
    command = program("homehub")

    def bash(*words):
        """Return bash's completions for the last of the words."""
        script = subprocess.run([command, "--generate-completion-script", "bash"], capture_output=True, text=True).stdout
        line = " ".join(words)
        play = (f"COMP_WORDS=({' '.join(repr(word) for word in words)})\nCOMP_CWORD={len(words) - 1}\n"
                f"COMP_LINE={line!r}\nCOMP_POINT={len(line)}\n"
                f"_homehub homehub {words[-1]!r} {words[-2]!r}\nprintf '%s\\n' \"${{COMPREPLY[@]}}\"\n")
        place = dict(environment, PATH=f"{command.parent}:{environment['PATH']}")
        return subprocess.run(["bash", "-c", script + play], env=place, capture_output=True, text=True).stdout.split()

    # Completion times out after a second, which may be too short on a busy machine.
    for words, offered in ((["show", "Fro"], "FrontDoor"), (["write", "TheL"], "TheLightbulb"),
                           (["write", "TheLightbulb", "br"], "brightness=")):
        until(lambda: offered in bash("homehub", *words), 20, f"{offered} is offered")

    def other(shell, *words):
        answer = subprocess.run(
            [command, "---completion", "show", "--", "positional@0", str(len(words) - 1), "0", *words],
            env=dict(environment, SAP_SHELL=shell), capture_output=True, text=True)
        assert answer.returncode == 0 and not answer.stderr, answer
        return answer.stdout.splitlines()

    until(lambda: "Front Door" in other("fish", "homehub", "show", ""), 20, "fish offers it")
    # zsh treats text after a colon as a description.
    until(lambda: any(line.startswith("Front Door") for line in other("zsh", "homehub", "show", "")), 20, "zsh offers it")
    environment["HOMEHUB_SOCKET"] = str(tmp_path / "nothing")
    assert "".join(other("fish", "homehub", "show", "")) == ""


def test_every_event_reaches_the_app(house):
    home, app, bridge, kinds = house
    told = [(accessory, one) for accessory, one in characteristics(app, "ev") if accessory["name"] in kinds]
    answer = app.do("setNotification", characteristics=[one["id"] for _, one in told], isEnabled=True, timeout=120)
    refused = {id: result for id, result in answer.items() if "error" in result}
    assert not refused, refused
    bridge.say("values")
    held = bridge.until(lambda line: "values" in line)["values"]
    expected = {}
    for accessory, one in told:
        present = held[accessory["name"]][str(one["iid"])]
        value = another(one, present)
        if value is None:
            continue
        expected[one["id"]] = value
        bridge.say([accessory["name"], one["iid"], value])
    assert len(expected) > 200
    while expected:
        event = app.wait_for_event("valueUpdated")
        expected.pop(event["characteristic"], None)



def test_history_survives_a_restart(house):
    home, app, bridge, kinds = house
    lamp = next(name for name in kinds if "Lightbulb" in name)
    for value in ("on=yes", "on=no", "on=yes"):
        home.cli("write", lamp, value)
    home.terminate()
    home.start()
    past = home.cli("history", lamp, "on", "--since", "10m", "--json")
    assert [value["value"] for value in past][-3:] == [True, False, True], past
    assert home.cli("history", lamp, "on").stdout.splitlines()[0].split() == ["TIME", "NAME", "VALUE"]
    assert (home.state_directory / "history.sqlite").stat().st_mode & 0o777 == 0o600
