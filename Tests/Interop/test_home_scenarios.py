"""What apps that share one home may rely on, shown with the daemon, the bridge and several apps as processes.

The scenarios are numbered as in the project's description of the home.
"""

import os
import signal
import sys

import pytest
from conftest import configuration
from daemon import program
from home import HomeDaemon, Refused
from lan import end, until
from talker import Talker

ON, BRIGHTNESS, NAME, SERIAL, IDENTIFY = "25", "8", "23", "30", "14"
LIGHTBULB = "43"
LAMPS = [{"id": f"lamp{n}", "name": f"Lamp {n}", "brightness": True} for n in (1, 2, 3)]


@pytest.fixture(scope="module")
def hub(lan):
    """A host with an Avahi daemon, where the home's daemon and the apps run."""
    with lan.add_host("hub", "10.77.0.3") as host:
        yield host


@pytest.fixture
def make_home(hub, tmp_path):
    made = []

    def make(configuration=""):
        daemon = HomeDaemon(hub, tmp_path / f"h{len(made)}", configuration)
        made.append(daemon)
        return daemon.start()

    yield make
    for daemon in made:
        daemon.close()


@pytest.fixture
def home(make_home):
    return make_home()


@pytest.fixture
def bridge(make_daemon):
    """Our own bridge with three lamps, published."""
    made = make_daemon(configuration("Demo", LAMPS))
    made.until_published()
    return made


def device(bridge):
    return bridge.status["deviceId"]


def add_home(app, name="My Home"):
    return app.do("addHome", name=name)["id"]


def add(app, bridge, home, **members):
    """Add a bridge of ours; returns what was added, the bridge first."""
    return app.add(device(bridge), bridge.setup_code, home, **members)["added"]


# 1 to 3: who is told


def test_1_everybody_but_the_initiator_is_notified_once_and_in_order(home, bridge):
    a, b = home.app("org.example.a"), home.app("org.example.b")
    house = add_home(a)
    room = a.do("addRoom", name="Kitchen", home=house)["id"]
    zone = a.do("addZone", name="Upstairs", home=house)["id"]
    a.do("addRoomToZone", room=room, zone=zone)
    added = add(a, bridge, house)
    b.told("homeAdded", "primaryHomeUpdated", "roomAdded", "zoneAdded", "roomAddedToZone", *["accessoryAdded"] * 4)
    # A is notified of what came with the bridge, and of nothing else.
    a.told(*["accessoryAdded"] * 3)
    a.do("assignAccessory", accessory=added[1]["id"], room=room, home=house)
    b.told("accessoryRoomUpdated")
    a.received_nothing()
    assert a.known == b.known


def test_2_a_bridge_comes_with_what_is_behind_it(home, bridge):
    a, b = home.app("org.example.a"), home.app("org.example.b")
    house = add_home(a)
    room = a.do("addRoom", name="Hall", home=house)["id"]
    b.forget_events()
    added = add(a, bridge, house)
    assert [line["name"] for line in a.told(*["accessoryAdded"] * 3)] == ["Lamp 1", "Lamp 2", "Lamp 3"]
    names = [line["name"] for line in b.told(*["accessoryAdded"] * 4)]
    assert names == [added[0]["name"], "Lamp 1", "Lamp 2", "Lamp 3"]
    default = a.home["defaultRoom"]
    assert {accessory["room"] for accessory in a.home["accessories"]} == {default}
    a.do("assignAccessory", accessory=added[0]["id"], room=room, home=house)
    b.told("accessoryRoomUpdated")
    rooms = {accessory["name"]: accessory["room"] for accessory in b.home["accessories"]}
    assert rooms.pop(added[0]["name"]) == room and set(rooms.values()) == {default}


def test_3_what_is_behind_a_bridge_goes_with_it_and_not_alone(home, bridge):
    a, b = home.app("org.example.a"), home.app("org.example.b")
    house = add_home(a)
    added = add(a, bridge, house)
    b.wait_for_event("accessoryAdded", lambda line: line["name"] == "Lamp 3")
    a.forget_events()
    assert b.refused("removeAccessory", accessory=added[1]["id"], home=house) == 34
    b.do("removeAccessory", accessory=added[0]["id"], home=house)
    b.told(*["accessoryRemoved"] * 3)
    assert {line["accessory"] for line in a.told(*["accessoryRemoved"] * 4)} == {entry["id"] for entry in added}
    assert a.known == b.known and a.home["accessories"] == []
    assert until(lambda: not bridge.status["paired"], 10, "the bridge is not paired any more")


