"""A light that never answers doesn't slow down other lights."""

import asyncio
import re
import time
from pathlib import Path

import hap
import pytest
from conftest import configuration
from controllers import ON, named, short
from lan import until

SILENT = "Silent Light"
UNREACHABLE, TIMED_OUT = -70402, -70408


@pytest.fixture
def home(make_daemon):
    lights = [{"id": f"l{number}", "name": f"Light {number}", "brightness": True} for number in range(49)]
    lights.append({"id": "silent", "name": SILENT, "brightness": True, "fail": "silent"})
    daemon = make_daemon(configuration(lights=lights))
    until(lambda: len(daemon.lights) == 50, 10, "fifty lights")
    return daemon


async def test_forty_nine_lights_answer_immediately_while_one_never_does(home, lan):
    me, address, port = hap.Identity(), lan.bridge.address, home.status["port"]
    with hap.Connection(address, port) as connection:
        accessory = hap.pair_setup(connection, home.setup_code, me)
    with hap.session(address, port, me, accessory) as first, hap.session(address, port, me, accessory) as second:
        accessories = first.get("/accessories").json["accessories"]
        assert len(accessories) == 51
        silent, silent_iids = named(accessories, SILENT)
        others = [named(accessories, f"Light {number}") for number in range(49)]
        on = "25"

        def write(session, entries):
            began = time.monotonic()
            answer = session.put("/characteristics", {"characteristics": [
                {"aid": aid, "iid": iids[on], "value": value} for aid, iids, value in entries]})
            return answer, time.monotonic() - began

        # One controller waits for the silent light while another reads and writes all others.
        dead = asyncio.create_task(asyncio.to_thread(write, first, [(silent, silent_iids, True)]))
        await asyncio.sleep(0.1)
        slowest = 0
        # A request that waits for the silent light would take nearly 2 s.
        for aid, iids in others:
            answer, seconds = write(second, [(aid, iids, True)])
            assert answer.status == 204, answer
            slowest = max(slowest, seconds)
            began = time.monotonic()
            read = second.get(f"/characteristics?id={aid}.{iids[on]}")
            slowest = max(slowest, time.monotonic() - began)
            assert read.json["characteristics"][0]["value"] in (True, 1)
        print(f"with the silent light the slowest answer took {slowest * 1000:.1f} ms")
        assert slowest < 1.5, "at once"

        answer, seconds = await dead
        assert seconds < 3
        assert answer.status == 207
        assert answer.json["characteristics"][0]["status"] in (UNREACHABLE, TIMED_OUT)

        # A scene of all fifty lights returns a status for each, and switches the lights that answer.
        entries = [(aid, iids, False) for aid, iids in others] + [(silent, silent_iids, False)]
        answer, seconds = write(first, entries)
        assert seconds < 3
        assert answer.status == 207
        statuses = {entry["aid"]: entry["status"] for entry in answer.json["characteristics"]}
        assert statuses.pop(silent) in (UNREACHABLE, TIMED_OUT)
        assert set(statuses.values()) == {0} and len(statuses) == 49
        lights = home.lights
        assert not any(lights[f"simulated/l{number}"]["on"] for number in range(49))

        # A read of all fifty lights returns the last known values.
        ids = ",".join(f"{aid}.{iids[on]}" for aid, iids in [*others, (silent, silent_iids)])
        began = time.monotonic()
        answer = second.get(f"/characteristics?id={ids}")
        assert time.monotonic() - began < 1.5
        values = {entry["aid"]: entry for entry in answer.json["characteristics"]}
        assert all(values[aid]["value"] in (False, 0) for aid, _ in others)


@pytest.mark.long
async def test_unanswered_commands_leak_no_memory(make_daemon, lan):
    lights = [{"id": f"silent{number}", "fail": "silent"} for number in range(100)]
    daemon = make_daemon(configuration(lights=lights))
    me, port = hap.Identity(), daemon.until_stable()["port"]
    with hap.Connection(lan.bridge.address, port) as connection:
        accessory = hap.pair_setup(connection, daemon.setup_code, me)

    def dirty():
        rollup = Path(f"/proc/{daemon.process.pid}/smaps_rollup").read_text()
        return int(re.search(r"^Private_Dirty: +(\d+) kB", rollup, re.M)[1])

    with hap.session(lan.bridge.address, port, me, accessory) as session:
        switches = [
            {"aid": accessory["aid"], "iid": characteristic["iid"]}
            for accessory in session.get("/accessories").json["accessories"]
            for service in accessory["services"] for characteristic in service["characteristics"]
            if short(characteristic["type"]) == ON
        ]

        def write(times):
            for number in range(times):
                answer = session.put(
                    "/characteristics", {"characteristics": [{**switch, "value": number % 2 == 0} for switch in switches]})
                assert {entry["status"] for entry in answer.json["characteristics"]} == {-70408}

        write(3)
        before = dirty()
        write(10)
        # A thousand leaked commands would take 600 KiB.
        assert dirty() - before < 300
