"""Compares 400 devices of all kinds with 400 lights: memory, and time from the start until all bridges are announced. Prints JSON.

    make all && sudo env PROGRAMS=.build-static/release .venv/bin/python Tests/Interop/kind_figures.py [RUNS]

The runs alternate, each with a new state directory. Memory is that of the bridge alone, ten seconds after the last announcement.
"""

import json
import statistics
import sys
import tempfile
import time
from pathlib import Path

import lan as pretend
from conftest import configuration
from daemon import Daemon
from lan import until
from test_further_bridges import KINDS

COUNT = 400
BRIDGES = 3


def devices(is_mixed):
    """Return devices, every second of which is a light. The others are of all other kinds, or lights, too."""
    light = {"brightness": True, "color": True, "temperature": True}
    return [
        {"id": f"l{number}", "name": f"Device {number}"}
        | (KINDS[number // 2 % len(KINDS)] if is_mixed and number % 2 == 0 else light) for number in range(COUNT)]


def memory(process):
    """Return the resident and the private dirty memory in MB."""
    lines = Path(f"/proc/{process.pid}/smaps_rollup").read_text().splitlines()[1:]
    sizes = {line.split(":")[0]: int(line.split()[1]) / 1024 for line in lines}
    return sizes["Rss"], sizes["Private_Dirty"]


def measured(host, directory, is_mixed):
    daemon = Daemon(host, directory, configuration(lights=devices(is_mixed)) | {"include": ["all"]})
    began = time.monotonic()
    daemon.start()
    try:
        def is_complete():
            bridges = daemon.status["bridges"]
            return (
                [bridge["advertisement"]["state"] for bridge in bridges] == ["published"] * BRIDGES
                and sum(bridge["lights"] for bridge in bridges) == COUNT)

        until(is_complete, 60, "all devices are announced", interval=0.02)
        seconds = time.monotonic() - began
        daemon.wait_for_life(10)
        return (seconds, *memory(daemon.process))
    finally:
        daemon.close()


def main():
    if reason := pretend.missing_requirement():
        sys.exit(f"kind_figures: no pretend LAN: {reason}")
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    names = ["secondsUntilAnnounced", "residentMegabytes", "privateDirtyMegabytes"]
    results = {"lights": [], "mixed": []}
    made = pretend.PretendLAN()
    try:
        for _ in range(runs):
            for kind, values in results.items():
                with tempfile.TemporaryDirectory() as directory:
                    values.append(measured(made.bridge, Path(directory), kind == "mixed"))
    finally:
        made.close()
    medians = {kind: [statistics.median(column) for column in zip(*values)] for kind, values in results.items()}
    ratio = [mixed / lights for mixed, lights in zip(medians["mixed"], medians["lights"])]
    print(json.dumps(
        {kind: dict(zip(names, (round(value, 2) for value in values))) for kind, values in {**medians, "ratio": ratio}.items()},
        indent=2))


if __name__ == "__main__":
    main()
