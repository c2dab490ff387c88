"""Home Assistant itself: HASS=/path/of/hass names it, in an environment that has what the integrations in question require.

Checked with 2024.3.3 on Python 3.11. Tests that need it are passed over without HASS.
"""

import json
import os
import shutil
import subprocess
import time
from pathlib import Path

from lan import PATIENCE, end

HASS = os.environ.get("HASS")
MARK = "hass_driver: "


class HomeAssistant:
    """hass on a host, with nothing but hass_driver and what that adds."""

    def __init__(self, host, directory):
        (directory / "custom_components").mkdir(parents=True)
        shutil.copytree(Path(__file__).with_name("hass_driver"), directory / "custom_components/hass_driver")
        (directory / "configuration.yaml").write_text("hass_driver:\nlogger: {default: warning}\n")
        self.log = directory / "log"
        with open(self.log, "w") as log:
            self.process = host.popen(
                HASS, "--skip-pip", "-c", directory, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True,
                env={**os.environ, "DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nonexistent"})

    def ask(self, step, given, seconds=90):
        """One step of hass_driver, and what became of it."""
        self.process.stdin.write(json.dumps({step: given}) + "\n")
        self.process.stdin.flush()
        ends = time.monotonic() + seconds * PATIENCE
        for text in self.process.stdout:
            if text.startswith(MARK):
                return json.loads(text.removeprefix(MARK))
            assert time.monotonic() < ends, self.log.read_text()[-4000:]
        raise AssertionError(self.log.read_text()[-4000:])

    def close(self):
        end(self.process, 20)
