"""Presses on a real broker and simulated presses reach aiohomekit once. Stored messages never count as presses."""

import asyncio
import json
import time

import pytest
from conftest import configuration
from controllers import Phone, eventually
from hass import HASS, HomeAssistant
from lan import PATIENCE, until
from scripted_device import Script, until_light

EVENT, INDEX, NAME = "73", "CB", "23"
SWITCH, LABEL, BELL = "89", "CC", "121"
REMOTE, DOOR = "mqtt/zigbee2mqtt_0x00158d0001a2b3c4/sensors", "mqtt/door/sensors"
TOPIC = "zigbee2mqtt/Sofa"


class Buttons(Script):
    script = "mqtt_buttons.py"

    def publish(self, topic, message, retain=False):
        """Publish a message and wait until the broker has it."""
        count = len(self.events)
        self.send(topic=topic, text=json.dumps(message), retain=retain)
        return lambda: len(self.events) > count


@pytest.fixture
def buttons(lan, broker):
    # The broker keeps its retained messages across restarts.
    with open(broker.configuration, "a") as file:
        file.write(f"user root\npersistence true\npersistence_location {broker.directory}/\n")
    broker.restart()
    made = Buttons(lan.bridge, broker.port)
    yield made
    made.stop()


@pytest.fixture
def daemon(make_daemon, broker, buttons):
    drivers = [
        {"driver": "mqtt", "url": broker.url,
         "discovery": {"home-assistant": "homeassistant", "zigbee2mqtt": "zigbee2mqtt"}},
        {"driver": "simulated", "lights": [{"id": "plug", "kind": "outlet", "buttons": ["side"]}]}]
    made = make_daemon(configuration(drivers=drivers) | {"include": ["outlets", "sensors", "buttons"]})
    made.until_published()
    until_light(made, REMOTE, reachable=True)
    until_light(made, DOOR, reachable=True)
    return made


def services(accessories, name):
    """Return the services of the accessory with this name: the short type, and the values and iids by short type."""
    def short(text):
        return text.split("-")[0].lstrip("0") if "-" in text else text

    accessory, = [one for one in accessories if any(
        value.get("value") == name for value in one["services"][0]["characteristics"])]
    return accessory["aid"], [
        (short(service["type"]), {short(one["type"]): one for one in service["characteristics"]})
        for service in accessory["services"][1:]]


async def test_press_is_reported_once_and_stored_messages_are_ignored(daemon, broker, buttons):
    async with Phone() as phone:
        pairing = await phone.pair(daemon.status["deviceId"], daemon.setup_code)
        accessories = await pairing.list_accessories_and_characteristics()
        aid, remote = services(accessories, "Sofa")
        assert [kind for kind, _ in remote] == [SWITCH, SWITCH, "96", LABEL]
        assert [values[INDEX]["value"] for kind, values in remote if kind == SWITCH] == [1, 2]
        assert [values[EVENT]["valid-values"] for kind, values in remote if kind == SWITCH] == [[0, 1], [0, 2]]
        assert all(values[EVENT]["value"] is None for kind, values in remote if kind == SWITCH)
        door, bell = services(accessories, "Door")
        assert sorted(kind for kind, _ in bell) == sorted([BELL, SWITCH, LABEL])
        keys = {(aid, values[EVENT]["iid"]): f"button {number}" for number, (kind, values) in enumerate(remote, 1)
                if kind == SWITCH}
        keys |= {(door, values[EVENT]["iid"]): kind for kind, values in bell if EVENT in values}
        seen = []
        def happened(event):
            seen.extend((keys[key], one["value"]) for key, one in event.items() if one.get("value") is not None)

        pairing.dispatcher_connect(happened)
        assert await pairing.subscribe(list(keys)) == {}
        read = await pairing.get_characteristics(list(keys))
        assert all(one.get("value") is None for one in read.values())

        async def press(topic, message, *, retain=False):
            await eventually(buttons.publish(topic, message, retain=retain), 5, "the message is sent")

        await press(TOPIC, {"action": "1_double", "battery": 80})
        await press(TOPIC, {"battery": 79})
        await press(TOPIC, {"action": "release"})
        await press(TOPIC, {"action": "2_hold"})
        await press(TOPIC, {"action": "2_hold"})
        expected = [("button 1", 1), ("button 2", 2), ("button 2", 2)]
        await eventually(lambda: seen == expected, 5, "three presses")
        await press("door/bell", {"event_type": "ring"})
        await eventually(lambda: sorted(seen[3:]) == sorted([(BELL, 0), (SWITCH, 0)]), 5, "the doorbell rings")
        seen.clear()

        # A retained press reaches the bridge when it is published, and again after each reconnection.
        await press(TOPIC, {"action": "1_single", "battery": 60}, retain=True)
        await eventually(lambda: seen == [("button 1", 0)], 5, "the press is reported at once")
        await asyncio.to_thread(until_light, daemon, REMOTE, battery=60)
        await asyncio.to_thread(broker.restart)
        # Once the bridge receives a message, it has subscribed again. Until then, its lights count as reachable for some seconds.
        deadline = time.monotonic() + 20 * PATIENCE
        while (await asyncio.to_thread(lambda: daemon.lights))[REMOTE].get("battery") != 55:
            assert time.monotonic() < deadline, "the bridge reconnects"
            await press(TOPIC, {"battery": 55})
        await press(TOPIC, {"action": "2_single", "battery": 50})
        await eventually(lambda: seen[1:] == [("button 2", 0)], 20, "only the press after the reconnect")

        # A reconnected phone receives only later presses.
        data = dict(pairing.pairing_data)
        await pairing.close()
        again = phone.load(data)
        again.dispatcher_connect(happened)
        assert await again.subscribe(list(keys)) == {}
        await press(TOPIC, {"action": "1_double"})
        await eventually(lambda: seen[2:] == [("button 1", 1)], 10, "one press")


def test_operator_lists_and_presses_simulated_buttons(daemon):
    daemon.cli("simulate", "simulated/plug", "press=long")
    until_light(daemon, "simulated/plug", **{"press#side": "long"})
    refused = daemon.cli("simulate", "simulated/plug", "press#top=single", check=False)
    assert refused.returncode == 64 and "press#side" in refused.stderr


if HASS:
    def test_home_assistant_has_a_trigger_for_each_press(make_daemon, lan, tmp_path):
        lights = [
            {"id": "lamp", "name": "Lamp"}, {"id": "remote", "name": "Remote", "kind": "button", "buttons": ["top", "bottom"]},
            {"id": "door", "name": "Door", "kind": "button", "doorbell": True}]
        daemon = make_daemon(configuration(lights=lights) | {"include": ["lights", "buttons"]})
        daemon.until_published()
        home = HomeAssistant(lan.phone, tmp_path / "hass")
        try:
            home.ask("pair", daemon.setup_code)
            presses = ["single_press", "double_press", "long_press"]
            remote = home.ask("triggers", ["homekit_controller", "Remote"])
            assert sorted(remote) == sorted([f"button{number}", press] for number in (1, 2) for press in presses)
            assert home.ask("triggers", ["homekit_controller", "Door"]) == [["doorbell", "single_press"]]
            for key, change, trigger in [
                    ("remote", "press#bottom=long", ["button2", "long_press"]),
                    ("remote", "press#top=double", ["button1", "double_press"]),
                    ("door", "press=single", ["doorbell", "single_press"])]:
                daemon.cli("simulate", f"simulated/{key}", change)
                found = []
                until(lambda found=found: found.extend(home.ask("pressed", None)) or found, 5, f"{change} arrives")
                assert found == [trigger]
        finally:
            home.close()
