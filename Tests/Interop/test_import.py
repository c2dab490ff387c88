"""Pairings of other programs: their bridges continue as our bridge, and their accessories are added to our home.

HAP-python and aiohomekit write the identities and pairings. With HASS (hass.py), Home Assistant itself does, too. Homebridge wrote
its files in Tests/Fixtures/homebridge.
"""

import asyncio
import json
import shutil
import sys
from pathlib import Path

import pytest
from aiohomekit.exceptions import AuthenticationError
from controllers import ON, Phone, named
from hass import HASS, HomeAssistant
from home import villa
from lan import until
from talker import Talker

HERE = Path(__file__).parent
DEVICE, CODE = "5A:11:C0:DE:00:01", "031-45-154"
#: An aid as Home Assistant assigns them, which are hashes.
AID = 4_012_345_678


def write(path, value):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value))


def entries(*entries):
    return {"version": 1, "minor_version": 5, "key": "core.config_entries", "data": {"entries": list(entries)}}


class PythonBridge(Talker):
    """A HAP-python bridge on the host `bridge` that is paired with aiohomekit."""

    def __init__(self, lan, state):
        state.parent.mkdir(parents=True, exist_ok=True)
        super().__init__(
            lan.bridge, state.parent / "bridge.log", sys.executable, HERE / "python_bridge.py", lan.bridge.address, 51826, state)
        self.until(lambda line: "ready" in line)

    async def pair(self):
        """Pair with the bridge, and return the pairing in the form of aiohomekit's file.

        HAP-python strips the leading zeros of S and K, and aiohomekit doesn't. So they reject each other once in 128 times.
        """
        async with Phone() as phone:
            try:
                pairing = await phone.pair(DEVICE, CODE)
            except AuthenticationError:
                pairing = await phone.pair(DEVICE, CODE)
            return dict(pairing.pairing_data)


async def home_assistant(lan, folder):
    """Return the pairing with a bridge of HAP-python, whose state is stored as in Home Assistant."""
    storage = folder / ".storage"
    bridge = PythonBridge(lan, storage / "homekit.one.state")
    try:
        pairing = await bridge.pair()
        # HAP-python stores the pairing after it has answered.
        stored = storage / "homekit.one.state"
        until(lambda: json.loads(stored.read_text())["paired_clients"], 10, "the pairing is stored")
    finally:
        bridge.close()
    write(storage / "core.config_entries", entries(
        {"entry_id": "one", "domain": "homekit", "title": "House:51826", "data": {"name": "House", "port": 51826}}))
    write(storage / "homekit.one.aids", {
        "version": 1, "minor_version": 1, "key": "homekit.one.aids",
        "data": {"allocations": {"mqtt.light.a": AID, "light.b": 7}}})
    return pairing


async def homebridge(lan, folder):
    """Copy the files of Homebridge, and return the pairing with its bridge."""
    shutil.copytree(HERE.parent / "Fixtures/homebridge", folder)
    return json.loads((folder / "pairing.json").read_text()) | {"AccessoryIP": lan.bridge.address}


async def continues(daemon, pairing):
    """Check that the running bridge is the former one for a paired controller, with new accessories."""
    device = pairing["AccessoryPairingID"]
    assert daemon.until_published()["deviceId"] == device and daemon.status["paired"]
    async with Phone() as phone:
        assert (await phone.record(device)).txt["sf"] == "0"
        loaded = phone.load(pairing)
        aid, iids = named(await loaded.list_accessories_and_characteristics(), "Porch Light")
        await loaded.put_characteristics([(aid, iids[ON], True)])
    assert daemon.lights["simulated/porch"]["on"]
    return aid


@pytest.mark.parametrize("program, pairings, admins, aid", [(home_assistant, 1, 1, AID), (homebridge, 2, 1, 4)])
async def test_imported_bridge_keeps_its_pairings(program, pairings, admins, aid, make_daemon, lan, tmp_path):
    pairing = await program(lan, tmp_path / "other")
    device = pairing["AccessoryPairingID"]
    daemon = make_daemon()
    own = daemon.until_published()["deviceId"]
    daemon.terminate()
    name = program.__name__.replace("_", "-")
    place = [tmp_path / "other", "--bridge", device, "--state-directory", daemon.state_directory]

    if program is homebridge:
        several = daemon.cli("import", name, tmp_path / "other", "--dry-run", check=False)
        assert several.returncode == 64 and "Homebridge 7A3C" in several.stderr and "Garden" in several.stderr
    plan = daemon.cli("import", name, *place, "--dry-run")
    assert device in plan.stdout and f"Pairings: {pairings}, of which {admins} admin" in plan.stdout
    unconfirmed = daemon.cli("import", name, *place, check=False)
    assert unconfirmed.returncode == 64
    daemon.start()
    assert daemon.status["deviceId"] == own
    running = daemon.cli("import", name, *place, "--yes", check=False)
    assert running.returncode == 69 and f"process {daemon.process.pid}" in running.stderr
    daemon.terminate()

    said = daemon.cli("import", name, *place, "--yes")
    assert f"The bridge is now {device}, with {pairings} pairing" in said.stdout
    daemon.start()
    assert await continues(daemon, pairing) > aid
    assert sorted(one["admin"] for one in daemon.cli("--json", "pairings")) == [False] * (pairings - admins) + [True] * admins
    code = daemon.setup_code_anyway
    assert (code == CODE) == (program is homebridge)

    daemon.terminate()
    again = daemon.cli("import", name, *place, "--yes", check=False)
    assert again.returncode == 65 and "--replace-pairings" in again.stderr
    stored = [json.loads(path.read_text()) for path in (tmp_path / "other").rglob("*")
              if path.name.startswith(("homekit.one.state", "AccessoryInfo"))]
    secrets = [one.get("private_key") or one["signSk"] for one in stored]
    for shown in (plan, unconfirmed, running, said, again):
        assert not any(secret[:16] in shown.stdout + shown.stderr for secret in secrets)


