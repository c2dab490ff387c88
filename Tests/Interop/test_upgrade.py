"""This version opens the state of earlier versions: pairings stay valid, and all numbers stay the same.

Fixtures/state has the state of an earlier version: the state directories of a bridge with a paired phone, of a home, and of
the home's bridge; and known.json with the data of phone and home at that time. Before the next change of the stored format,
create a new set with the version before it: `MAKE_STATE=FOLDER PROGRAMS=FOLDER pytest test_upgrade.py`.
"""

import asyncio
import json
import os
import shutil
from pathlib import Path

import pytest
from conftest import LIGHTS, configuration
from controllers import BRIGHTNESS, ON, Phone, named, shape
from home import HomeDaemon
from lan import until

STATE = Path(__file__).resolve().parents[1] / "Fixtures/state"
NAME, HOME_NAME = "Old Bridge", "Home Bridge"
POWER = "E863F10D"


@pytest.fixture
def home(lan, tmp_path):
    with lan.add_host("hub", "10.77.0.3") as host:
        daemon = HomeDaemon(host, tmp_path / "home")
        yield daemon
        daemon.close()


def without_moments(value):
    """Return a listing without values that depend on the bridge (reachability, version) or are newer than the state."""
    if isinstance(value, dict):
        volatile = ("isReachable", "problem", "firmwareVersion", "covers")
        return {key: without_moments(part) for key, part in value.items() if key not in volatile}
    return [without_moments(part) for part in value] if isinstance(value, list) else value


def home_listing(home):
    listing = {what: home.cli(what, "--json") for what in ("homes", "rooms", "zones", "accessories", "scenes")}
    # Summaries were added later.
    for accessory in listing["accessories"]:
        accessory.pop("state", None)
    return without_moments({**listing, "privacy": home.cli("privacy", "--json")})


def bridge_in_reach(home):
    return until(
        lambda: all(accessory["isReachable"] for accessory in home.cli("accessories", "--json")) or None, 20,
        "the home reaches the bridge")


async def database(phone, data):
    pairing = phone.load(data)
    try:
        return await pairing.list_accessories_and_characteristics()
    finally:
        await pairing.close()


async def test_state_of_an_earlier_version_is_opened(make_daemon, home, lan):
    known = json.loads((STATE / "known.json").read_text())
    light = {"id": "attic", "name": "Attic Light"}
    daemon = make_daemon(configuration(NAME, [LIGHTS[0], LIGHTS[1], light]), start=False)
    home_bridge = make_daemon(configuration(HOME_NAME), start=False)
    for made, folder in ((daemon, "bridge"), (home_bridge, "home-bridge"), (home, "home")):
        shutil.copytree(STATE / folder, made.state_directory, dirs_exist_ok=True)
    daemon.start()
    home_bridge.start()
    status = daemon.until_published()
    assert {key: status[key] for key in ("deviceId", "paired")} == known["status"]
    assert [entry["id"] for entry in daemon.cli("pairings", "--json")] == known["pairings"]
    assert daemon.setup_code_anyway == known["code"]
    async with Phone() as phone:
        await phone.record(status["deviceId"])
        accessories = await database(phone, known["phone"])
        assert [light["key"] for light in daemon.cli("lights", "purge", "--json")] == ["simulated/kettle"]
        new = daemon.lights["simulated/attic"]["aid"]
        assert new > max(aid for aid, *_ in known["shape"]), "an aid is never reused"
        there = sorted(list(row) for row in shape(accessories) if row[0] != new)
        # Adaptive lighting was added later.
        assert [row for row in there if row[4] not in ("143", "144", "24B")] == [
            row for row in known["shape"] if row[0] != known["removed"]]
        aid, iids = named(accessories, "Reading Lamp")
        pairing = phone.load(known["phone"])
        read = await pairing.get_characteristics([(aid, iids[ON]), (aid, iids[BRIGHTNESS])])
        assert [entry["value"] for entry in read.values()] == [True, 40], "the last state"
        await pairing.close()
    await asyncio.to_thread(home.start)
    assert await asyncio.to_thread(home_listing, home) == known["home"]
    await asyncio.to_thread(bridge_in_reach, home)
    await asyncio.to_thread(home.cli, "scenes", "run", "Evening")
    assert home_bridge.lights["simulated/porch"]["on"]


def mixed(broker, kinds):
    """A bridge for the devices of Fixtures/state/devices.json, which are on the broker as Zigbee2MQTT publishes them."""
    devices = json.loads((STATE / "devices.json").read_text())
    messages = {"bridge/state": {"state": "online"}, "bridge/devices": [one["device"] for one in devices]}
    messages |= {one["device"]["friendly_name"]: one["state"] for one in devices}
    broker.publish({f"zigbee2mqtt/{topic}": json.dumps(message) for topic, message in messages.items()})
    drivers = [{"driver": "mqtt", "url": broker.url, "discovery": {"zigbee2mqtt": "zigbee2mqtt"}}]
    return configuration("Mixed Bridge", drivers=drivers) | {"include": kinds}


