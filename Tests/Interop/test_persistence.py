"""The bridge keeps its identity, pairings and lights when it is killed or restarted."""

import random
import re

import hap
from conftest import LIGHTS, configuration
from controllers import shape


def identify(status):
    return {key: status[key] for key in ("name", "deviceId", "port", "configurationNumber", "paired")}


async def test_kill_9_at_any_time_loses_nothing(make_daemon, lan):
    seed = random.randrange(2**32)
    print(f"seed {seed}")  # shown by pytest when the test fails
    moment = random.Random(seed)
    daemon = make_daemon()
    status = daemon.until_stable()
    me = hap.Identity()
    address = lan.bridge.address

    with hap.Connection(address, status["port"]) as connection:
        accessory = hap.pair_setup(connection, daemon.setup_code, me)
    paired = identify(daemon.until(lambda status: status["paired"], 3))
    with hap.session(address, status["port"], me, accessory) as session:
        before = shape(session.get("/accessories").json["accessories"])
    light = daemon.lights["simulated/reading"]

    for round in range(12):
        if round % 3 == 0:
            # Kill the daemon while it opens its database, before and after it listens.
            daemon.kill()
            daemon.start_without_waiting()
            daemon.wait_for_life(moment.uniform(0, 0.4))
        else:
            # Kill the daemon while it stores a light's state.
            with hap.session(address, status["port"], me, accessory) as session:
                session.put("/characteristics", {"characteristics": [
                    {"aid": light["aid"], "iid": on_of(before, light["aid"]), "value": bool(round % 2)}]})
            daemon.wait_for_life(moment.uniform(0, 0.05))
        daemon.kill()
        daemon.start()

    assert identify(daemon.until_stable()) == paired
    with hap.session(address, status["port"], me, accessory) as session:
        assert shape(session.get("/accessories").json["accessories"]) == before
    assert [(entry["id"], entry["admin"]) for entry in daemon.cli("pairings", "--json")] == [(me.id.decode(), True)]


def on_of(shape, aid):
    return next(iid for accessory, _, _, iid, kind in shape if accessory == aid and kind == "25")


async def test_kill_during_pairing_leaves_the_bridge_either_paired_or_unpaired(make_daemon, lan):
    moment = random.Random(7)
    daemon = make_daemon()
    status = daemon.until_published()
    for _ in range(6):
        me = hap.Identity()
        with hap.Connection(lan.bridge.address, status["port"]) as connection:
            setup = hap.PairSetup(connection, daemon.setup_code)
            setup.m1()
            setup.m3()
            body = hap.tlv((hap.STATE, 5), (hap.ENCRYPTED, setup.m5_payload(me)))
            head = b"POST /pair-setup HTTP/1.1\r\nContent-Type: application/pairing+tlv8\r\nContent-Length: %d\r\n\r\n"
            connection.send(head % len(body) + body)
            daemon.wait_for_life(moment.uniform(0, 0.02))
            daemon.kill()
            try:
                accessory = setup.accessory(connection.receive().tlv)
            except hap.ConnectionClosed:
                accessory = None
        daemon.start()
        listed = [entry["id"] for entry in daemon.cli("pairings", "--json")]
        assert listed in ([], [me.id.decode()])
        assert daemon.status["paired"] == bool(listed)
        if accessory:
            assert listed, "M6 is sent only after the pairing is on disk"
            with hap.session(lan.bridge.address, daemon.status["port"], me, accessory) as session:
                assert session.get("/accessories").status == 200
        daemon.cli("pairings", "remove", "--all", "--yes")


def test_first_start_shows_all_configured_lights(make_daemon):
    daemon = make_daemon()
    assert daemon.until_stable()["configurationNumber"] == 1
    assert len(daemon.lights) == len(LIGHTS)


def test_log_counts_only_lights_that_are_shown(make_daemon):
    daemon = make_daemon()
    daemon.until_stable()
    daemon.configure(configuration(lights=LIGHTS[:1]))
    daemon.restart()
    daemon.until(lambda status: status["lights"]["count"] == 1, claim="one light")
    daemon.restart()
    assert re.findall(r"bridge started.*lights=\"?(\d+)", daemon.log)[-1] == "1"


def test_last_state_survives_an_orderly_restart(make_daemon):
    daemon = make_daemon()
    daemon.until(lambda status: status["lights"]["reachable"] == 3)
    daemon.cli("lights", "set", "simulated/reading", "on=true", "brightness=37")
    daemon.terminate()
    # Without its driver, nothing reports the state again.
    daemon.configure(configuration(drivers=[{"driver": "simulated", "id": "other"}]))
    daemon.start()
    light = daemon.lights["simulated/reading"]
    assert (light["on"], light["brightness"], light["reachable"]) == (True, 37, False)


def test_simulate_returns_after_the_change_is_visible(daemon):
    for _ in range(5):
        daemon.cli("lights", "set", "simulated/reading", "on=true", "brightness=70")
        daemon.cli("simulate", "simulated/reading", "on=false", "brightness=20")
        light = daemon.lights["simulated/reading"]
        assert (light["on"], light["brightness"]) == (False, 20)