# 4 to 7: names, rooms, zones

REFUSED_NAMES = [
    ("📚 lamp", 35), ("#2 garage door", 35), (" lamp", 36), ("lamp ", 60), ("'lamp", 36), ("lamp'", 60),
    ("Lamp - 1", 35), ("Lamp_1", 35), ("Lamp.1", 35), ("Lamp/1", 35), ("Tom & Jerry", 35), ("½ lamp", 35),
    ("Zone ②", 35), ("Light™", 35), ("ℹ", 35), ("🇫🇷", 35), ("x🏻", 35), ("1️⃣", 35), ("a\tb", 35), ("a\u00a0b", 35),
    ("a\u3000b", 35), ("", 51), ("x" * 65, 46),
]
GOOD_NAMES = [
    "Reading lamp", "2nd garage door", "My Home", "Living Room", "Upstairs", "Kid's Night Light", "Küche", "居間",
    "हिन्दी", "R2D2", "a", "7",
]


def test_4_every_name_is_taken_or_refused_alike_for_everything_that_has_one(home, bridge):
    a, b = home.app("org.example.a"), home.app("org.example.b")
    house = add_home(a, "Names")
    room = a.do("addRoom", name="First Room", home=house)["id"]
    zone = a.do("addZone", name="First Zone", home=house)["id"]
    added = add(a, bridge, house)
    lamp = a.accessory("Lamp 1")
    service = next(part["id"] for part in lamp["services"] if part["type"] == LIGHTBULB)
    until(lambda: a.known == b.known, 10, "B knows all")
    for app in (a, b):
        app.forget_events()
    # The revision counts what the test itself does to see that all has arrived.
    stable = lambda app: [{**entry, "revision": None} for entry in app.homes]
    before = stable(a)
    ways = [
        ("addHome", {}), ("renameHome", {"home": house}), ("addRoom", {"home": house}), ("renameRoom", {"room": room}),
        ("addZone", {"home": house}), ("renameZone", {"zone": zone}), ("renameAccessory", {"accessory": lamp["id"]}),
        ("renameService", {"service": service}),
    ]
    for name, code in REFUSED_NAMES:
        for command, members in ways:
            assert a.refused(command, name=name, **members) == code, (command, name)
    a.received_nothing()
    b.received_nothing()
    assert stable(a) == before == stable(b)
    for name in GOOD_NAMES:
        for command, members in ways[1:]:
            # One namespace: each name is free again before the next object takes it.
            former = {"renameHome": "Names", "renameRoom": "First Room", "renameZone": "First Zone",
                      "renameAccessory": "Lamp 1", "renameService": None}.get(command)
            answer = a.do(command, name=name, **members)
            assert name == (answer if isinstance(answer, str) else answer["name"]), (command, name)
            if command == "addRoom":
                a.do("removeRoom", room=answer["id"], home=house)
            elif command == "addZone":
                a.do("removeZone", zone=answer["id"], home=house)
            elif former:
                a.do(command, name=former, **members)
    assert added


def test_5_one_name_one_thing_in_a_home(home):
    a = home.app("org.example.a")
    first, second = add_home(a, "First"), add_home(a, "Second")
    a.do("addRoom", name="Kids Room", home=first)
    with pytest.raises(Refused) as refusal:
        a.do("addZone", name="kid's room", home=first)
    assert refusal.value.code == 31 and refusal.value.error["suggestions"]
    a.do("addZone", name="kid's room", home=second)


def test_6_the_default_room_stays_what_it_is(home, bridge):
    a = home.app("org.example.a")
    house = add_home(a, "Small House")
    default = a.home["defaultRoom"]
    zone = a.do("addZone", name="Upstairs", home=house)["id"]
    assert a.refused("renameRoom", room=default, name="Other") == 29
    assert a.refused("removeRoom", room=default, home=house) == 29
    assert a.refused("addRoomToZone", room=default, zone=zone) == 24
    assert a.home["rooms"] == []
    assert "Default Room" not in home.cli("accessories", "--by", "room").stdout
    add(a, bridge, house)
    assert "Small House (Default Room)" in home.cli("accessories", "--by", "room").stdout


