"""A wall clock that a test sets, for one daemon."""

import datetime
import mmap
import shutil
import struct
import subprocess
import time
from pathlib import Path


class WallClock:
    """The wall clock of a daemon that runs with `environment`. The daemon's other clocks and its timers aren't changed."""

    def __init__(self, directory):
        file, library = directory / "clock", directory / "wall_clock.so"
        compiler = shutil.which("clang") or shutil.which("cc")
        assert compiler, "there's no C compiler"
        subprocess.run(
            [compiler, "-shared", "-fPIC", "-O1", "-o", library, Path(__file__).with_name("wall_clock.c")], check=True)
        file.write_bytes(bytes(8))
        with open(file, "r+b") as opened:
            self._difference = mmap.mmap(opened.fileno(), 8)
        self.environment = {"LD_PRELOAD": str(library), "WALL_CLOCK": str(file)}

    def shift(self, seconds):
        """Set the clock to the system's time plus a difference."""
        self._difference[:] = struct.pack("q", round(seconds * 1e9))

    def set(self, text):
        """Set the clock to a time in UTC, such as `2027-06-15 07:00:00`."""
        moment = datetime.datetime.fromisoformat(text).replace(tzinfo=datetime.UTC)
        self.shift(moment.timestamp() - time.time())
