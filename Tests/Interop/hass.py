"""Runs Home Assistant, the program HASS=/path/of/hass, which Scripts/install-home-assistant installs.

Checked with 2025.4.4 on Python 3.13 (aiohomekit 3.2.14). The tests that need Home Assistant are skipped without HASS.
"""

import json
import os
import queue
import shutil
import subprocess
import threading
from pathlib import Path

from lan import PATIENCE, end

HASS = os.environ.get("HASS")
MARK = "hass_driver: "


class HomeAssistant:
    """hass on a host, with only hass_driver, the integrations that it adds, and additional configuration lines."""

    def __init__(self, host, directory, more=""):
        (directory / "custom_components").mkdir(parents=True)
        shutil.copytree(Path(__file__).with_name("hass_driver"), directory / "custom_components/hass_driver")
        (directory / "configuration.yaml").write_text("hass_driver:\nlogger: {default: warning}\n" + more)
        self.host, self.directory, self.log = host, directory, directory / "log"
        self.start()

    def start(self):
        """Start Home Assistant, for the first time or again after `close`."""
        with open(self.log, "a") as log:
            self.process = self.host.popen(
                HASS, "--skip-pip", "-c", self.directory, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True,
                env={**os.environ, "DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nonexistent"})
        self.answers = queue.Queue()
        threading.Thread(target=self._read, args=[self.process.stdout, self.answers], daemon=True).start()

    def _read(self, output, answers):
        for line in output:
            if line.startswith(MARK):
                answers.put(json.loads(line.removeprefix(MARK)))

    def ask(self, step, given, seconds=90):
        """Run a step of hass_driver and return its result."""
        self.process.stdin.write(json.dumps({step: given}) + "\n")
        self.process.stdin.flush()
        try:
            return self.answers.get(timeout=seconds * PATIENCE)
        except queue.Empty:
            raise AssertionError(f"no answer to {step} in {seconds} s: {self.log.read_text()[-4000:]}") from None

    def close(self):
        # Close the input, which ends the driver's thread, because Home Assistant waits for that thread.
        self.process.stdin.close()
        end(self.process, 20)