def test_7_rooms_and_zones_are_many_to_many(home, bridge):
    a, b = home.app("org.example.a"), home.app("org.example.b")
    house = add_home(a)
    room, other = (a.do("addRoom", name=name, home=house)["id"] for name in ("Hall", "Attic"))
    zones = [a.do("addZone", name=name, home=house)["id"] for name in ("Upstairs", "Guests")]
    for zone in zones:
        a.do("addRoomToZone", room=room, zone=zone)
    a.do("addRoomToZone", room=other, zone=zones[0])
    assert a.refused("addRoomToZone", room=room, zone=zones[0]) == 1
    added = add(a, bridge, house)
    for accessory in added[1:3]:
        a.do("assignAccessory", accessory=accessory["id"], room=room, home=house)
    until(lambda: a.known == b.known, 10, "B knows all")
    b.forget_events()
    a.do("removeRoom", room=room, home=house)
    b.told(*["accessoryRoomUpdated"] * 2, *["roomRemovedFromZone"] * 2, "roomRemoved")
    assert {accessory["room"] for accessory in b.home["accessories"]} == {b.home["defaultRoom"]}
    assert {tuple(zone["rooms"]) for zone in b.home["zones"]} == {(other,), ()}
    a.do("removeZone", zone=zones[0], home=house)
    b.told("zoneRemoved")
    assert [entry["id"] for entry in b.home["rooms"]] == [other]


# 8 to 11: finding and adding


def test_8_a_search_finds_unpaired_accessories(home, bridge):
    a, b, c = (home.app(f"org.example.{name}") for name in "abc")
    house = add_home(a)
    c.told("homeAdded", "primaryHomeUpdated")
    here = lambda line: line["accessory"]["deviceId"] == identity
    identity = device(bridge)
    a.do("startBrowsing")
    a.wait_for_event("browser.found", here)
    c.received_nothing()
    added = add(b, bridge, house)
    a.wait_for_event("browser.removed", here)
    b.do("removeAccessory", accessory=added[0]["id"], home=house)
    a.wait_for_event("browser.found", here)
    # It begins anew: what is there is found again.
    a.do("stopBrowsing")
    a.do("startBrowsing")
    a.wait_for_event("browser.found", here)
    a.do("stopBrowsing")
    for app in (a, c):
        app.forget_events()
    add(b, bridge, house)
    # The search has ended; and C never searched.
    a.told(*["accessoryAdded"] * 4)
    c.told(*["accessoryAdded"] * 4)
    a.received_nothing()
    c.received_nothing()


def test_9_a_wrong_code_leaves_no_trace(home, bridge):
    a = home.app("org.example.a")
    house = add_home(a)
    a.find(device(bridge))
    assert a.refused("addAccessory", device=device(bridge), code="111-22-333", home=house) == 18
    assert a.home["accessories"] == [] and not bridge.status["paired"]
    assert len(add(a, bridge, house)) == 4


def test_10_payloads_are_read_or_refused(home):
    a = home.app("org.example.a", capabilities=["home", "setupPayload"])
    house = add_home(a)
    for url, code in [
        ("X-HM://0076CDMX27OSX", 93), ("X-HM://00739MG3K0000", 11), ("X-HM://ZZZZZZZZZABCD", 27), ("", 27), ("http://x", 27),
        ("X-HM://" + "\U0001f4a1" * 13, 27),
    ]:
        assert a.refused("addAndSetup", url=url, home=house) == code, url
    b = home.app("org.example.b", capabilities=["home"])
    assert b.refused("addAndSetup", url="X-HM://0071WK4SM7OSX", home=house) == 80


TOKEN = "a-token-of-the-makers-cloud-0001"


@pytest.fixture
def owned_bridge(make_daemon, tmp_path):
    """A bridge that wants its maker's token, with one lamp."""
    token = tmp_path / "token"
    token.write_text(TOKEN.encode().hex() + "\n")
    token.chmod(0o600)
    settings = configuration("Maker", LAMPS[:1])
    settings["bridge"]["ownership"] = {"vendor": "org.example.maker", "token-file": str(token)}
    made = make_daemon(settings)
    made.until_published()
    return made


