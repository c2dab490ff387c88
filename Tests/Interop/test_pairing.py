"""Independent controllers find the bridge by mDNS, pair with it, control it and remove their pairing."""

import asyncio
import base64
import hashlib
import re
import socket

import pytest
from aiohomekit.exceptions import AccessoryDisconnectedError, AuthenticationError
from conftest import configuration
from controllers import (
    BRIGHTNESS, COLOR_TEMPERATURE, HUE, ON, SATURATION, Phone, eventually, identity, named, pairing_data, shape,
)
from lan import PATIENCE


async def test_record_contains_the_required_fields(daemon, lan):
    status = daemon.until_stable()
    async with Phone() as phone:
        record = await phone.record(status["deviceId"])
        txt = record.txt
        assert record.instance == status["advertisement"]["name"]
        assert record.instance == f"Lamplighter {status['deviceId'][-5:].replace(':', '')}"
        assert record.port == status["port"]
        assert set(txt) == {"c#", "ff", "id", "md", "pv", "s#", "sf", "ci", "sh"}
        assert re.fullmatch("([0-9A-F]{2}:){5}[0-9A-F]{2}", txt["id"])
        assert (txt["ff"], txt["pv"], txt["s#"], txt["sf"], txt["ci"]) == ("0", "1.1", "1", "1", "2")
        assert int(txt["c#"]) == status["configurationNumber"] >= 1
        assert txt["md"]

        payload = daemon.cli("setup", "--json")["payload"]
        digest = hashlib.sha512((payload[-4:] + txt["id"]).encode()).digest()
        assert txt["sh"] == base64.b64encode(digest[:4]).decode()

        assert "10.77.0.1" in record.addresses
        for address in record.addresses:
            with socket.create_connection((scoped(address), record.port), 3):
                pass


def scoped(address):
    """Return an address whose interface index, if it is link-local, is that of this host."""
    return address.split("%")[0] + "%eth0" if address.startswith("fe80") else address


async def test_controller_pairs_and_controls_lights(daemon, lan):
    status = daemon.status
    async with Phone() as phone:
        before = await phone.record(status["deviceId"])
        pairing = await phone.pair(status["deviceId"], daemon.setup_code)
        await phone.record(status["deviceId"], lambda record: record.txt["sf"] == "0", timeout=3)

        accessories = await pairing.list_accessories_and_characteristics()
        assert accessories[0]["aid"] == 1 and len(accessories) == 4
        aid, iids = named(accessories, "Reading Lamp")
        assert aid == daemon.lights["simulated/reading"]["aid"]

        writes = {ON: True, BRIGHTNESS: 40, HUE: 30.0, SATURATION: 80.0}
        assert await pairing.put_characteristics([(aid, iids[kind], value) for kind, value in writes.items()]) == {}
        read = await pairing.get_characteristics([(aid, iids[kind]) for kind in writes])
        assert {kind: read[aid, iids[kind]]["value"] for kind in writes} == writes
        light = daemon.lights["simulated/reading"]
        assert (light["on"], light["brightness"], light["hue"], light["saturation"]) == (True, 40, 30, 80)

        assert await pairing.put_characteristics([(aid, iids[COLOR_TEMPERATURE], 250)]) == {}
        assert daemon.lights["simulated/reading"]["temperature"] == 250

        refused = await pairing.put_characteristics([(aid, iids[BRIGHTNESS], 101)])
        assert {key: entry["status"] for key, entry in refused.items()} == {(aid, iids[BRIGHTNESS]): -70410}
        missing = await pairing.get_characteristics([(aid, 9999), (aid, iids[ON])])
        assert missing[aid, 9999]["status"] == -70409 and missing[aid, iids[ON]]["value"]

        status = daemon.status
        assert status["paired"] and status["controllers"] >= 1
        assert [pairing["admin"] for pairing in daemon.cli("pairings", "--json")] == [True]
        assert not phone.removals(before.instance), "the record stays while pairing"


async def test_change_at_the_light_reaches_a_subscriber(daemon, lan):
    async with Phone() as phone:
        pairing = await phone.pair(daemon.status["deviceId"], daemon.setup_code)
        aid, iids = named(await pairing.list_accessories_and_characteristics(), "Reading Lamp")
        events = []
        pairing.dispatcher_connect(events.append)
        assert not await pairing.subscribe([(aid, iids[ON]), (aid, iids[BRIGHTNESS])])

        daemon.cli("simulate", "simulated/reading", "on=true", "brightness=17")
        seen = lambda: {key: value["value"] for event in events for key, value in event.items()}  # noqa: E731
        await eventually(
            lambda: seen() == {(aid, iids[ON]): True, (aid, iids[BRIGHTNESS]): 17}, 2, "the event of the light")