async def test_devices_of_an_earlier_version_keep_their_ids_when_functions_are_added(make_daemon, broker):
    known = json.loads((STATE / "mixed.json").read_text())
    daemon = make_daemon(mixed(broker, ["all"]), start=False)
    shutil.copytree(STATE / "mixed", daemon.state_directory, dirs_exist_ok=True)
    daemon.start()
    await asyncio.to_thread(daemon.until_stable)
    async with Phone() as phone:
        await phone.record(daemon.status["deviceId"])
        present = shape(await database(phone, known["phone"]))
    assert {tuple(row) for row in known["shape"]} <= present
    added = {row[4] for row in present} - {row[4] for row in known["shape"]}
    assert {"7A", "93", "95", POWER} <= added, "tampering, carbon dioxide, air quality and power are new"


if target := os.environ.get("MAKE_STATE"):

    def configure_home(home, bridge):
        home.cli("homes", "add", "Old House")
        home.cli("rooms", "add", "Kitchen")
        home.cli("zones", "add", "Downstairs")
        home.cli("zones", "add-room", "Downstairs", "Kitchen")
        app = home.app("org.example.allowed")
        app.add(bridge.status["deviceId"], bridge.setup_code, app.home["id"])
        home.cli("assign", "Porch Light", "Kitchen")
        home.cli("scenes", "add", "Evening")
        home.cli("scenes", "set", "Evening", "Porch Light", "on=yes")
        home.cli("favourite", "Porch Light")
        home.app("org.example.denied", allowed=False).start("wait")
        until(lambda: home.cli("privacy", "deny", "org.example.denied", check=False).returncode == 0, 10, "it requests access")

    async def test_daemons_write_the_state_fixtures(make_daemon, home, lan):
        daemon, home_bridge = make_daemon(configuration(NAME)), make_daemon(configuration(HOME_NAME))
        daemon.until_published()
        home_bridge.until_published()
        await asyncio.to_thread(home.start)
        await asyncio.to_thread(configure_home, home, home_bridge)
        async with Phone() as phone:
            pairing = await phone.pair(daemon.status["deviceId"], daemon.setup_code)
            accessories = await pairing.list_accessories_and_characteristics()
            aid, iids = named(accessories, "Reading Lamp")
            await pairing.put_characteristics([(aid, iids[ON], True), (aid, iids[BRIGHTNESS], 40)])
            data = dict(pairing.pairing_data)
            await pairing.close()
        removed = daemon.lights["simulated/kettle"]["aid"]
        daemon.configure(configuration(NAME, LIGHTS[:2]))
        daemon.cli("reload")
        known = {
            "status": {key: daemon.status[key] for key in ("deviceId", "paired")}, "phone": data, "removed": removed,
            "pairings": [entry["id"] for entry in daemon.cli("pairings", "--json")], "code": daemon.setup_code_anyway,
            "shape": sorted(shape(accessories)), "home": await asyncio.to_thread(home_listing, home),
        }
        for made, folder in ((daemon, "bridge"), (home_bridge, "home-bridge"), (home, "home")):
            made.terminate()
            shutil.rmtree(Path(target) / folder, ignore_errors=True)
            shutil.copytree(
                made.state_directory, Path(target) / folder, ignore=shutil.ignore_patterns("*.backup", "*.lock"))
        (Path(target) / "known.json").write_text(json.dumps(known, indent=1, sort_keys=True) + "\n")

    async def test_bridge_writes_the_mixed_state_fixture(make_daemon, broker):
        daemon = make_daemon(mixed(broker, ["lights", "switches", "outlets", "fans", "sensors"]))
        await asyncio.to_thread(daemon.until_stable)
        async with Phone() as phone:
            pairing = await phone.pair(daemon.status["deviceId"], daemon.setup_code)
            known = {
                "phone": dict(pairing.pairing_data),
                "shape": sorted(shape(await pairing.list_accessories_and_characteristics()))}
            await pairing.close()
        daemon.terminate()
        shutil.rmtree(Path(target) / "mixed", ignore_errors=True)
        shutil.copytree(
            daemon.state_directory, Path(target) / "mixed", ignore=shutil.ignore_patterns("*.backup", "*.lock"))
        (Path(target) / "mixed.json").write_text(json.dumps(known, indent=1, sort_keys=True) + "\n")