def test_11_only_the_makers_app_is_asked(home, owned_bridge):
    bridge = owned_bridge
    a = home.app("org.example.a")
    bystander = home.app("org.example.b")
    maker = home.app("org.example.maker-app", capabilities=["home", "vendor", "setupPayload"], vendor="org.example.maker")
    home.cli("privacy", "allow", "org.example.maker-app", "--vendor", "org.example.maker")
    house = add_home(a)
    for app in (bystander, maker):
        app.wait_for_event("homeAdded")
        app.forget_events()

    def hand_over():
        assert a.add(device(bridge), bridge.setup_code, house) == {"handedOver": "org.example.maker-app"}
        request = maker.wait_for_event("addAccessoryRequest")["request"]
        assert request["requiresSetupPayloadURL"] is False and request["home"] == house
        return request

    request = hand_over()
    assert maker.refused("addAndSetup", request=request, token="x" * 32, home=house) == 96
    assert a.home["accessories"] == [] and not bridge.status["paired"]
    request = hand_over()
    maker.do("decline", request=request)
    assert a.wait_for_event("additionFailed")["failure"]["error"]["code"] == 79
    assert maker.refused("decline", request=request) == 2
    request = hand_over()
    # No token, no payload; the library says so.
    assert maker.refused("addAndSetup", request=request, token="", home=house) == 27
    answer = maker.do("addAndSetup", request=request, token=TOKEN, home=house)
    assert len(answer["added"]) == 2
    a.told("accessoryAdded", "accessoryAdded")
    bystander.told("accessoryAdded", "accessoryAdded")
    assert bridge.status["paired"]


def test_11_with_the_example_of_a_makers_app(home, owned_bridge, tmp_path):
    proof, said = tmp_path / "proof", tmp_path / "said"
    proof.write_text(TOKEN)
    with open(said, "w") as output:
        app = home.host.popen(
            program("vendor-app"), "org.example.maker", proof, home.socket, stdout=output, stderr=output)
    try:
        home.cli("homes", "add", "My Home")
        home.allow("org.example.vendor-app")
        home.cli("privacy", "allow", "org.example.vendor-app", "--vendor", "org.example.maker")
        done = home.add(owned_bridge.setup_code, owned_bridge.status["deviceId"])
        assert "org.example.vendor-app" in done.stdout + done.stderr
        until(lambda: "Added Maker, Lamp 1." in said.read_text(), 30, f"the app adds it; it said {said.read_text()}")
        assert "Lamp 1" in home.cli("accessories").stdout
        home.cli("privacy", "deny", "org.example.vendor-app")
        until(lambda: "any more" in said.read_text(), 10, "it is told that it may not see the home any more")
    finally:
        end(app)
    assert TOKEN not in home.log + owned_bridge.log + said.read_text()


# 12: permission


def test_12_the_user_decides_and_may_change_his_mind(home, bridge):
    silent = home.app("org.example.silent", allowed=False, purpose=" ")
    assert silent.process.wait(20) < 0 or silent.process.returncode > 128
    assert "does not say what it needs the home for" in silent.log.read_text()

    a = home.app("org.example.a")
    house = add_home(a)
    add(a, bridge, house)
    b = home.app("org.example.b", allowed=False)
    b.start("wait")
    until(lambda: home.cli("privacy", "deny", "org.example.b", check=False).returncode == 0, 10, "B asks")
    with pytest.raises(Refused) as refusal:
        b.finish()
    assert refusal.value.code == 47
    assert b.refused("addHome", name="Mine") == 47 and b.homes == []
    b.pending = []
    home.cli("privacy", "allow", "org.example.b")
    b.told("authorizationStatusUpdated", "homesUpdated")
    until(lambda: b.known == a.known, 10, "both see the same")
    on = b.characteristic("Lamp 1", ON)
    b.do("setNotification", characteristic=on["id"], isEnabled=True)
    bridge.cli("simulate", "simulated/lamp1", "on=true")
    b.told("valueUpdated")
    home.cli("privacy", "deny", "org.example.b")
    b.told("authorizationStatusUpdated")
    assert b.refused("readValue", characteristic=on["id"]) == 47
    bridge.cli("simulate", "simulated/lamp1", "on=false")
    a.do("addRoom", name="Secret Room", home=house)
    assert b.homes == []

    assert home.terminate() == 0
    home.start()
    a.wait_for_event("homesUpdated")
    until(lambda: b.do("status")["isConnected"], 20, "B is back")
    assert b.refused("addHome", name="Mine") == 47
    # Until it is let in again, it was notified of nothing.
    home.cli("privacy", "allow", "org.example.b")
    b.told("authorizationStatusUpdated", "homesUpdated")
    assert len(a.home["accessories"]) == 4


