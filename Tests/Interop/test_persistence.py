"""What a controller has learned of the bridge stays true over every kind of end."""

import asyncio
import random
import re

import hap
from conftest import LIGHTS, configuration
from controllers import shape
from lan import PATIENCE


def identify(status):
    return {key: status[key] for key in ("name", "deviceId", "port", "configurationNumber", "paired")}


async def test_kill_9_at_any_moment_loses_nothing(make_daemon, lan):
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
            # While it starts: opening its database, before or after it listens.
            daemon.kill()
            daemon.start_without_waiting()
            daemon.wait_for_life(moment.uniform(0, 0.4))
        else:
            # While it writes down what a light does.
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


async def test_a_kill_during_pairing_leaves_it_paired_or_unpaired_but_never_between(make_daemon, lan):
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
            assert listed, "M6 is sent only when the pairing is on disk"
            with hap.session(lan.bridge.address, daemon.status["port"], me, accessory) as session:
                assert session.get("/accessories").status == 200
        daemon.cli("pairings", "remove", "--all", "--yes")


def test_what_the_configuration_declares_is_there_from_the_first_start_on(make_daemon):
    daemon = make_daemon()
    assert daemon.until_stable()["configurationNumber"] == 1
    assert len(daemon.lights) == len(LIGHTS)


def test_the_log_counts_the_lights_that_are_shown(make_daemon):
    daemon = make_daemon()
    daemon.until_stable()
    daemon.configure(configuration(lights=LIGHTS[:1]))
    daemon.restart()
    daemon.until(lambda status: status["lights"]["count"] == 1, claim="one light")
    daemon.restart()
    assert re.findall(r"bridge started.*lights=\"?(\d+)", daemon.log)[-1] == "1"


async def test_an_orderly_restart_keeps_everything(make_daemon, lan):
    daemon = make_daemon()
    status = daemon.until_stable()
    me = hap.Identity()
    with hap.Connection(lan.bridge.address, status["port"]) as connection:
        accessory = hap.pair_setup(connection, daemon.setup_code, me)
    with hap.session(lan.bridge.address, status["port"], me, accessory) as session:
        before = shape(session.get("/accessories").json["accessories"])
    paired = identify(daemon.status)
    code = daemon.cli("setup", "--force", "--json")["code"]
    daemon.restart()
    assert identify(daemon.until_stable()) == paired
    assert daemon.cli("setup", "--force", "--json")["code"] == code
    with hap.session(lan.bridge.address, status["port"], me, accessory) as session:
        assert shape(session.get("/accessories").json["accessories"]) == before


def test_the_last_state_is_known_after_an_orderly_restart(make_daemon):
    daemon = make_daemon()
    daemon.until(lambda status: status["lights"]["reachable"] == 3)
    daemon.cli("lights", "set", "simulated/reading", "on=true", "brightness=37")
    daemon.terminate()
    # Its driver is gone, so that the state is not reported anew.
    daemon.configure(configuration(drivers=[{"driver": "simulated", "id": "other"}]))
    daemon.start()
    light = daemon.lights["simulated/reading"]
    assert (light["on"], light["brightness"], light["reachable"]) == (True, 37, False)


async def test_what_is_in_flight_at_the_end_is_answered(make_daemon, lan):
    daemon = make_daemon(configuration(lights=[{"id": "slow", "name": "Slow", "latency": "1s"}]))
    status = daemon.until_published()
    me = hap.Identity()
    with hap.Connection(lan.bridge.address, status["port"]) as connection:
        accessory = hap.pair_setup(connection, daemon.setup_code, me)
    with hap.session(lan.bridge.address, status["port"], me, accessory) as session:
        light = daemon.lights["simulated/slow"]
        on = on_of(shape(session.get("/accessories").json["accessories"]), light["aid"])
        body = {"characteristics": [{"aid": light["aid"], "iid": on, "value": True}]}
        answer = asyncio.get_running_loop().run_in_executor(None, session.put, "/characteristics", body)
        await asyncio.sleep(0.3)  # the request is under way: the light takes a second
        code, seconds = daemon.terminate()
        assert (await answer).status == 204
    assert code == 0 and seconds < 5 * PATIENCE


def test_a_purge_forgets_lights_whose_driver_is_gone_and_no_aid_is_given_again(make_daemon):
    daemon = make_daemon()
    daemon.until(lambda status: status["lights"]["reachable"] == 3)
    aids = {light["aid"] for light in daemon.lights.values()}
    assert daemon.cli("lights", "purge", "--json") == []
    other = {"driver": "simulated", "id": "other", "lights": [{"id": "new", "name": "New Lamp"}]}
    daemon.terminate()
    daemon.configure(configuration(drivers=[other]))
    daemon.start()
    new = daemon.lights["other/new"]["aid"]
    assert any("lamplighter lights purge" in str(warning) for warning in daemon.status["warnings"])
    purged = daemon.cli("lights", "purge", "--json")
    assert sorted(light["key"] for light in purged) == ["simulated/kettle", "simulated/porch", "simulated/reading"]
    assert list(daemon.lights) == ["other/new"]
    daemon.kill()
    daemon.configure(configuration(drivers=[{**other, "id": "third"}]))
    daemon.start()
    daemon.cli("lights", "purge")
    daemon.restart()
    daemon.configure(configuration())
    daemon.cli("reload")
    after = {key: light["aid"] for key, light in daemon.lights.items() if key.startswith("simulated/")}
    assert len(after) == 3 and min(after.values()) > max({*aids, new}) + 1


def test_lights_of_a_driver_that_is_gone_stay_until_they_are_forgotten(make_daemon):
    daemon = make_daemon()
    daemon.until(lambda status: status["lights"]["reachable"] == 3)
    aid = daemon.lights["simulated/reading"]["aid"]
    refused = daemon.cli("lights", "forget", "simulated/reading", check=False)
    assert refused.returncode == 64 and "in reach" in refused.stderr
    daemon.terminate()
    daemon.configure(configuration(drivers=[{"driver": "simulated", "id": "other"}]))
    daemon.start()
    assert not daemon.lights["simulated/reading"]["reachable"]
    daemon.cli("lights", "forget", "simulated/reading")
    assert sorted(daemon.lights) == ["simulated/kettle", "simulated/porch"]
    daemon.restart()
    assert sorted(daemon.lights) == ["simulated/kettle", "simulated/porch"]
    daemon.terminate()
    daemon.configure(configuration())
    daemon.start()
    daemon.until(lambda status: status["lights"]["reachable"] == 3)
    assert daemon.lights["simulated/reading"]["aid"] == aid


def test_a_simulated_change_has_happened_when_the_command_returns(daemon):
    for _ in range(5):
        daemon.cli("lights", "set", "simulated/reading", "on=true", "brightness=70")
        daemon.cli("simulate", "simulated/reading", "on=false", "brightness=20")
        light = daemon.lights["simulated/reading"]
        assert (light["on"], light["brightness"]) == (False, 20)
