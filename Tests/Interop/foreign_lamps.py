"""Three lamps of HAP-python, as accessories of other manufacturers."""

import contextlib
import json
import sys
from pathlib import Path

from talker import Talker

#: The names of the lamps by their device IDs.
LAMPS = {f"5A:11:C0:DE:01:0{number}": f"Foreign {number}" for number in range(1, 4)}


@contextlib.contextmanager
def foreign_lamps(host, folder):
    """Runs the lamps on a host. Yields their programs by their device IDs."""
    device, made = Path(__file__).with_name("python_device.py"), {}
    services = [{"type": "Lightbulb", "values": ["Brightness"]}]
    try:
        for port, (id, name) in enumerate(LAMPS.items(), 51840):
            made[id] = Talker(
                host, folder / f"{name}.log", sys.executable, device, host.address, port, folder / f"{name}.state",
                json.dumps({"id": id, "name": name, "services": services}))
        for lamp in made.values():
            lamp.until(lambda line: "ready" in line)
        yield made
    finally:
        for lamp in made.values():
            lamp.close()
