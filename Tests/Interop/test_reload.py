"""The configuration is reloaded while controllers are connected."""

import signal

import hap
from conftest import LIGHTS, configuration
from controllers import named, shape

ON = "25"


def pair(daemon, lan):
    me, port = hap.Identity(), daemon.until_stable()["port"]
    with hap.Connection(lan.bridge.address, port) as connection:
        accessory = hap.pair_setup(connection, daemon.setup_code, me)
    return hap.session(lan.bridge.address, port, me, accessory)


async def test_sighup_applies_changed_lights_and_keeps_the_session(make_daemon, lan):
    daemon = make_daemon()
    with pair(daemon, lan) as session:
        before = shape(session.get("/accessories").json["accessories"])
        number = daemon.until_stable()["configurationNumber"]

        renamed = [{**LIGHTS[0], "name": "Desk"}, LIGHTS[2], {"id": "new", "name": "New Light"}]
        daemon.configure(configuration(lights=renamed))
        daemon.process.send_signal(signal.SIGHUP)
        # Changes are collected for a second.
        daemon.until(lambda status: status["configurationNumber"] == number + 1, 5, "c# has risen")

        accessories = session.get("/accessories").json["accessories"]
        desk, _ = named(accessories, "Desk")
        new, iids = named(accessories, "New Light")
        assert desk == 2, "a renamed light keeps its aid"
        assert new not in {aid for aid, *_ in before}, "no aid is reused"
        assert not any(aid == 3 for aid, *_ in shape(accessories)), "the porch light is removed"
        answer = session.put("/characteristics", {"characteristics": [{"aid": new, "iid": iids[ON], "value": True}]})
        assert answer.status == 204
        assert daemon.until_stable()["configurationNumber"] == number + 1, "c# rises at most once"