async def test_admin_adds_lists_and_removes_a_second_admin(daemon, lan):
    async with Phone() as phone, Phone() as second:
        admin = await phone.pair(daemon.status["deviceId"], daemon.setup_code)
        other = identity()
        assert await admin.add_pairing(other["id"], other["public"], "Admin")

        guest = second.load(pairing_data(admin.pairing_data, other))
        assert {(entry["pairingId"], entry["permissions"]) for entry in await guest.list_pairings()} == {
            (admin.pairing_data["iOSPairingId"], 1), (other["id"], 1),
        }
        assert guest.is_connected
        assert await admin.remove_pairing(other["id"])
        await eventually(lambda: not guest.is_connected, 3, "the removed controller's session closes")
        assert [entry["pairingId"] for entry in await admin.list_pairings()] == [admin.pairing_data["iOSPairingId"]]
        with pytest.raises((AuthenticationError, AccessoryDisconnectedError, asyncio.TimeoutError)):
            await asyncio.wait_for(guest.list_accessories_and_characteristics(), 5 * PATIENCE)


async def test_bridge_is_pairable_with_the_same_identity_after_its_last_admin_is_removed(daemon, lan):
    device_id = daemon.until_stable()["deviceId"]
    async with Phone() as phone, Phone() as second:
        admin = await phone.pair(device_id, daemon.setup_code)
        first = await phone.record(device_id, lambda record: record.txt["sf"] == "0")
        before = shape(await admin.list_accessories_and_characteristics())
        other = identity()
        await admin.add_pairing(other["id"], other["public"], "User")
        guest = second.load(pairing_data(admin.pairing_data, other))
        await guest.list_accessories_and_characteristics()

        assert await admin.remove_pairing(admin.pairing_data["iOSPairingId"])
        again = await phone.record(device_id, lambda record: record.txt["sf"] == "1", timeout=2)
        assert {**again.txt, "sf": "0"} == first.txt, "nothing else changes"
        await eventually(lambda: not guest.is_connected, 3, "no controller's session outlives the last admin")
        assert daemon.cli("pairings", "--json") == []

    async with Phone() as phone:
        admin = await phone.pair(device_id, daemon.setup_code)
        record = await phone.record(device_id, lambda record: record.txt["sf"] == "0")
        assert record.txt == first.txt
        assert shape(await admin.list_accessories_and_characteristics()) == before


async def test_older_controller_pairs_and_controls_lights(daemon, lan):
    """homekit 0.19 has the same author as aiohomekit, but different implementations of SRP, TLV8 and HTTP."""
    device_id, code = daemon.status["deviceId"], daemon.setup_code
    pytest.importorskip("homekit")
    from homekit.controller import Controller
    from homekit.exceptions import ProtocolError

    def scenario():
        controller = Controller()
        # The library's discovery drops records that don't resolve in time.
        assert any(device_id in [found["id"] for found in controller.discover(max_seconds=4)] for _ in range(3))
        for attempt in range(3):
            try:
                controller.perform_pairing("bridge", device_id, code)
                break
            except ProtocolError:
                # The library stores A, K and its proof as numbers. If one begins with a zero byte, in 3 of 256 pairings, its hashes
                # are wrong.
                assert attempt < 2
        pairing = controller.get_pairings()["bridge"]
        aid, iids = named(pairing.list_accessories_and_characteristics(), "Porch Light")
        assert pairing.put_characteristics([(aid, iids[ON], True), (aid, iids[BRIGHTNESS], 33)]) == {}
        read = pairing.get_characteristics([(aid, iids[BRIGHTNESS])])
        assert read[aid, iids[BRIGHTNESS]]["value"] == 33
        controller.remove_pairing("bridge")

    await asyncio.to_thread(scenario)
    daemon.until(lambda status: not status["paired"], 3, "unpaired by the older controller")


async def test_bridge_requiring_an_ownership_token_rejects_standard_controllers(make_daemon, tmp_path, lan):
    token = tmp_path / "token"
    token.write_text("00112233445566778899aabbccddeeff\n")
    token.chmod(0o600)
    daemon = make_daemon(configuration(ownership={"vendor": "org.example.lamps", "token-file": str(token)}))
    device_id = daemon.until_stable()["deviceId"]
    async with Phone() as phone:
        before = await phone.record(device_id)
        assert before.txt["lv"] == "org.example.lamps"
        assert any("org.example.lamps" in warning for warning in daemon.status["warnings"])
        for _ in range(2):
            with pytest.raises(AuthenticationError):
                await phone.pair(device_id, daemon.setup_code)
        assert (await phone.record(device_id)).txt == before.txt
    assert daemon.cli("pairings", "--json") == [] and not daemon.status["paired"]
    assert not any("wrong setup code" in warning for warning in daemon.status["warnings"])
    assert "ownership token rejected" in daemon.log and "aabbccddeeff" not in daemon.log
