"""Scenes, sirens and choices on a real broker, operated by aiohomekit."""

import asyncio

import pytest
from conftest import configuration
from controllers import ON, Phone, eventually
from hass import HASS, HomeAssistant
from lan import until
from scripted_device import until_light
from test_announced import Publishers, retained
from test_buttons import services

DEVICE = {"identifiers": ["feeder"], "name": "Feeder"}
FEEDER = "mqtt/feeder/sensors"


@pytest.fixture
def publishers(lan, broker):
    made = Publishers(lan.bridge, broker.port)
    yield made
    made.stop()


@pytest.fixture
def daemon(make_daemon, broker, publishers):
    publishers.publish(
        "party/set", "size/set", "horn/set",
        retained("homeassistant/scene/party/config", {
            "unique_id": "party", "name": "Party", "command_topic": "party/set", "device": DEVICE}),
        retained("homeassistant/select/size/config", {
            "unique_id": "size", "name": "Size", "command_topic": "size/set", "state_topic": "size", "device": DEVICE,
            "options": ["small", "large"]}),
        retained("homeassistant/siren/horn/config", {
            "unique_id": "horn", "name": "Horn", "command_topic": "horn/set", "state_topic": "horn",
            "command_template": "{{ value }}", "device": DEVICE}),
        retained("size", "small"), retained("horn", "OFF"))
    made = make_daemon(configuration(drivers=[{"driver": "mqtt", "url": broker.url}]) | {"include": ["lights", "scenes"]})
    made.until_published()
    until_light(made, FEEDER, reachable=True)
    return made


async def test_scene_is_activated_once_and_its_switch_resets(daemon, broker, publishers):
    async with Phone() as phone:
        pairing = await phone.pair(daemon.status["deviceId"], daemon.setup_code)
        aid, switches = services(await pairing.list_accessories_and_characteristics(), "Feeder")
        places = {values["23"]["value"]: (aid, values[ON]["iid"]) for _, values in switches}
        assert set(places) == {"Party", "Horn", "small", "large"}
        names = {place: name for name, place in places.items()}
        seen = []
        pairing.dispatcher_connect(
            lambda event: seen.extend((names[place], one["value"]) for place, one in event.items() if "value" in one))
        assert await pairing.subscribe(list(names)) == {}

        def sent(topic):
            return [text for other, text in publishers.events if other == topic]

        assert await pairing.put_characteristics([(*places["Party"], True)]) == {}
        await eventually(lambda: ("Party", False) in seen, 5, f"it resets: {seen}")
        assert sent("party/set") == ["ON"]
        # "Off" does nothing.
        assert await pairing.put_characteristics([(*places["Party"], False)]) == {}
        await asyncio.to_thread(daemon.cli, "devices", "set", FEEDER, "on#scene/party=true")
        await eventually(lambda: len(sent("party/set")) == 2, 5, "an operator activates it")

        assert await pairing.put_characteristics([(*places["large"], True)]) == {}
        await eventually(lambda: ("small", False) in seen, 5, f"exactly one option is on: {seen}")
        await eventually(lambda: sent("size/set") == ["large"], 5, "the option is sent")
        publishers.publish(retained("size", "small"))
        await eventually(lambda: ("large", False) in seen, 5, f"the device's own state wins: {seen}")

        assert await pairing.put_characteristics([(*places["Horn"], True)]) == {}
        await eventually(lambda: sent("horn/set") == ["ON"], 5, "the siren sounds")
        publishers.publish(retained("horn", "ON"), retained("horn", "OFF"))
        await eventually(lambda: ("Horn", False) in seen, 5, f"it stops by itself: {seen}")


def test_status_counts_hidden_devices(make_daemon, broker, publishers):
    publishers.publish(retained("homeassistant/button/feed/config", {
        "unique_id": "feed", "name": "Feed", "command_topic": "feed/set", "device": DEVICE}))
    made = make_daemon(configuration(drivers=[{"driver": "mqtt", "url": broker.url}]))
    made.until_published()
    made.until(lambda status: status.get("hiddenKinds") == [{"kind": "scenes", "count": 1}])
    assert "scenes]" in made.cli("status").stdout


def test_operator_activates_a_simulated_scene(make_daemon):
    made = make_daemon(configuration(lights=[{"id": "bell", "name": "Bell", "kind": "scene"}]) | {"include": ["scenes"]})
    made.until_published()
    until_light(made, "simulated/bell", reachable=True)
    made.cli("devices", "set", "bell", "on")
    until_light(made, "simulated/bell", **{"on#scene/activate": False})
    for word in ("off", "on=false"):
        refused = made.cli("devices", "set", "bell", word, check=False)
        assert refused.returncode == 64 and "scenes can only be activated; use on" in refused.stderr, "a scene can't be switched off"


if HASS:
    def test_home_assistant_activates_scenes_and_shows_changes_of_sirens_and_choices(daemon, publishers, lan, tmp_path):
        home = HomeAssistant(lan.phone, tmp_path / "hass")
        try:
            home.ask("pair", daemon.setup_code)

            def states():
                return {entity.removeprefix("switch.feeder_"): state for entity, state, _ in home.ask("states", "switch")}

            def shown(**expected):
                until(lambda: expected.items() <= states().items(), 15, f"{expected}: {states()}")

            def call(service, name):
                assert home.ask("call", ["switch", service, {"entity_id": f"switch.feeder_{name}"}]) == {}

            def sent(topic, *expected):
                until(lambda: [text for other, text in publishers.events if other == topic] == list(expected), 5, topic)

            shown(party="off", horn="off", small="on", large="off")
            call("turn_on", "party")
            sent("party/set", "ON")
            shown(party="off")
            call("turn_on", "large")
            sent("size/set", "large")
            shown(small="off", large="on")
            publishers.publish(retained("size", "small"))
            shown(small="on", large="off")
            call("turn_on", "horn")
            sent("horn/set", "ON")
            publishers.publish(retained("horn", "ON"))
            shown(horn="on")
            publishers.publish(retained("horn", "OFF"))
            shown(horn="off")
            call("turn_on", "horn")
            publishers.publish(retained("horn", "ON"))
            call("turn_off", "horn")
            sent("horn/set", "ON", "ON", "OFF")
            # Only its own command activates the scene.
            sent("party/set", "ON")
        finally:
            home.close()
