"""Real devices in a home, with attribute databases from public test suites.

Needs DEVICES=/folder of such databases, for example tests/fixtures in aiohomekit's repository. Each is a JSON file with the
response to GET /accessories. Without DEVICES, conftest skips this file. Tested with fifteen of them.
"""

import json
import os
import re
import sys
from pathlib import Path

import pytest
from home import villa
from lan import until
from talker import Talker

HERE = Path(__file__).parent
CODE = "031-45-154"
DEVICE = "5A:11:C0:DE:00:70"
ON, BRIGHTNESS = "25", "8"
UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-", re.IGNORECASE)
#: The rejected values, with the reasons.
REFUSED = {
    "eve_energy": "recorded over Thread: a service and its first characteristic have one iid, which HAP over IP forbids",
    "synthetic_float_minstep": "made up: its accessories have no Accessory Information service",
}


def add(home):
    """Add the device, and return the rejection, if any. A new host can't search immediately."""
    def tried():
        added = home.add(CODE, DEVICE, "--json", check=False)
        return None if '"code":57' in getattr(added, "stderr", "") else added

    return until(tried, 60, "the hub can search")


def check(shown, recorded, home, device):
    """Check that all parts of an accessory are shown with names, and that its switches work."""
    assert not UUID.search(shown["name"]), shown["name"]
    values = {one["iid"]: (service, one) for service in shown["services"] for one in service["characteristics"]}
    for service in recorded["services"]:
        for one in service["characteristics"]:
            assert one["iid"] in values, f"{recorded['aid']}.{one['iid']} of type {one['type']} is lost"
    for service in shown["services"]:
        assert service["name"] and not UUID.search(service["name"]), service["name"]
    for service, one in values.values():
        if one["type"] == BRIGHTNESS:
            assert {"minimum", "maximum"} <= one.keys(), one
        if one["type"] == ON and "pw" in one["permissions"]:
            home.cli("write", service["id"], "on=no" if one.get("value") else "on=yes")
            device.until(lambda line: (line.get("aid"), line.get("iid")) == (recorded["aid"], one["iid"]), 10)


@pytest.mark.parametrize("path", sorted(Path(os.environ.get("DEVICES", "/")).glob("*.json")), ids=lambda path: path.stem)
def test_recorded_device_is_shown_completely(path, lan, tmp_path):
    recorded = json.loads(path.read_text(encoding="utf-8"))
    recorded = recorded["accessories"] if isinstance(recorded, dict) else recorded
    device = Talker(
        lan.phone, tmp_path / "device.log", sys.executable, HERE / "recorded_device.py", lan.phone.address, 51870, tmp_path / "state",
        DEVICE, path)
    with villa(lan, tmp_path / "hub") as home:
        try:
            device.until(lambda line: "ready" in line, 30)
            added = add(home)
            if path.stem in REFUSED:
                assert '"code":66' in added.stderr, added.stderr
                return
            assert isinstance(added, list), added.stderr
            shown = {accessory["aid"]: accessory["id"] for accessory in home.cli("accessories", "--json")}
            for accessory in recorded:
                check(home.cli("show", shown[accessory["aid"]], "--all", "--json"), accessory, home, device)
        finally:
            device.close()
