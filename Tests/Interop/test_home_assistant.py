"""The behavior of Home Assistant's homekit_controller with a paired bridge.

aiohomekit sends the same requests as homekit_controller. With HASS (hass.py), Home Assistant itself runs, too.
"""

import asyncio
import time

import pytest
from conftest import configuration
from controllers import BRIGHTNESS, ON, Phone, eventually, named
from hass import HASS, HomeAssistant
from lan import PATIENCE


@pytest.fixture
def bridge(make_daemon):
    made = make_daemon(configuration(lights=[{"id": "lamp", "name": "Lamp", "brightness": True}]))
    made.until_published()
    return made


def level(bridge):
    light = bridge.lights["simulated/lamp"]
    return light["on"], light["brightness"]


async def test_lowest_levels_of_home_assistant_keep_the_light_on(bridge, lan):
    async with Phone() as phone:
        pairing = await phone.pair(bridge.status["deviceId"], bridge.setup_code)
        aid, iids = named(await pairing.list_accessories_and_characteristics(), "Lamp")
        for brightness in (1, 2, 3):
            await pairing.put_characteristics([(aid, iids[ON], False)])
            await pairing.put_characteristics([(aid, iids[BRIGHTNESS], int(brightness * 100 / 255)), (aid, iids[ON], True)])
            assert await asyncio.to_thread(level, bridge) == (True, 1)


async def test_controller_that_writes_on_with_brightness_zero_receives_the_applied_level(bridge, lan):
    """Like Home Assistant, aiohomekit applies written values after the response, so the event must arrive later."""
    async with Phone() as phone:
        pairing = await phone.pair(bridge.status["deviceId"], bridge.setup_code)
        aid, iids = named(await pairing.list_accessories_and_characteristics(), "Lamp")
        known = []
        pairing.dispatcher_connect(
            lambda values: known.extend(value["value"] for key, value in values.items() if key == (aid, iids[BRIGHTNESS])))
        await pairing.subscribe([(aid, iids[ON]), (aid, iids[BRIGHTNESS])])
        await pairing.put_characteristics([(aid, iids[BRIGHTNESS], 0), (aid, iids[ON], True)])
        await eventually(lambda: 1 in known, 5, f"the level: {known}")
        assert known[-1] == 1
        assert (await pairing.get_characteristics([(aid, iids[BRIGHTNESS])]))[(aid, iids[BRIGHTNESS])]["value"] == 1


if HASS:
    @pytest.mark.parametrize("run", range(3))
    def test_home_assistant_shows_the_applied_level_after_on_with_brightness_zero(run, bridge, lan, tmp_path):
        home = HomeAssistant(lan.phone, tmp_path / "hass")
        try:
            print(home.ask("pair", bridge.setup_code))
            for brightness in (1, 2, 3):
                said = home.ask("level", brightness)
                assert said["state"] == "on"
                # The value is 1 % of 255, not the written 0.
                assert 2 <= said["shown"] <= 3, said
                assert level(bridge) == (True, 1)
        finally:
            home.close()

    ADDRESS = "10.77.0.9"
    #: The time for restarts, announcements and pair verify, in seconds; the rest of each limit is Home Assistant's.
    SLACK = 15
    #: Home Assistant keeps a connection to a lost address (aiohomekit, HomeKitConnection.reconnect_soon) until a request has no
    #: response for 30 s. That request is a command, or a poll: one a minute, delayed by 10 s (DEBOUNCE_COOLDOWN).
    COMMAND_LIMIT, POLL_LIMIT = 30 + SLACK, 60 + 10 + 30 + SLACK
    #: After a closed connection, Home Assistant may still wait 10 s for the old address when the new one is announced.
    CLOSED_LIMIT = 10 + SLACK

    def address_only(bridge, lan):
        lan.bridge.change_address(ADDRESS)

    def restart_at_the_new_address(bridge, lan):
        """Restart after the change. The bridge can't close its connections, because the old address is gone."""
        lan.bridge.change_address(ADDRESS)
        bridge.restart()

    def restart_across_the_change(bridge, lan):
        """Restart across the change. As in a reboot, the bridge closes its connections before it loses the old address."""
        bridge.terminate()
        lan.bridge.change_address(ADDRESS)
        bridge.start()

    def shown(home):
        return {entity: (state, attributes) for entity, state, attributes in home.ask("states", "light")}

    def follows(home, bridge):
        """Set a new level on the bridge, and return whether Home Assistant shows it within two seconds."""
        level = bridge.lights["simulated/live"]["brightness"] % 100 + 1
        bridge.cli("lights", "set", "simulated/live", "on=true", f"brightness={level}")
        ends = time.monotonic() + 2 * PATIENCE
        while round((shown(home)["light.live"][1].get("brightness") or 0) / 2.55) != level:
            if time.monotonic() > ends:
                return False
            time.sleep(0.05)
        return True

    def command_arrives(home, bridge):
        """Switch a light in Home Assistant, and return whether the command reaches the bridge."""
        before = bridge.lights["simulated/live"]["on"]
        home.ask("call", ["light", "turn_off" if before else "turn_on", {"entity_id": "light.live"}])
        return bridge.lights["simulated/live"]["on"] != before

    @pytest.mark.long
    @pytest.mark.parametrize("change, attempt, limit", [
        (address_only, command_arrives, COMMAND_LIMIT),
        (address_only, follows, POLL_LIMIT),
        (restart_at_the_new_address, command_arrives, COMMAND_LIMIT),
        (restart_at_the_new_address, follows, POLL_LIMIT),
        (restart_across_the_change, command_arrives, CLOSED_LIMIT),
        (restart_across_the_change, follows, CLOSED_LIMIT),
    ], ids=lambda value: getattr(value, "__name__", None))
    def test_home_assistant_reconnects_at_another_address(change, attempt, limit, make_daemon, lan, tmp_path):
        lights = [{"id": "live", "name": "Live", "brightness": True}, {"id": "missed", "name": "Missed"}]
        bridge, address = make_daemon(configuration(lights=lights)), lan.bridge.address
        bridge.until_published()
        home = HomeAssistant(lan.phone, tmp_path / "hass")
        try:
            home.ask("pair", bridge.setup_code)
            # The bridge reports only changes, and Home Assistant shows a level only of a light that is on.
            assert command_arrives(home, bridge) and follows(home, bridge)
            began = time.monotonic()
            change(bridge, lan)
            bridge.cli("lights", "set", "simulated/missed", "on=true")
            while not attempt(home, bridge):
                assert time.monotonic() - began < limit * PATIENCE, home.log.read_text()[-4000:]
            connected = time.monotonic() - began
            while shown(home)["light.missed"][0] != "on":
                assert time.monotonic() - began < (limit + 75) * PATIENCE, "the next poll reads the missed change"
                time.sleep(0.1)
            fresh = time.monotonic() - began
            print(f"{change.__name__}, {attempt.__name__}: connected after {connected:.1f} s, missed change after {fresh:.1f} s")
            assert connected < limit * PATIENCE
            assert follows(home, bridge) and command_arrives(home, bridge)
        finally:
            home.close()
            lan.bridge.change_address(address)
