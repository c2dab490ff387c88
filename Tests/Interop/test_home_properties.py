"""The streams of several apps agree with the accessories, even if the daemons restart."""

import os
import random

import pytest
from conftest import configuration
from home import Refused, hub, make_home  # noqa: F401 (fixtures)
from lan import until
from test_home_scenarios import LAMPS, add


@pytest.mark.parametrize("seed", range(1, 1 + int(os.environ.get("HOME_SEEDS", "1"))))
def test_every_stream_ends_with_the_current_values(make_home, make_daemon, seed):
    """Three apps keep their streams open during writes, changes at the lamps, and restarts of hub and bridge."""
    home = make_home()
    bridge = make_daemon(configuration("Demo", LAMPS))
    bridge.until_published()
    apps = [home.app(f"org.example.{name}") for name in "abc"]
    add(apps[0], bridge, apps[0].do("addHome", name="House")["id"])
    until(lambda: all(app.homes and len(app.homes[0]["accessories"]) == 4 for app in apps), 20, "all apps see the lamps")
    lamps = {
        one["id"]: one["type"] for accessory in apps[0].homes[0]["accessories"] for service in accessory["services"]
        for one in service["characteristics"] if one["type"] in ("25", "8") and service["type"] == "43"}
    assert len(lamps) == 6
    for app in apps:
        app.do("follow", characteristics=list(lamps))
    chance = random.Random(seed)

    def stir(count):
        for _ in range(count):
            place, kind = chance.choice(list(lamps.items()))
            value = chance.random() < 0.5 if kind == "25" else chance.randint(1, 100)
            if chance.random() < 0.3:
                lamp = f"simulated/lamp{chance.randint(1, 3)}"
                bridge.cli("simulate", lamp, chance.choice(["on=true", "on=false", f"brightness={chance.randint(1, 100)}"]))
                continue
            try:
                chance.choice(apps).do("writeValue", characteristic=place, value=value)
            except Refused as refusal:
                assert refusal.code in (4, 88), refusal  # the hub was unavailable

    for turn in range(5):
        stir(10)
        match turn if seed == 1 else chance.randrange(5):
            case 0:
                home.kill()
                home.start()
            case 1:
                bridge.restart()
            case 2:
                home.kill()
                bridge.restart()
                home.start()
            case 3:
                # The restarted hub reports changes that were made in the meantime.
                home.kill()
                bridge.cli("simulate", "simulated/lamp1", f"brightness={chance.randint(1, 100)}")
                home.start()
            case _: pass
        if chance.random() < 0.5:
            stir(5)
        until(lambda: followed(apps, lamps, bridge) == [], 40, "each stream ends with the current value")


def followed(apps, lamps, bridge):
    """Return the differences between the lamps and the streams and snapshots."""
    truth = {light["name"]: {"25": light["on"], "8": light["brightness"]} for light in bridge.lights.values()}
    wrong = []
    for app in apps:
        told = app.do("followed")
        for accessory in told["homes"][0]["accessories"] if told["homes"] else []:
            for service in accessory["services"]:
                for one in service["characteristics"]:
                    if one["id"] not in lamps:
                        continue
                    holds = truth[accessory["name"]][one["type"]]
                    for way, value in (("stream", told["values"].get(one["id"])), ("snapshot", one.get("value"))):
                        if value != holds:
                            wrong.append((app.name, way, accessory["name"], one["type"], value, holds))
    return wrong