# 13, 14: values


def test_13_values_are_sent_to_their_subscribers(home, bridge):
    a, b, c = (home.app(f"org.example.{name}") for name in "abc")
    house = add_home(a)
    add(a, bridge, house)
    until(lambda: a.known == b.known == c.known and a.homes[0]["accessories"], 20, "all know all")
    for app in (a, b, c):
        app.forget_events()
    on = a.characteristic("Lamp 1", ON)["id"]
    brightness = a.characteristic("Lamp 1", BRIGHTNESS)["id"]
    value = lambda app, kind=ON: app.characteristic("Lamp 1", kind).get("value")
    # No app observes it: the copies of the home follow, and no app gets an event.
    bridge.cli("simulate", "simulated/lamp1", "on=true")
    until(lambda: value(a) in (True, 1), 10, "the copy follows")
    assert a.do("readValue", characteristic=on) in (True, 1)
    assert value(a) in (True, 1)
    for app in (a, b, c):
        app.received_nothing()

    # The device reports: to those who enabled it.
    a.do("setNotification", characteristic=on, isEnabled=True)
    b.do("setNotification", characteristic=on, isEnabled=True)
    bridge.cli("simulate", "simulated/lamp1", "on=false")
    a.told("valueUpdated")
    b.told("valueUpdated")
    c.received_nothing()
    # An app writes: the others are told, itself is not.
    a.do("writeValue", characteristic=on, value=True)
    b.told("valueUpdated")
    a.received_nothing()
    c.received_nothing()
    assert value(c) in (True, 1)
    # Off for B only.
    b.do("setNotification", characteristic=on, isEnabled=False)
    bridge.cli("simulate", "simulated/lamp1", "on=false")
    a.told("valueUpdated")
    b.received_nothing()

    # Unplugged.
    bridge.process.send_signal(signal.SIGKILL)
    bridge.process.wait()
    lamp = a.accessory("Lamp 1")["id"]
    gone = a.wait_for_event("reachabilityUpdated", lambda line: line["accessory"] == lamp, timeout=40)
    assert gone["isReachable"] is False
    assert not a.characteristic("Lamp 1", ON).get("isNotificationEnabled")
    assert a.refused("readValue", characteristic=on) in (4, 88)
    assert a.refused("writeValue", characteristic=brightness, value=10) in (4, 88)
    bridge.start()
    back = a.wait_for_event("reachabilityUpdated", lambda line: line["accessory"] == lamp, timeout=60)
    assert back["isReachable"] is True
    until(lambda: a.characteristic("Lamp 1", ON).get("isNotificationEnabled"), 20, "observed again")
    # What the light did in the seconds before it lost its power is kept, or is not.
    changed = not a.do("readValue", characteristic=on)
    a.forget_events()
    bridge.cli("simulate", "simulated/lamp1", f"on={str(changed).lower()}")
    a.wait_for_event("valueUpdated", lambda line: line["characteristic"] == on and line["value"] == changed)


def test_14_impossible_requests_have_their_numbers(home, bridge):
    a = home.app("org.example.a")
    house = add_home(a)
    add(a, bridge, house)
    place = lambda kind, service=None: a.characteristic("Lamp 1", kind, service)["id"]
    brightness = place(BRIGHTNESS)
    write = lambda characteristic, value: a.refused("writeValue", characteristic=characteristic, value=value)
    assert write(brightness, 101) == 45
    assert write(brightness, -1) == 44
    assert write(brightness, "bright") == 43
    assert write(brightness, None) == 20
    assert write(place(SERIAL), "1") == 5
    assert a.refused("readValue", characteristic=place(IDENTIFY)) == 6
    assert a.refused("setNotification", characteristic=place(SERIAL), isEnabled=True) == 7
    assert a.refused("readValue", characteristic=house) == 2
    a.told(*["accessoryAdded"] * 3)
    a.received_nothing()


# 15 to 17: sameness, restarts, slow apps


