"""A newcomer: from the installation of the packages to the first lamp, switched with a phone-sized browser."""

import os
import re
import tempfile
import time
from collections import Counter
from contextlib import contextmanager
from pathlib import Path

from lan import until
from web import browser

PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True, "device_scale_factor": 2}
LAMP = "Reading Lamp"


class Newcomer:
    """Takes only the steps that a newcomer needs, and measures each until its result is shown.

    The environment variable PICTURES is a folder for a screenshot after each step on the page.
    """

    def __init__(self, guest, phone):
        self.guest, self.phone = guest, phone
        self.visitor = None
        self.kinds = Counter()
        self.seconds = 0

    def install(self, command):
        with self._step("command", "apt install"):
            return self.guest.run("sh", "-c", command, timeout=300).stdout

    def switch_a_lamp(self, command, is_on):
        """Runs the command that prints the link, and uses the page until the lamp is on. Returns a summary."""
        with self._step("command", command):
            link = re.search(r"http://\S+/enter#\w+", self.guest.out("sh", "-c", command))[0]
        address, path = re.fullmatch(r"(http://[^/]+)(/.+)", link).groups()
        with tempfile.TemporaryDirectory() as directory, browser(self.phone, directory) as chromium:
            with self._step("scan", "scan the code"):
                self.visitor = chromium.open(address, path, **PHONE)
                self._until("No homes yet")
            with self._step("typed field", "type the home's name"):
                name = self.visitor.page.get_by_label("Home name")
                name.tap()
                name.press_sequentially("Villa")
            for button, result in ("Add home", "without a code"), ("Add this computer's devices", "Set up your accessories"), \
                    (re.compile("^Save all"), "Lights\nAll off"), (re.compile(f"^{LAMP}, off", re.I), f"{LAMP}\nOn"):
                with self._step("tap", f"tap {getattr(button, 'pattern', button).strip('^')}"):
                    self.visitor.page.get_by_role("button", name=button).first.tap()
                    self._until(result)
            until(is_on, 5, "the bridge's lamp is on")
        counts = ", ".join(f"{count} {kind}{'s' if count > 1 else ''}" for kind, count in self.kinds.items())
        return f"{self.kinds.total()} steps ({counts}), {self.seconds:.1f} s"

    def _until(self, text):
        try:
            self.visitor.until_text(text, timeout=20)
        except AssertionError as error:
            raise AssertionError(f"{error}, but\n{self.visitor.text('body')}") from None

    @contextmanager
    def _step(self, kind, text):
        began = time.monotonic()
        try:
            yield
        finally:
            seconds = time.monotonic() - began
            self.kinds[kind] += 1
            self.seconds += seconds
            print(f"        {text}: {seconds:.1f} s", flush=True)
            if self.visitor and (folder := os.environ.get("PICTURES")):
                self.visitor.page.screenshot(path=Path(folder) / f"{self.kinds.total()}.png")
