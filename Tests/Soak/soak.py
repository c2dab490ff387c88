#!/usr/bin/env python3
"""Load the release daemons for an hour like a busy home with many failures, and check that they keep their promises.

Documentation/Robustness.md describes the load and the promises. Needs root. Exit code 0: all promises are kept.
"""
import argparse
import datetime
import json
import os
import pathlib
import signal
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAMS = ("lamplighterd", "lamplighter", "homehubd", "homehub")
#: The time limit for starting and ending the run, in seconds, in addition to the requested minutes.
OVERTIME = 420


def version():
    done = subprocess.run(["git", "-C", ROOT, "describe", "--always", "--dirty"], capture_output=True, text=True)
    return done.stdout.strip() if done.returncode == 0 else None


def end_in_any_case(minutes):
    """End the run and all processes that it has started, after a signal or when the time is over."""
    signals = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGALRM)

    def stop(number, _):
        for other in signals:
            signal.signal(other, signal.SIG_IGN)
        raise SystemExit(f"soak: ended by {signal.Signals(number).name}")

    for number in signals:
        signal.signal(number, stop)
    signal.alarm(int(minutes * 60) + OVERTIME)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--programs", type=pathlib.Path, default=ROOT / ".build-static/release", help="the directory with the programs")
    parser.add_argument("--results", type=pathlib.Path, default=ROOT / ".build-soak", help="the directory for results")
    parser.add_argument("--minutes", type=float, default=60, help="the duration of the load, in minutes (default: 60)")
    options = parser.parse_args()
    if not 2 <= options.minutes <= 10_000:
        parser.error("--minutes must be between 2 and 10000")
    for name in PROGRAMS:
        if not os.access(options.programs / name, os.X_OK):
            raise SystemExit(f"soak: {options.programs / name} is missing; run make soak to build it")
        os.environ[name.upper()] = str(options.programs / name)
    # The simulated LAN and the daemons' wrappers are shared with the tests.
    sys.path.append(str(ROOT / "Tests/Interop"))
    import verdict
    from course import Soak

    directory = options.results / f"{datetime.datetime.now(datetime.timezone.utc):%Y%m%dT%H%M%SZ}"
    directory.mkdir(parents=True)
    end_in_any_case(options.minutes)
    result = {"version": version(), **Soak(options.minutes, directory).run()}
    (directory / "result.json").write_text(json.dumps(result, indent=1, ensure_ascii=False) + "\n")
    verdict.show(result)
    print(f"the results are in {directory}")
    return 0 if all(result["promises"].values()) else 1


if __name__ == "__main__":
    sys.exit(main())
