"""The configuration is read again while controllers are connected."""

import asyncio
import signal
import time

import hap
import pytest
from conftest import LIGHTS, configuration
from controllers import named, shape
from lan import until

ON = "25"


def pair(daemon, lan):
    me, port = hap.Identity(), daemon.until_stable()["port"]
    with hap.Connection(lan.bridge.address, port) as connection:
        accessory = hap.pair_setup(connection, daemon.setup_code, me)
    return hap.session(lan.bridge.address, port, me, accessory)


def by_command(daemon):
    return daemon.cli("reload", "--json")


def by_signal(daemon):
    daemon.process.send_signal(signal.SIGHUP)


@pytest.mark.parametrize("reload", [by_command, by_signal])
async def test_changed_lights_take_effect_and_the_session_stays(reload, make_daemon, lan):
    daemon = make_daemon()
    with pair(daemon, lan) as session:
        before = shape(session.get("/accessories").json["accessories"])
        number = daemon.until_stable()["configurationNumber"]

        renamed = [{**LIGHTS[0], "name": "Desk"}, LIGHTS[2], {"id": "new", "name": "New Light"}]
        daemon.configure(configuration(lights=renamed))
        began = time.monotonic()
        reload(daemon)
        # Changes are collected for a second.
        daemon.until(lambda status: status["configurationNumber"] == number + 1, 5, "c# has risen")
        print(f"c# has risen after {time.monotonic() - began:.2f} s")

        accessories = session.get("/accessories").json["accessories"]
        desk, _ = named(accessories, "Desk")
        new, iids = named(accessories, "New Light")
        assert desk == 2, "the aid is the light's, whatever its name"
        assert new not in {aid for aid, *_ in before}, "no aid is used twice"
        assert not any(aid == 3 for aid, *_ in shape(accessories)), "the porch light is gone"
        answer = session.put("/characteristics", {"characteristics": [{"aid": new, "iid": iids[ON], "value": True}]})
        assert answer.status == 204
        assert daemon.until_stable()["configurationNumber"] == number + 1, "c# rises at most once"


async def test_a_light_answers_all_the_while(make_daemon, lan):
    daemon = make_daemon()
    with pair(daemon, lan) as session:
        aid, iids = named(session.get("/accessories").json["accessories"], "Reading Lamp")
        for number in range(20):
            daemon.configure(configuration(lights=[*LIGHTS, {"id": f"n{number}", "name": f"Number {number}"}]))
            reloading = asyncio.create_task(asyncio.to_thread(by_command, daemon))
            while not reloading.done():
                assert session.get(f"/characteristics?id={aid}.{iids[ON]}").status == 200
                await asyncio.sleep(0)
            assert (await reloading)["drivers"]["changed"] == ["simulated"]


async def test_a_driver_that_has_not_changed_is_left_alone(make_daemon, broker, lan):
    mqtt = {"driver": "mqtt", "url": f"mqtt://127.0.0.1:{broker.port}"}
    daemon = make_daemon(configuration(drivers=[mqtt, {"driver": "simulated", "lights": LIGHTS}]))
    until(lambda: "broker connected" in daemon.log, 10, "a connection to the broker")
    daemon.configure(configuration(drivers=[mqtt, {"driver": "simulated", "id": "more", "lights": LIGHTS[:1]}]))
    listing = by_command(daemon)
    assert listing["drivers"] == {"added": ["more"], "changed": [], "removed": ["simulated"]}
    until(lambda: "more/reading" in daemon.lights, 5, "the light of the new driver")
    lights = daemon.lights
    assert lights["more/reading"]["reachable"] and not lights["simulated/reading"]["reachable"]
    assert any("no driver simulated is configured" in warning for warning in daemon.status["warnings"])
    assert daemon.log.count("broker connected") == 1


@pytest.mark.parametrize("reload", [by_command, by_signal])
async def test_a_bad_file_changes_nothing_and_says_so(reload, make_daemon, lan):
    daemon = make_daemon()
    with pair(daemon, lan) as session:
        before = session.get("/accessories").body
        number = daemon.status["configurationNumber"]
        daemon.configure("bridge:\n  nam: x\n")
        if reload is by_command:
            refused = daemon.cli("reload", check=False)
            assert refused.returncode == 78
            assert ":2:3: bridge.nam: unknown key; write name" in refused.stderr
        else:
            by_signal(daemon)
        daemon.until(lambda status: any("bridge.nam" in warning for warning in status["warnings"]), 5, "a warning")
        assert session.get("/accessories").body == before
        # A good one takes the warning back.
        daemon.configure(configuration())
        assert by_command(daemon) == {
            "drivers": {"added": [], "changed": [], "removed": []}, "lights": [], "needsRestart": []}
        assert daemon.status["warnings"] == []
        assert daemon.until_stable()["configurationNumber"] == number


def test_what_cannot_change_under_controllers_is_named(make_daemon):
    daemon = make_daemon()
    daemon.until_published()
    daemon.configure(configuration(name="Other", **{"event-window": "1s"}))
    assert by_command(daemon)["needsRestart"] == ["bridge.name"]
    assert any("bridge.name" in warning for warning in daemon.status["warnings"])
    daemon.restart()
    status = daemon.until_published()
    assert status["name"] == "Other" and status["warnings"] == []


def test_a_hidden_light_comes_back_with_its_number(make_daemon):
    daemon = make_daemon({**configuration(), "lights": {"simulated/porch": {"hidden": True}}})
    number = daemon.until_stable()["configurationNumber"]
    assert set(daemon.lights) == {"simulated/reading", "simulated/kettle"}
    daemon.configure(configuration())
    assert by_command(daemon)["lights"] == ["simulated/porch"]
    until(lambda: "simulated/porch" in daemon.lights, 5, "the light")
    aid = daemon.lights["simulated/porch"]["aid"]
    daemon.configure({**configuration(), "lights": {"simulated/porch": {"hidden": True}}})
    by_command(daemon)
    assert "simulated/porch" not in daemon.lights
    daemon.configure({**configuration(), "lights": {"simulated/porch": {"name": "Door"}}})
    by_command(daemon)
    until(lambda: daemon.lights.get("simulated/porch", {}).get("name") == "Door", 5, "the light by its new name")
    assert daemon.lights["simulated/porch"]["aid"] == aid
    assert daemon.until_stable()["configurationNumber"] > number
