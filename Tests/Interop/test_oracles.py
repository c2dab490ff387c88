"""Checks that the Swift tests' expectations for templates and Tasmota's discovery equal the results of Jinja2 and hatasmota."""
import json
from pathlib import Path

import pytest

import tasmota_oracle
from templates import with_results

FIXTURES = Path(__file__).resolve().parent.parent / "Fixtures"


@pytest.mark.parametrize("path", [FIXTURES / "templates.json", FIXTURES / "templates-announced.json"], ids=lambda path: path.name)
def test_jinja2_agrees_with_the_expected_results(path):
    entries = json.loads(path.read_text(encoding="utf-8"))
    wrong = []
    for entry, judged in zip(entries, with_results(json.loads(json.dumps(entries)))):
        if entry["results"] != judged["results"]:
            wrong.append((entry["template"], entry["results"], judged["results"]))
    assert wrong == []


def test_hatasmota_agrees_with_the_expected_outputs():
    for example in json.loads((FIXTURES / "tasmota.json").read_text(encoding="utf-8")):
        assert tasmota_oracle.entities(example["device"]) == example["entities"], example["name"]


def test_hatasmota_agrees_with_the_expected_sensors():
    found = json.loads((FIXTURES / "tasmota-sensors.json").read_text(encoding="utf-8"))
    assert tasmota_oracle.sensor_devices() == found


def test_hatasmota_agrees_with_the_expected_switches():
    found = json.loads((FIXTURES / "tasmota-switches.json").read_text(encoding="utf-8"))
    assert tasmota_oracle.switches() == found
