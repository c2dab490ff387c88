"""Home Assistant's own integration judges what the fixtures say of announcements (Tests/Fixtures/announced).

Needs HASS (hass.py), and paho-mqtt 1.6.1 in its environment; without it conftest passes over this file.
"""

import json
import re
import time

import pytest
from broker import Broker
from hass import HomeAssistant
from test_announced import FIXTURES, Publishers, retained

COLORS = {"hs", "xy", "rgb", "rgbw", "rgbww"}
#: What the controller is told, for what the fixtures call a command.
CALLS = {
    "on": lambda: ("turn_on", {}),
    "off": lambda: ("turn_off", {}),
    "brightness": lambda level: ("turn_on", {"brightness_pct": int(level)}),
    "mired": lambda mired: ("turn_on", {"color_temp": int(mired)}),
    "hue": lambda hue, _, saturation: ("turn_on", {"hs_color": [float(hue), float(saturation)]}),
}
#: What 2024.3 does in another way than the fixtures say, and why.
MODES = "it knows levels by the flag `brightness` alone, and not yet by the list of modes"
KELVIN = "it knows no kelvin yet"
INFERRED = "it ignores what a message says without its mode, which we infer"
CUTS = "it cuts the parts of a colour where it rounds them now"
REASONS = {
    "esphome: rgbww": CUTS,
    "hand-written: rgbww by templates": CUTS,
    "esphome: state missing while its mode is unknown": "it fails on the message, and now it keeps what it had",
    "ha-mqtt-discoverable: of a device, with a colour and no word on the mode": INFERRED,
    "hand-written: temperature in kelvin": KELVIN,
    "hand-written: kelvin by templates, before there was a flag for it": "it dims what has a temperature",
    "hand-written: json in kelvin": KELVIN,
    "hand-written: rgbw in json with brightness not set: colours scaled": MODES,
    "hand-written: switch with a command template": "its switches have no command template yet",
    "hand-written: rgb, and two whites beside it": "it tells two whites where we tell the temperature that they show",
    "milight-hub: rgb and cct": MODES,
    "milight-hub: cct": MODES,
    "milight-hub: state without its mode": INFERRED,
    "milight-hub: dimmer": MODES,
    "shelly: generation 3 in kelvin": KELVIN,
    "small-firmwares: ball: rgb without brightness": MODES,
    "small-firmwares: arilux in json with old flags": "it still takes the flags of before the modes",
    "small-firmwares: gateway light of SLS: one topic, two payloads": "the level of the command before stays with it",
    "zwave-js-ui: white template in the wrong language": "it refuses the whole announcement, and we the white",
}


def things(path):
    for thing in json.loads(path.read_text(encoding="utf-8"))["things"]:
        # This version does not know yet that a device may announce all that it has at once.
        if "/device/" not in thing["topic"] and thing["expect"]["kind"] in ("light", "switch", "outlet"):
            yield f"{path.stem}: {thing['name']}", thing


def as_then(payload):
    """An announcement as publishers made it for Home Assistant 2024.3, which wanted a word more and knew fewer."""
    if not isinstance(payload, dict):
        return payload
    payload = dict(payload)
    if {"supported_color_modes", "sup_clrm"} & set(payload) and not {"color_mode", "clrm"} & set(payload):
        payload["color_mode"] = True
    for device in {"device", "dev"} & set(payload):
        payload[device] = {
            key: value for key, value in payload[device].items() if key not in ("model_id", "mdl_id")}
    return payload


def holds(condition, seconds):
    ends = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > ends:
            return False
        time.sleep(0.02)
    return True


