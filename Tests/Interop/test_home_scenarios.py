"""Several apps share one home. Daemon, bridge and apps are processes."""

import signal
import sys

import pytest
from conftest import configuration
from daemon import program
from home import Refused, hub, make_home  # noqa: F401 (fixtures)
from lan import end, until

ON = "25"
LAMPS = [{"id": f"lamp{n}", "name": f"Lamp {n}", "brightness": True} for n in (1, 2, 3)]


@pytest.fixture
def home(make_home):
    return make_home()


@pytest.fixture
def bridge(make_daemon):
    """Our own published bridge with three lamps."""
    made = make_daemon(configuration("Demo", LAMPS))
    made.until_published()
    return made


def device(bridge):
    return bridge.status["deviceId"]


def add_home(app, name="My Home"):
    return app.do("addHome", name=name)["id"]


def add(app, bridge, home, **members):
    """Add our own bridge, and return the added accessories, the bridge first."""
    return app.add(device(bridge), bridge.setup_code, home, **members)["added"]


TOKEN = "a-token-of-the-makers-cloud-0001"


@pytest.fixture
def owned_bridge(make_daemon, tmp_path):
    """A bridge with one lamp that requires its vendor's token."""
    token = tmp_path / "token"
    token.write_text(TOKEN.encode().hex() + "\n")
    token.chmod(0o600)
    settings = configuration("Maker", LAMPS[:1])
    settings["bridge"]["ownership"] = {"vendor": "org.example.maker", "token-file": str(token)}
    made = make_daemon(settings)
    made.until_published()
    return made


def test_vendor_app_example_adds_its_accessory(home, owned_bridge, tmp_path):
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
        until(lambda: "Added Maker, Lamp 1." in said.read_text(), 30, f"the app adds it: {said.read_text()}")
        assert "Lamp 1" in home.cli("accessories").stdout
        home.cli("privacy", "deny", "org.example.vendor-app")
        until(lambda: "no longer has access" in said.read_text(), 10, "the app reports the withdrawal")
    finally:
        end(app)
    assert TOKEN not in home.log + owned_bridge.log + said.read_text()


def test_users_decision_about_an_app_survives_a_restart(home, bridge):
    silent = home.app("org.example.silent", allowed=False, purpose=" ")
    assert silent.process.wait(20) < 0 or silent.process.returncode > 128
    assert "has a blank usageDescription" in silent.log.read_text()

    a = home.app("org.example.a")
    house = add_home(a)
    add(a, bridge, house)
    b = home.app("org.example.b", allowed=False)
    b.start("wait")
    until(lambda: home.cli("privacy", "deny", "org.example.b", check=False).returncode == 0, 10, "B requests access")
    with pytest.raises(Refused) as refusal:
        b.finish()
    assert refusal.value.code == 47
    assert b.refused("addHome", name="Mine") == 47 and b.homes == []
    b.pending = []
    home.cli("privacy", "allow", "org.example.b")
    b.expect("authorizationStatusUpdated", "homesUpdated")
    until(lambda: b.known == a.known, 10, "both apps see the same")
    on = b.characteristic("Lamp 1", ON)
    b.do("setNotification", characteristic=on["id"], isEnabled=True)
    bridge.cli("simulate", "simulated/lamp1", "on=true")
    b.expect("valueUpdated")
    home.cli("privacy", "deny", "org.example.b")
    b.expect("authorizationStatusUpdated")
    assert b.refused("readValue", characteristic=on["id"]) == 47
    bridge.cli("simulate", "simulated/lamp1", "on=false")
    a.do("addRoom", name="Secret Room", home=house)
    assert b.homes == []

    assert home.terminate() == 0
    home.start()
    a.wait_for_event("homesUpdated")
    until(lambda: b.do("status")["isConnected"], 20, "B is reachable again")
    assert b.refused("addHome", name="Mine") == 47
    # Without permission, the app received no events.
    home.cli("privacy", "allow", "org.example.b")
    b.expect("authorizationStatusUpdated", "homesUpdated")
    assert len(a.home["accessories"]) == 4


def test_values_are_observed_again_after_the_bridge_is_killed(home, bridge):
    app = home.app("org.example.a")
    add(app, bridge, add_home(app))
    on, lamp = app.characteristic("Lamp 1", ON)["id"], app.accessory("Lamp 1")["id"]
    app.do("setNotification", characteristic=on, isEnabled=True)
    bridge.process.send_signal(signal.SIGKILL)
    bridge.process.wait()
    for is_reachable, timeout in (False, 40), (True, 60):
        event = app.wait_for_event("reachabilityUpdated", lambda line: line["accessory"] == lamp, timeout=timeout)
        assert event["isReachable"] is is_reachable
        if not is_reachable:
            assert app.refused("readValue", characteristic=on) in (4, 88)
            bridge.start()
    until(lambda: app.characteristic("Lamp 1", ON).get("isNotificationEnabled"), 20, "observed again")
    changed = not app.do("readValue", characteristic=on)
    app.forget_events()
    bridge.cli("simulate", "simulated/lamp1", f"on={str(changed).lower()}")
    app.wait_for_event("valueUpdated", lambda line: line["characteristic"] == on and line["value"] == changed)


def test_lists_have_a_stable_order_and_read_no_values(home, make_daemon, lan):
    settings = configuration("Demo", LAMPS)
    settings["metrics"] = {"listen": "127.0.0.1:9251"}
    bridge = make_daemon(settings)
    # If c# rose, the hub would read the database again.
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


