"""Whatever several apps do to one home, and however often its daemon is killed, the home stays whole and everybody's
picture of it is the same."""

import os
import random

import pytest
from conftest import configuration
from home import Refused, stripped
from lan import until
from test_home_scenarios import LAMPS, add, hub, make_home  # noqa: F401 (fixtures)

#: What a random operation may be refused with: it asked for what is not there, or is there already, or has no such name.
HARMLESS = {1, 2, 4, 11, 12, 13, 24, 29, 31, 32, 33, 34, 35, 36, 46, 48, 51, 60, 62, 88, 95}
WORDS = ["Kitchen", "hall", "Küche", "Kids Room", "kid's room", "Upstairs", "Attic", "2nd Lamp", " bad", "Lamp!", "", "x" * 65]


class Operations:
    """Random operations on what an app sees, with nothing that needs another device."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def name(self):
        word = self.random.choice(WORDS)
        return word if self.random.random() < 0.3 else f"{word} {self.random.randrange(40)}"

    def pick(self, things):
        return self.random.choice(things)["id"] if things else "00000000-0000-4000-8000-000000000000"

    def next(self, homes):
        home = self.random.choice(homes) if homes else {"id": self.pick([]), "rooms": [], "zones": [], "accessories": [],
                                                       "actionSets": [], "defaultRoom": self.pick([])}
        rooms = home["rooms"] + [{"id": home["defaultRoom"]}]
        services = [service for accessory in home["accessories"] for service in accessory["services"]]
        return self.random.choice([
            ("addRoom", {"home": home["id"], "name": self.name()}),
            ("addRoom", {"home": home["id"], "name": self.name()}),
            ("addZone", {"home": home["id"], "name": self.name()}),
            ("renameRoom", {"room": self.pick(rooms), "name": self.name()}),
            ("renameZone", {"zone": self.pick(home["zones"]), "name": self.name()}),
            ("renameHome", {"home": home["id"], "name": self.name()}),
            ("removeRoom", {"home": home["id"], "room": self.pick(rooms)}),
            ("removeZone", {"home": home["id"], "zone": self.pick(home["zones"])}),
            ("addRoomToZone", {"room": self.pick(rooms), "zone": self.pick(home["zones"])}),
            ("removeRoomFromZone", {"room": self.pick(rooms), "zone": self.pick(home["zones"])}),
            ("assignAccessory", {"home": home["id"], "accessory": self.pick(home["accessories"]), "room": self.pick(rooms)}),
            ("renameAccessory", {"accessory": self.pick(home["accessories"]), "name": self.name()}),
            ("renameService", {"service": self.pick(services), "name": self.name()}),
            ("setFavorite", {"service": self.pick(services), "isFavorite": self.random.random() < 0.5}),
            ("addActionSet", {"home": home["id"], "name": self.name()}),
            ("removeActionSet", {"actionSet": self.pick(home["actionSets"])}),
            ("addHome", {"name": self.name()}),
            ("setPrimaryHome", {"home": home["id"]}),
        ])


@pytest.mark.parametrize("seed", range(1, 1 + int(os.environ.get("HOME_SEEDS", "3"))))
def test_random_operations_with_kills_leave_whole_homes(make_home, make_daemon, seed):
    home = make_home()
    bridge = make_daemon(configuration("Demo", LAMPS))
    bridge.until_published()
    apps = [home.app(f"org.example.{name}") for name in "abc"]
    house = apps[0].do("addHome", name="House")["id"]
    add(apps[0], bridge, house)
    operations = Operations(seed)
    for turn in range(4):
        done = 0
        for _ in range(60):
            app = operations.random.choice(apps)
            command, members = operations.next(app.homes)
            try:
                app.do(command, **members)
                done += 1
            except Refused as refusal:
                assert refusal.code in HARMLESS, f"{command} {members}: {refusal}"
        assert done > 10, "hardly anything was done: the test shows nothing"
        # In the middle of writes: their answers may never come.
        for app in apps:
            command, members = operations.next(app.homes)
            app.start(command, **members)
        home.kill()
        for app in apps:
            try:
                app.finish(timeout=40)
            except Refused:
                pass
        home.start()
        for app in apps:
            app.wait_for_event("homesUpdated", timeout=30)
        judge = home.app(f"org.example.judge{turn}")
        stored = judge.homes
        assert judge.do("breaches") == []
        for app in apps:
            until(lambda: of_database(app.homes) == of_database(stored), 20, f"{app.name} sees what is stored")
        judge.close()


@pytest.mark.parametrize("seed", range(1, 1 + int(os.environ.get("HOME_SEEDS", "3"))))
def test_every_stream_ends_with_what_holds(make_home, make_daemon, seed):
    """Streams of three apps stay open over writes of all, knobs that are turned, and ends of the hub and of the bridge."""
    home = make_home()
    bridge = make_daemon(configuration("Demo", LAMPS))
    bridge.until_published()
    apps = [home.app(f"org.example.{name}") for name in "abc"]
    add(apps[0], bridge, apps[0].do("addHome", name="House")["id"])
    until(lambda: all(app.homes and len(app.homes[0]["accessories"]) == 4 for app in apps), 20, "all see the lamps")
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
                assert refusal.code in (4, 88), refusal  # it was away at that moment

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
                # What happens while no hub is there is told by the next.
                home.kill()
                bridge.cli("simulate", "simulated/lamp1", f"brightness={chance.randint(1, 100)}")
                home.start()
            case _: pass
        if chance.random() < 0.5:
            stir(5)
        until(lambda: followed(apps, lamps, bridge) == [], 40, "the last of each stream is what holds")


def followed(apps, lamps, bridge):
    """What the last elements of the streams and snapshots say in another way than the lamps themselves."""
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


def of_database(homes):
    """Homes without who is there and what is observed: a restart changes that."""
    return stripped(homes, "isReachable", "isNotificationEnabled", "value", "time")