class Judge:
    def __init__(self, home, publishers):
        self.home, self.publishers = home, publishers

    def entities(self, domain):
        return {entity: (state, attributes) for entity, state, attributes in self.home.ask("states", domain)}

    def differences(self, thing):
        """What Home Assistant makes of a thing in another way than the fixture says."""
        expected = thing["expect"]
        domain = "light" if expected["kind"] == "light" else "switch"
        before = set(self.entities(domain))
        self.publishers.say(retained(thing["topic"], as_then(thing["payload"])))
        if not holds(lambda: set(self.entities(domain)) - before, 3):
            yield "it does not appear"
            return
        entity, = set(self.entities(domain)) - before
        try:
            if domain == "light":
                yield from self.features(expected, self.entities(domain)[entity][1])
            # It subscribes a moment after it has shown the light, and what stays with the broker comes in any order then.
            self.say(thing["messages"])
            time.sleep(0.5)
            for name, wanted in {"": None, **thing.get("commands", {})}.items():
                self.say(thing["messages"])
                if not holds(lambda: not self.state(expected, *self.entities(domain)[entity]), 1) and not name:
                    yield from self.state(expected, *self.entities(domain)[entity])
                if name:
                    yield from self.command(entity, domain, name, wanted)
        finally:
            self.say([[topic, ""] for topic in {topic for topic, _ in thing["messages"]} | {thing["topic"]}])
            assert holds(lambda: entity not in self.entities(domain), 5), f"{entity} does not go"

    def say(self, messages):
        """Publish, in their order, what stays with the broker until the listener has received the last of it."""
        received = len(self.publishers.received)
        self.publishers.say(*([topic, text, True] for topic, text in messages))
        assert holds(lambda: len(self.publishers.received) - received >= len(messages), 5)

    def features(self, expected, attributes):
        modes = set(attributes.get("supported_color_modes", []))
        found = {"brightness": bool(modes - {"onoff"}), "color": bool(modes & COLORS)}
        # Lights with whites beside their colours are lights with temperatures for HomeKit.
        if "color_temp" in modes or not modes & {"rgbww"}:
            found["temperature"] = \
                [attributes["min_mireds"], attributes["max_mireds"]] if "color_temp" in modes else None
        for feature, value in found.items():
            if expected.get(feature) != value:
                yield f"{feature} is {value}, and not {expected.get(feature)}: {sorted(modes)}"

    def state(self, expected, state, attributes):
        """What is shown in another way than expected."""
        if (state != "unavailable") != expected.get("available", True):
            return [f"it is {state}"]
        wanted = expected.get("state", {})
        if state == "unavailable" or not wanted:
            return []
        found = []
        if wanted.get("on") is not None and (state == "on") != wanted["on"]:
            found.append(f"it is {state}, and not {wanted}")
        if wanted.get("on") is False:
            return found
        if "brightness" in wanted and abs((attributes.get("brightness") or 0) / 2.55 - wanted["brightness"]) > 1:
            found.append(f"brightness is {attributes.get('brightness')} of 255, and not {wanted['brightness']} %")
        if "mired" in wanted and abs((attributes.get("color_temp") or 0) - wanted["mired"]) > 1:
            found.append(f"temperature is {attributes.get('color_temp')}, and not {wanted['mired']}")
        if "hue" in wanted and "mired" not in wanted:
            hue, saturation = attributes.get("hs_color") or (-1000, -1000)
            turn = abs(hue - wanted["hue"])
            if abs(saturation - wanted["saturation"]) > 1 or min(turn, 360 - turn) > (2 if saturation > 6 else 180):
                found.append(f"colour is {hue} {saturation}, and not {wanted['hue']} {wanted['saturation']}")
        return found

    def command(self, entity, domain, name, wanted):
        word, *values = name.split()
        if word not in CALLS:
            return
        service, data = CALLS[word](*values)
        received = len(self.publishers.received)
        answer = self.home.ask("call", [domain, service, {"entity_id": entity, **data}])
        if "error" in answer:
            yield f"{name}: {answer['error']}"
            return
        holds(lambda: len(self.publishers.received) - received >= len(wanted), 1)
        sent = [list(message) for message in self.publishers.received[received:]]
        if len(sent) != len(wanted) or not all(
                topic == other and means(text, meant) for (topic, text), (other, meant) in zip(sorted(sent), sorted(wanted))):
            yield f"{name}: sends {sent}, and not {wanted}"


def means(text, other):
    """Whether two payloads mean the same: numbers may differ as rounding makes them."""
    def parts(payload):
        found = [int(number, 16) for color in re.findall("#((?:[0-9a-f]{2})+)", payload) for number in re.findall("..", color)]
        payload = re.sub("#[0-9a-f]+", "#", payload)
        numbers = r"-?\d+(?:\.\d+)?"
        return re.sub(numbers, "0", payload), found + [float(number) for number in re.findall(numbers, payload)]

    (form, numbers), (other_form, others) = parts(text), parts(other)
    # It takes a level as one of 255 before it makes what is sent of it.
    return form == other_form and len(numbers) == len(others) and all(abs(a - b) <= 2 for a, b in zip(numbers, others))


@pytest.fixture(scope="module")
def judge(lan, tmp_path_factory):
    directory = tmp_path_factory.mktemp("judge")
    broker = Broker(lan.bridge, directory).start()
    publishers = Publishers(lan.bridge, broker.port)
    home = HomeAssistant(lan.bridge, directory / "hass")
    try:
        print(home.ask("mqtt", broker.port))
        publishers.say("#")
        yield Judge(home, publishers)
    finally:
        home.close()
        publishers.close()
        broker.stop()


@pytest.mark.parametrize("path", sorted((FIXTURES / "announced").glob("*.json")), ids=lambda path: path.stem)
def test_a_fixture_says_what_home_assistant_makes_of_it(judge, path):
    different = {}
    for name, thing in things(path):
        if found := list(judge.differences(thing)):
            different[name] = found
    print(json.dumps(different, indent=1))
    assert set(different) == {name for name in REASONS if name.startswith(f"{path.stem}: ")}
