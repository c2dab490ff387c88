"""Plugins of a running bridge: a flooding one, a failing one, and the end of the bridge."""

import asyncio
import os
import re
import signal
import time
from pathlib import Path

import pytest
from conftest import configuration
from controllers import ON, Phone, named
from lan import PATIENCE, threads, until

EXAMPLES = Path(__file__).resolve().parents[2] / "Examples/Plugins"
KEY = "shell/lamp"


def settings(tmp_path, **more):
    plugin = {"driver": "plugin", "id": "shell", "command": [str(EXAMPLES / "lamp.sh"), str(tmp_path / "lamp")], **more}
    return configuration(drivers=[plugin, {"driver": "simulated", "lights": [{"id": "other", "name": "Other"}]}])


def children(daemon):
    return [int(pid) for text in threads(daemon.process.pid, "children").values() for pid in text.split()]


def plugin_of(daemon, former=None):
    """Wait until the plugin has a new process, and return it."""
    return until(lambda: next((pid for pid in children(daemon) if pid != former), None), 20, "a plugin runs", interval=0.01)


def until_reachable(daemon):
    until(lambda: daemon.lights.get(KEY, {}).get("reachable"), 15, f"{KEY} is reachable", interval=0.02)


def dirty(daemon):
    rollup = Path(f"/proc/{daemon.process.pid}/smaps_rollup").read_text()
    return int(re.search(r"^Private_Dirty: +(\d+) kB", rollup, re.M)[1])


FLOOD = r"""
say() { printf '{"jsonrpc":"2.0",%s}\n' "$1"; }
answer() { read -r line && rest=${line#*'"id":'} && say "\"id\":${rest%%,*},\"result\":$1"; }
answer '{"protocol":1,"name":"flood","version":"1"}'
say '"method":"lights/added","params":{"id":"lamp","name":"Flood"}'
(while answer {}; do :; done) <&3 &
yes '{"jsonrpc":"2.0","method":"lights/state","params":{"id":"lamp","on":true,"reachable":true}}'
"""


@pytest.mark.alone
async def test_flooding_plugin_delays_no_other_light_and_leaks_no_memory(make_daemon, tmp_path):
    script = tmp_path / "flood.sh"
    script.write_text("exec 3<&0\n" + FLOOD)
    daemon = make_daemon(settings(tmp_path, command=["/bin/sh", str(script)]))
    status = daemon.until_stable()
    async with Phone() as phone:
        pairing = await phone.pair(status["deviceId"], daemon.setup_code)
        aid, iids = named(await pairing.list_accessories_and_characteristics(), "Other")
        until_reachable(daemon)

        def seconds_of_work():
            fields = Path(f"/proc/{daemon.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
            return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

        await asyncio.sleep(1)
        before, worked, began, times = dirty(daemon), seconds_of_work(), time.monotonic(), []
        while time.monotonic() - began < 5:
            asked = time.monotonic()
            await pairing.put_characteristics([(aid, iids[ON], True)])
            times.append(time.monotonic() - asked)
            await asyncio.sleep(0.05)
        share = (seconds_of_work() - worked) / (time.monotonic() - began)
        grown = dirty(daemon) - before
        times.sort()
        print(f"flooded: median write {times[len(times) // 2] * 1000:.1f} ms, slowest of {len(times)} "
              f"{times[-1] * 1000:.0f} ms, {share:.0%} of a core, {grown} kB more")
        # A light that waits for a plugin would take seconds.
        assert times[-1] < 1.5 * PATIENCE and times[len(times) * 98 // 100] < 0.5 * PATIENCE, times[-5:]
        assert grown < 1500
        assert daemon.lights[KEY]["reachable"], "the plugin is slowed down, not ended"


def test_reload_restarts_a_plugin_that_failed_five_times(make_daemon, tmp_path):
    daemon = make_daemon(settings(tmp_path))
    until_reachable(daemon)
    former = None
    for _ in range(5):
        former = plugin_of(daemon, former)
        os.kill(former, signal.SIGKILL)
    daemon.until(lambda status: any("lamplighter reload" in warning for warning in map(str, status["warnings"])), 20)
    assert not children(daemon)
    daemon.cli("reload")
    until_reachable(daemon)


@pytest.mark.parametrize("how", ["terminated", "killed"])
def test_plugin_ends_with_the_bridge(how, make_daemon, tmp_path):
    daemon = make_daemon(settings(tmp_path))
    until_reachable(daemon)
    plugin = plugin_of(daemon)
    if how == "killed":
        daemon.kill()
    else:
        code, seconds = daemon.terminate()
        assert code == 0 and seconds < 5
    until(lambda: all(") Z " in text for text in threads(plugin, "stat").values()), 5, "the plugin has ended")


async def test_version_2_plugin_provides_a_fan_with_temperature_and_speed(make_daemon):
    drivers = [{"driver": "plugin", "id": "desk", "command": [str(EXAMPLES / "fan.py")]}]
    daemon = make_daemon(configuration(drivers=drivers) | {"include": ["fans"]})
    status = daemon.until_stable()
    until(lambda: daemon.lights.get("desk/fan-1", {}).get("reachable"), 15, "the fan is reachable", interval=0.02)
    async with Phone() as phone:
        pairing = await phone.pair(status["deviceId"], daemon.setup_code)
        aid, iids = named(await pairing.list_accessories_and_characteristics(), "Desk Fan")
        active, speed, temperature = (aid, iids["B0"]), (aid, iids["29"]), (aid, iids["11"])
        await pairing.put_characteristics([(*active, 1), (*speed, 70)])
        values = await pairing.get_characteristics([active, speed, temperature])
        assert [values[place]["value"] for place in (active, speed, temperature)] == [1, 75, 21.5]


def test_example_fan_is_listed_with_its_sensor_readings(make_daemon):
    plugin = {"driver": "plugin", "id": "desk", "command": [str(EXAMPLES / "fan.py")]}
    daemon = make_daemon(configuration(drivers=[plugin]) | {"include": ["lights", "fans"]})
    key = "desk/fan-1"
    until(lambda: daemon.lights.get(key, {}).get("reachable"), 15, f"{key} is reachable", interval=0.02)
    light = daemon.lights[key]
    assert (light["on"], light["speed"], light["temperature"]) == (False, 50, 21.5)
    assert "off, temperature 21.5 °C, speed 50 %" in daemon.cli("devices").stdout
    assert "temperature" in daemon.cli("lights", "set", key, "temperature=3", check=False).stderr
