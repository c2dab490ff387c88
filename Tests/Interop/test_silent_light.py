"""One light that never answers slows no other one down."""

import asyncio
import re
import time
from pathlib import Path

import hap
import pytest
from conftest import configuration
from controllers import ON, named, short
from lan import PATIENCE, until

SILENT = "Silent Light"
UNREACHABLE, TIMED_OUT = -70402, -70408


@pytest.fixture
def home(make_daemon):
    lights = [{"id": f"l{number}", "name": f"Light {number}", "brightness": True} for number in range(49)]
    lights.append({"id": "silent", "name": SILENT, "brightness": True, "fail": "silent"})
    daemon = make_daemon(configuration(lights=lights))
    until(lambda: len(daemon.lights) == 50, 10, "fifty lights")
    return daemon


async def test_forty_nine_lights_answer_at_once_beside_one_that_never_does(home, lan):
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

        # The dead one waits for its deadline in the background...
        dead = asyncio.create_task(asyncio.to_thread(write, first, [(silent, silent_iids, True)]))
        await asyncio.sleep(0.1)
        # ... while another controller reads and writes all others.
        slowest = 0
        # What waited for it would take nearly the 2 s that a light is given for its answer.
        for aid, iids in others:
            answer, seconds = write(second, [(aid, iids, True)])
            assert answer.status == 204, answer
            slowest = max(slowest, seconds)
            began = time.monotonic()
            read = second.get(f"/characteristics?id={aid}.{iids[on]}")
            slowest = max(slowest, time.monotonic() - began)
            assert read.json["characteristics"][0]["value"] in (True, 1)
        print(f"beside the silent light the slowest answer took {slowest * 1000:.1f} ms")
        assert slowest < 1.5, "at once"

        answer, seconds = await dead
        assert seconds < 3
        assert answer.status == 207
        assert answer.json["characteristics"][0]["status"] in (UNREACHABLE, TIMED_OUT)

        # A scene over all fifty: one status each, the good ones are done.
        entries = [(aid, iids, False) for aid, iids in others] + [(silent, silent_iids, False)]
        answer, seconds = write(first, entries)
        assert seconds < 3
        assert answer.status == 207
        statuses = {entry["aid"]: entry["status"] for entry in answer.json["characteristics"]}
        assert statuses.pop(silent) in (UNREACHABLE, TIMED_OUT)
        assert set(statuses.values()) == {0} and len(statuses) == 49
        lights = home.lights
        assert not any(lights[f"simulated/l{number}"]["on"] for number in range(49))

        # Reads of all fifty at once are answered from what is known.
        ids = ",".join(f"{aid}.{iids[on]}" for aid, iids in [*others, (silent, silent_iids)])
        began = time.monotonic()
        answer = second.get(f"/characteristics?id={ids}")
        assert time.monotonic() - began < 1.5
        values = {entry["aid"]: entry for entry in answer.json["characteristics"]}
        assert all(values[aid]["value"] in (False, 0) for aid, _ in others)


@pytest.mark.alone
async def test_the_99th_percentile_of_the_others_is_not_that_of_the_silent_one(home, lan):
    me, address, port = hap.Identity(), lan.bridge.address, home.status["port"]
    with hap.Connection(address, port) as connection:
        accessory = hap.pair_setup(connection, home.setup_code, me)
    with hap.session(address, port, me, accessory) as first, hap.session(address, port, me, accessory) as second:
        accessories = first.get("/accessories").json["accessories"]
        silent, silent_iids = named(accessories, SILENT)
        others = [named(accessories, f"Light {number}") for number in range(49)]

        def percentile():
            """Of 196 writes and reads of the 49, in seconds."""
            times = []
            for value in (True, False):
                for aid, iids in others:
                    entry = {"aid": aid, "iid": iids[ON], "value": value}
                    for call in (lambda: second.put("/characteristics", {"characteristics": [entry]}),
                                 lambda: second.get(f"/characteristics?id={aid}.{iids[ON]}")):
                        began = time.monotonic()
                        assert call().status in (200, 204)
                        times.append(time.monotonic() - began)
            return sorted(times)[len(times) * 99 // 100]

        alone = percentile()
        stopped, waits = asyncio.Event(), []

        async def write_to_the_silent_one():
            entry = {"aid": silent, "iid": silent_iids[ON], "value": True}
            while not stopped.is_set():
                began = time.monotonic()
                answer = await asyncio.to_thread(first.put, "/characteristics", {"characteristics": [entry]})
                assert answer.status == 207
                waits.append(time.monotonic() - began)

        dead = asyncio.create_task(write_to_the_silent_one())
        await asyncio.sleep(0.2)
        # The machine that runs this may be at something else: the best of three counts.
        beside = min([await asyncio.to_thread(percentile) for _ in range(3)])
        stopped.set()
        await dead
        print(f"99th percentile: {alone * 1000:.1f} ms alone, {beside * 1000:.1f} ms beside the silent light; "
              f"wanted: 50 ms; {len(waits)} writes to that, answered within {max(waits):.2f} s")
        assert beside < 0.5 * PATIENCE
        assert max(waits) < 3 * PATIENCE


@pytest.mark.long
async def test_what_was_never_answered_leaves_nothing_behind(make_daemon, lan):
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
        # A thousand commands; what each of them could leave for an hour comes to 600 KiB.
        assert dirty() - before < 300
