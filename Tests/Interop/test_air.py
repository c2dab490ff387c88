"""Air sensors with derived alarms and air quality, read by aiohomekit and Home Assistant."""

import itertools
import time

import pytest
from conftest import configuration
from controllers import Phone, eventually, named
from hass import HASS, HomeAssistant
from lan import until

QUALITY, PM25, VOC = "95", "C6", "C8"
DETECTED, LEVEL, PEAK = "92", "93", "94"
AIR = "simulated/air"


@pytest.fixture
def daemon(make_daemon):
    lights = [
        {"id": "lamp", "name": "Lamp"},
        {"id": "air", "name": "Air", "kind": "sensor", "readings": ["co2", "pm25", "voc", "tamper"]}]
    made = make_daemon(configuration(lights=lights) | {"lights": {AIR: {"co2-threshold": 800}}})
    made.until_published()
    return made


async def test_controller_receives_the_alarm_the_peak_level_and_the_worst_air_quality(daemon):
    async with Phone() as phone:
        pairing = await phone.pair(daemon.status["deviceId"], daemon.setup_code)
        aid, iids = named(await pairing.list_accessories_and_characteristics(), "Air")
        names = {(aid, iids[name]): name for name in (QUALITY, PM25, VOC, DETECTED, LEVEL, PEAK)}
        seen = {}
        pairing.dispatcher_connect(
            lambda event: seen.update({names[key]: one["value"] for key, one in event.items() if key in names}))
        await pairing.subscribe(list(names))
        daemon.cli("simulate", AIR, "co2=900", "pm25=60", "voc=4000")
        expected = {QUALITY: 5, PM25: 60, VOC: 4000, DETECTED: 1, LEVEL: 900, PEAK: 900}
        await eventually(lambda: seen == expected, 5, f"all values: {seen}")
        daemon.cli("simulate", AIR, "co2=500", "voc=100")
        await eventually(lambda: seen == expected | {QUALITY: 4, VOC: 100, DETECTED: 0, LEVEL: 500}, 5, f"lower ones: {seen}")


if HASS:
    def test_home_assistant_shows_air_sensor_values(daemon, lan, tmp_path):
        home = HomeAssistant(lan.phone, tmp_path / "hass")
        try:
            home.ask("pair", daemon.setup_code)
            steps = itertools.count(1)

            def followed():
                # Home Assistant subscribes to its sensors a little later.
                step = next(steps)
                daemon.cli("simulate", AIR, f"co2={900 + step}", f"pm25={60 + step}", f"voc={4000 + step}")
                time.sleep(0.5)
                states = [state for _, state, _ in home.ask("states", "sensor")]
                return {str(900 + step), str(60 + step), str(4000 + step), "5"} <= set(states)

            until(followed, 30, "its sensors follow")
        finally:
            home.close()