@pytest.mark.parametrize("program", ["aiohomekit", "home-assistant"])
async def test_accessory_paired_with_another_program_is_added(program, lan, tmp_path):
    bridge = PythonBridge(lan, tmp_path / "accessory.state")
    try:
        pairing = await bridge.pair()
        away = pairing | {"AccessoryPairingID": "5A:11:C0:DE:00:99"}
        pairings = {"bridge": pairing, "away": away, "lock": {"Connection": "BLE"}}
        file = tmp_path / "pairings.json"
        if program == "home-assistant":
            file = tmp_path / ".storage/core.config_entries"
            write(file, entries(*(
                {"domain": "homekit_controller", "title": name, "data": data} for name, data in pairings.items())))
        else:
            write(file, pairings)
        with villa(lan, tmp_path / "home") as home:
            adds(home, bridge, program, file)
        # The other program keeps its pairing.
        async with Phone() as phone:
            await phone.record(DEVICE)
            assert named(await phone.load(pairing).list_accessories_and_characteristics(), "Lamp")
    finally:
        bridge.close()


def adds(home, bridge, program, file):
    planned = home.cli("import", program, file, "--dry-run", check=False)
    assert "bridge: can be added" in planned.stdout and "lock: not added: it's connected by Bluetooth" in planned.stdout

    def imported():
        done = home.cli("import", program, file, "--json", check=False)
        results = {entry["name"]: entry for entry in json.loads(done.stdout)}
        assert done.returncode == 1 and results["lock"]["result"] == "failed"
        return results["bridge"]["result"] == "added" and results

    results = until(imported, 60, "the bridge is added")
    assert "isn't on the network" in results["away"]["reason"]
    assert [accessory["name"] for accessory in results["bridge"]["accessories"]] == [
        "Python Bridge", "Lamp", "Thermometer", "Latch", "Button"]
    home.cli("write", "Lamp", "brightness=40")
    bridge.until(lambda line: line.get("wrote") == ["Lamp", "Brightness", 40])
    bridge.say(["Thermometer", "CurrentTemperature", 21.5])
    until(lambda: "21.5" in home.cli("read", "Thermometer").stdout, 10, "the temperature")
    again = home.cli("import", program, file, check=False)
    assert "bridge: already in the home" in again.stdout


if HASS:
    async def test_bridge_of_home_assistant_keeps_its_pairings(make_daemon, lan, tmp_path):
        hass = HomeAssistant(
            lan.bridge, tmp_path / "hass",
            "input_boolean: {lamp: {name: Lamp}}\n"
            f"homekit: [{{name: House, port: 51840, ip_address: {lan.bridge.address}, advertise_ip: [{lan.bridge.address}]}}]\n")
        try:
            code = hass.ask("code", None)
            async with Phone() as phone:
                device = await found(phone)
                pairing = dict((await phone.pair(device, code)).pairing_data)
        finally:
            hass.close()
        daemon = make_daemon()
        daemon.terminate()
        said = daemon.cli("import", "home-assistant", tmp_path / "hass", "--yes", "--state-directory", daemon.state_directory)
        assert "\"House\"" in said.stdout
        daemon.start()
        assert daemon.until_published()["deviceId"] == device
        async with Phone() as phone:
            await phone.record(device)
            assert named(await phone.load(pairing).list_accessories_and_characteristics(), "Porch Light")

    async def found(phone):
        """Return the device id of the only bridge on the network."""
        while True:
            async for discovery in phone.ip.async_discover():
                return discovery.description.id.upper()
            await asyncio.sleep(0.1)

    def test_accessory_of_home_assistant_is_added(lan, tmp_path):
        bridge = PythonBridge(lan, tmp_path / "accessory.state")
        hass = HomeAssistant(lan.phone, tmp_path / "hass")
        try:
            print(hass.ask("pair", CODE))
            hass.close()
            with villa(lan, tmp_path / "home") as home:
                def imported():
                    done = home.cli("import", "home-assistant", tmp_path / "hass", check=False)
                    return "added as Python Bridge" in done.stdout
                until(imported, 60, "the bridge is added")
                home.cli("write", "Lamp", "on=yes")
                bridge.until(lambda line: line.get("wrote") == ["Lamp", "On", 1])
        finally:
            hass.close()
            bridge.close()
