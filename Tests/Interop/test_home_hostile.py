"""Programs that were never let in speak the home's protocol themselves, in whatever way they like: they get nothing."""

import json
import uuid

import pytest
from conftest import configuration
from home import stripped
from lan import until
from test_home_scenarios import TOKEN, hub, make_home, owned_bridge  # noqa: F401
from test_homehubd import SYSTEM_APP, App

NOT_ALLOWED, NOT_FOR_APPS = 47, 17
EVERYTHING = ["home", "setupPayload", "vendor"]
MAKER = "org.example.maker"


class Program(App):
    """A connection that keeps whatever it is told."""

    def __init__(self, home):
        self.told = []
        super().__init__(home)

    def begin(self, method, **params):
        self.number += 1
        request = {"jsonrpc": "2.0", "id": self.number, "method": method, "params": params}
        self.connection.sendall(json.dumps(request).encode() + b"\n")
        return self.number

    def finish(self, number):
        while True:
            line = self.lines.readline()
            assert line, "the hub hung up"
            if (answer := json.loads(line)).get("id") == number:
                return answer
            self.told.append(answer)

    def ask(self, method, **params):
        return self.finish(self.begin(method, **params))

    def refusal(self, method, **params):
        return self.ask(method, **params).get("error", {}).get("code")


@pytest.fixture
def home(make_home, owned_bridge, make_daemon):
    """A home with one lamp behind a bridge."""
    made = make_home()
    made.cli("homes", "add", "Villa")
    ours = make_daemon(configuration("Demo", [{"id": "secret", "name": "Secret Lamp", "brightness": True}]))
    ours.until_published()
    made.add(ours.setup_code, ours.status["deviceId"])
    return made


def requests(app, bridge):
    """Every request that there is, about what there really is, as an app that was let in sees it."""
    house = app.home
    lamp = app.accessory("Secret Lamp")
    service = next(part for part in lamp["services"] if part["type"] == "43")
    on = app.characteristic("Secret Lamp", "25")["id"]
    about = {"home": house["id"], "accessory": lamp["id"], "room": house["defaultRoom"], "service": service["id"]}
    other = str(uuid.uuid4()).upper()
    home_and = {"home": house["id"], "name": "Mine"}

    def pick(*names):
        return {name: about[name] for name in names}

    setup = {"home": house["id"], "device": bridge.status["deviceId"], "code": bridge.setup_code}
    return {
        "homes.list": {}, "accessories.list": {"home": house["id"], "revision": house["revision"], "offset": 0},
        "values.read": {"characteristics": [on]},
        "values.write": {"values": [{"characteristic": on, "value": True}]},
        "values.notify": {"characteristics": [on], "isEnabled": True},
        "accessories.identify": pick("accessory"), "scenes.run": {"actionSet": other},
        "browser.start": {}, "browser.stop": {}, "accessories.add": setup, "accessories.setUp": setup,
        "homes.add": {"name": "Mine"}, "homes.rename": home_and, "homes.remove": pick("home"),
        "homes.primary": pick("home"), "rooms.add": home_and, "rooms.rename": {"room": about["room"], "name": "Mine"},
        "rooms.remove": pick("home", "room"), "zones.add": home_and, "zones.rename": {"zone": other, "name": "Mine"},
        "zones.remove": {"home": house["id"], "zone": other}, "zones.addRoom": {"zone": other, **pick("room")},
        "zones.removeRoom": {"zone": other, **pick("room")}, "accessories.assign": pick("home", "accessory", "room"),
        "accessories.rename": {**pick("accessory"), "name": "Mine"}, "accessories.remove": pick("home", "accessory"),
        "accessories.unblock": pick("home", "accessory"), "services.rename": {**pick("service"), "name": "Mine"},
        "services.type": {**pick("service"), "type": "40"}, "services.favorite": {**pick("service"), "isFavorite": True},
        "scenes.add": home_and, "scenes.rename": {"actionSet": other, "name": "Mine"}, "scenes.remove": {"actionSet": other},
        "scenes.set": {"actionSet": other, "actions": []}, "groups.add": home_and,
        "groups.rename": {"serviceGroup": other, "name": "Mine"}, "groups.remove": {"serviceGroup": other},
        "groups.addService": {"serviceGroup": other, **pick("service")},
        "groups.removeService": {"serviceGroup": other, **pick("service")},
    }


def decisions(app):
    """What only the system app may do, about an app."""
    return {
        "privacy.list": {}, "privacy.set": {"app": app, "decision": "allow"}, "privacy.answer": {},
        "privacy.consent": {"question": str(uuid.uuid4()).upper(), "isAllowed": True},
        "privacy.setVendor": {"app": app, "vendor": MAKER, "decision": "allow"},
    }


def test_a_denied_app_and_one_that_claims_to_be_the_system_get_nothing(home, owned_bridge):
    witness = home.app()
    before = witness.known
    everything = requests(witness, owned_bridge)
    with Program(home) as denied, Program(home) as intruder:
        for program, name in (denied, "org.example.denied"), (intruder, SYSTEM_APP):
            opened = program.open(app=name, capabilities=EVERYTHING, vendor=MAKER)
            assert opened["result"]["isSystemApp"] is False
            waiting = program.begin("homes.list")
            until(lambda: home.cli("privacy", "deny", name, check=False).returncode == 0, 10, f"{name} asks for the home")
            assert program.finish(waiting)["error"]["code"] == NOT_ALLOWED
        app = home.cli("privacy", "--json")[0]["app"]
        for program in denied, intruder:
            for method, params in everything.items():
                assert program.refusal(method, **params) == NOT_ALLOWED, method
            for method, params in decisions(app).items():
                assert program.refusal(method, **params) == NOT_FOR_APPS, method
        # What changes now is told to those who may see it; the maker's request for a proof goes to neither.
        home.mark()
        done = home.add(owned_bridge.setup_code, owned_bridge.status["deviceId"])
        assert MAKER in done.stdout and not owned_bridge.status["paired"]
        for program in denied, intruder:
            assert program.refusal("homes.list") == NOT_ALLOWED
            assert {line["method"] for line in program.told} <= {"authorizationStatusUpdated"}, program.told
            text = json.dumps(program.told)
            assert "Secret" not in text and "Villa" not in text
    assert stripped(witness.known, "revision") == stripped(before, "revision")


def test_one_that_was_never_asked_about_adds_nothing_without_a_yes(home, owned_bridge):
    witness = home.app()
    before = witness.known
    setup = requests(witness, owned_bridge)["accessories.setUp"]
    with Program(home) as program:
        program.open(app="org.example.fresh", capabilities=EVERYTHING)
        waiting = program.begin("accessories.setUp", **setup)
        for method, params in decisions({"app": "org.example.fresh", "uid": 0, "executable": ""}).items():
            assert program.refusal(method, **params) == NOT_FOR_APPS, method
        until(lambda: home.cli("privacy", "deny", "org.example.fresh", check=False).returncode == 0, 10, "it asks")
        assert program.finish(waiting)["error"]["code"] == NOT_ALLOWED
        assert "Secret" not in json.dumps(program.told)
    assert witness.known == before and not owned_bridge.status["paired"]
    assert TOKEN not in home.log and owned_bridge.setup_code not in home.log