def test_15_groups_are_the_same_on_every_run_and_ask_no_device(home, make_daemon, lan):
    settings = configuration("Demo", LAMPS)
    # The host is this run's own, and so are its ports.
    settings["metrics"] = {"listen": "127.0.0.1:9251"}
    bridge = make_daemon(settings)
    # A higher c# would be a reason to ask for the database once more.
    bridge.until_stable()
    a = home.app("org.example.a")
    house = add_home(a)
    added = add(a, bridge, house)
    room = a.do("addRoom", name="Kitchen", home=house)["id"]
    a.do("assignAccessory", accessory=added[1]["id"], room=room, home=house)

    def requests():
        script = "import urllib.request as u; print(u.urlopen('http://127.0.0.1:9251/metrics').read().decode())"
        text = lan.bridge.run(sys.executable, "-c", script).stdout
        return [line for line in text.splitlines() if "request" in line and not line.startswith("#")]

    until(lambda: a.accessory("Lamp 3")["isReachable"], 20, "the bridge is connected")
    a.do("readValue", characteristic=a.characteristic("Lamp 3", ON)["id"])
    before = requests()
    assert before
    for way in ("room", "category"):
        outputs = {home.cli("accessories", "--by", way).stdout for _ in range(3)}
        listings = {str(home.cli("accessories", "--by", way, "--json")) for _ in range(3)}
        assert len(outputs) == 1 and len(listings) == 1 and all(outputs)
    assert requests() == before


def test_16_a_killed_daemon_has_what_it_acknowledged(home, bridge):
    a, b = home.app("org.example.a"), home.app("org.example.b")
    house = add_home(a)
    add(a, bridge, house)
    acknowledged = []
    for turn in range(6):
        for n in range(turn + 1):
            name = f"Room {turn} {n}"
            a.do("addRoom", name=name, home=house)
            acknowledged.append(name)
        home.kill()
        home.start()
        b.wait_for_event("homesUpdated", timeout=30)
        a.wait_for_event("homesUpdated", timeout=30)
        assert [room["name"] for room in a.home["rooms"]] == acknowledged == [room["name"] for room in b.home["rooms"]]
        assert a.do("breaches") == []
        assert not [line for line in a.pending + b.pending if line["event"] == "homesUpdated"]
    until(lambda: a.accessory("Lamp 1")["isReachable"], 30, "the bridge is connected again")


def test_17_a_stalled_app_delays_no_other_and_reloads_once(home):
    a, b, stalled = (home.app(f"org.example.{name}") for name in ("a", "b", "stalled"))
    house = add_home(a)
    stalled.wait_for_event("primaryHomeUpdated")
    os.kill(stalled.process.pid, signal.SIGSTOP)
    room = a.do("addRoom", name="Room", home=house)["id"]
    for n in range(4000):
        a.do("renameRoom", room=room, name=f"Room {n}")
    b.wait_for_event("roomNameUpdated", lambda line: line["name"] == "Room 3999", timeout=120)
    os.kill(stalled.process.pid, signal.SIGCONT)
    stalled.wait_for_event("homesUpdated", timeout=30)
    until(lambda: stalled.known == a.known, 20, "the stalled app has caught up")
    assert len([line for line in stalled.pending if line["event"] == "homesUpdated"]) == 0


# 18: other people's accessories

PYTHON, PYTHON_CODE = "5A:11:C0:DE:00:01", "031-45-154"


def test_18_a_bridge_of_another_make_beside_ours(home, bridge, lan, tmp_path):
    from test_controller import HERE

    python = Talker(
        lan.phone, tmp_path / "bridge.log", sys.executable, HERE / "python_bridge.py", lan.phone.address, 51826,
        tmp_path / "accessory.state")
    try:
        python.until(lambda line: "ready" in line)
        a, b = home.app("org.example.a"), home.app("org.example.b")
        house = add_home(a)
        assert len(add(a, bridge, house)) == 4
        added = a.add(PYTHON, PYTHON_CODE, house)["added"]
        assert len(added) == 5
        on = a.characteristic("Lamp", ON)["id"]
        a.do("writeValue", characteristic=on, value=True)
        python.until(lambda line: line.get("wrote") == ["Lamp", "On", 1])
        b.do("setNotification", characteristic=on, isEnabled=True)
        python.say(["Lamp", "On", False])
        b.wait_for_event("valueUpdated", lambda line: line["characteristic"] == on)
        a.do("writeValue", characteristic=a.characteristic("Lamp 1", ON)["id"], value=True)
        assert bridge.lights["simulated/lamp1"]["on"] is True
        a.do("removeAccessory", accessory=added[0]["id"], home=house, timeout=60)
        assert len(a.home["accessories"]) == 4
    finally:
        python.close()
