"""Plugins beside connected controllers: they end in every way, and the bridge goes on."""

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
    """The plugin's process, once it is another than the former."""
    return until(lambda: next((pid for pid in children(daemon) if pid != former), None), 20, "a plugin runs", interval=0.01)


def until_reachable(daemon, reachable=True):
    until(lambda: daemon.lights.get(KEY, {}).get("reachable") is reachable, 15, f"{KEY} reachable: {reachable}", interval=0.02)


def dirty(daemon):
    rollup = Path(f"/proc/{daemon.process.pid}/smaps_rollup").read_text()
    return int(re.search(r"^Private_Dirty: +(\d+) kB", rollup, re.M)[1])


def shown(times):
    """Of writes, in seconds."""
    return f"median write {sorted(times)[len(times) // 2] * 1000:.1f} ms, slowest of {len(times)} {max(times) * 1000:.0f} ms"


def assert_nothing_waited(times):
    """A light that waited for a plugin would take as long as that is given, which is seconds; a busy machine takes less."""
    assert max(times) < 1.5 * PATIENCE and sorted(times)[len(times) * 98 // 100] < 0.5 * PATIENCE, sorted(times)[-5:]


async def test_a_plugin_is_killed_a_hundred_times_and_the_session_stays(make_daemon, tmp_path):
    daemon = make_daemon(settings(tmp_path, environment={"ROUND": "0"}))
    status = daemon.until_stable()
    async with Phone() as phone:
        pairing = await phone.pair(status["deviceId"], daemon.setup_code)
        aid, iids = named(await pairing.list_accessories_and_characteristics(), "Shell Lamp")
        lamp = (aid, iids[ON])
        until_reachable(daemon)
        process, connections, number = daemon.process.pid, daemon.status["controllers"], status["configurationNumber"]
        await pairing.put_characteristics([(*lamp, True)])
        assert (tmp_path / "lamp").read_text() == "true\n"

        former, before = None, None
        descriptors = len(os.listdir(f"/proc/{process}/fd"))
        for round in range(1, 101):
            former = await asyncio.to_thread(plugin_of, daemon, former)
            os.kill(former, signal.SIGKILL)
            # Another entry is another plugin, which does not wait for the pause that this one has earned.
            daemon.configure(settings(tmp_path, environment={"ROUND": str(round)}))
            await asyncio.to_thread(daemon.cli, "reload")
            await asyncio.to_thread(until_reachable, daemon)
            if round == 20:
                before = dirty(daemon)
        value = await pairing.get_characteristics([lamp])
        assert value[lamp]["value"] in (True, 1)
        await pairing.put_characteristics([(*lamp, False)])
        assert (tmp_path / "lamp").read_text() == "false\n"

        assert daemon.process.pid == process and daemon.is_running
        status = daemon.status
        assert (status["controllers"], status["configurationNumber"]) == (connections, number)
        assert named(await pairing.list_accessories_and_characteristics(), "Shell Lamp")[0] == aid
        assert len(children(daemon)) == 1
        assert len(os.listdir(f"/proc/{process}/fd")) <= descriptors
        grown = dirty(daemon) - before
        assert grown < 1500, f"{grown} kB more after eighty plugins"


FLOOD = r"""
say() { printf '{"jsonrpc":"2.0",%s}\n' "$1"; }
read -r line
say '"id":1,"result":{"protocol":1,"name":"flood","version":"1"}'
say '"method":"lights/added","params":{"id":"lamp","name":"Flood"}'
(while read -r line; do rest=${line#*'"id":'}; say "\"id\":${rest%%,*},\"result\":{}"; done) <&3 &
yes '{"jsonrpc":"2.0","method":"lights/state","params":{"id":"lamp","on":true,"reachable":true}}'
"""


@pytest.mark.alone
async def test_a_plugin_that_floods_slows_no_other_light_and_takes_no_memory(make_daemon, tmp_path):
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

        await asyncio.sleep(1)  # it floods all the time; the figures are taken over a while
        before, worked, began, times = dirty(daemon), seconds_of_work(), time.monotonic(), []
        while time.monotonic() - began < 5:
            asked = time.monotonic()
            await pairing.put_characteristics([(aid, iids[ON], True)])
            times.append(time.monotonic() - asked)
            await asyncio.sleep(0.05)
        share = (seconds_of_work() - worked) / (time.monotonic() - began)
        grown = dirty(daemon) - before
        print(f"flooded: {shown(times)}, {share:.0%} of a core, {grown} kB more")
        assert_nothing_waited(times)
        assert grown < 1500
        assert daemon.lights[KEY]["reachable"], "it is slowed down, not ended"


@pytest.mark.parametrize("how, script, reason", [
    ("never answers", "exec sleep 1000", "did not answer hello"),
    ("writes garbage", "read -r line; exec head -c 100000000 /dev/urandom", "no message"),
    ("writes a line without end", "read -r line; exec tr '\\000' x </dev/zero", "a line of more than"),
])
async def test_a_plugin_that_does_not_keep_to_the_protocol_ends_no_session(how, script, reason, make_daemon, tmp_path):
    daemon = make_daemon(settings(tmp_path, command=["/bin/sh", "-c", script]))
    status = daemon.until_stable()
    async with Phone() as phone:
        pairing = await phone.pair(status["deviceId"], daemon.setup_code)
        aid, iids = named(await pairing.list_accessories_and_characteristics(), "Other")
        protocol, before, times = pairing.connection.protocol, dirty(daemon), []

        def reported():
            return any(reason in str(driver) for driver in daemon.status["drivers"])

        # It is given 15 s to say hello, and five attempts in all.
        ends = time.monotonic() + 30 * PATIENCE
        said = False
        while not said:
            assert time.monotonic() < ends, daemon.status["drivers"]
            said = await asyncio.to_thread(reported)
            began = time.monotonic()
            await pairing.put_characteristics([(aid, iids[ON], int(began) % 2 == 0)])
            times.append(time.monotonic() - began)
        grown = dirty(daemon) - before
        print(f"{how}: {shown(times)}, {grown} kB more")
        assert_nothing_waited(times)
        assert grown < 1500
        assert pairing.connection.protocol is protocol and pairing.is_connected, "the session stayed"


def test_a_killed_plugin_comes_back_by_itself_and_its_lights_are_unreachable_in_between(make_daemon, tmp_path):
    # While it is held it says nothing, and so is not there again before somebody has looked.
    hold = tmp_path / "hold"
    held = ["/bin/sh", "-c", 'while [ -e "$0" ]; do sleep 0.1; done; exec "$@"', str(hold)]
    daemon = make_daemon(settings(tmp_path, command=held + settings(tmp_path)["drivers"][0]["command"]))
    until_reachable(daemon)
    first = plugin_of(daemon)
    hold.touch()
    os.kill(first, signal.SIGKILL)
    until_reachable(daemon, False)
    assert any("signal 9" in str(driver) for driver in daemon.status["drivers"]), daemon.status
    hold.unlink()
    until_reachable(daemon)
    assert daemon.lights["simulated/other"]["reachable"]


def test_a_plugin_that_fails_five_times_is_started_again_by_reload(make_daemon, tmp_path):
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
def test_a_plugin_ends_with_the_bridge(how, make_daemon, tmp_path):
    daemon = make_daemon(settings(tmp_path))
    until_reachable(daemon)
    plugin = plugin_of(daemon)
    if how == "killed":
        daemon.kill()
    else:
        code, seconds = daemon.terminate()
        assert code == 0 and seconds < 5
    until(lambda: all(") Z " in text for text in threads(plugin, "stat").values()), 5, "it has ended")
