"""What a newcomer does: `make run` in a terminal, scan the code, pair."""

import os
import pty
import re
import subprocess
import threading

from controllers import Phone
from daemon import ROOT, program
from lan import end, until


class Terminal:
    """A program in a terminal, and what the terminal has shown."""

    def __init__(self, host, *command):
        self.text = ""
        leader, follower = pty.openpty()
        environment = {**os.environ, "TERM": "xterm-256color", "LC_ALL": "C.UTF-8"}
        environment.pop("DBUS_SYSTEM_BUS_ADDRESS", None)
        self.process = host.popen(*command, stdin=follower, stdout=follower, stderr=follower, env=environment)
        os.close(follower)
        self._leader = leader
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        # Reading a terminal that nobody holds any more is an error on Linux.
        try:
            while data := os.read(self._leader, 4096):
                self.text += data.decode(errors="replace")
        except OSError:
            pass

    def until(self, pattern, timeout):
        def matches():
            if found := re.search(pattern, self.text):
                return found
            assert self.process.poll() is None, f"it ended with {self.process.returncode}:\n{self.text[-3000:]}"
            return None

        return until(matches, timeout, f"the terminal shows {pattern}")


async def test_make_run_ends_with_a_code_that_pairs(lan, tmp_path):
    terminal = Terminal(lan.bridge, "make", "-C", ROOT, "--no-print-directory", "run", f"STATE={tmp_path}/state")
    try:
        code = terminal.until(r"ready to pair.*?(\d{3}-\d\d-\d{3})", 300).group(1)
        assert len(re.findall(r"[█▀▄ ]{20,}", terminal.text)) >= 14, "a QR code stands in the terminal"
        command = [program("lamplighter"), "--control", f"{tmp_path}/state/run/control.sock"]
        status = subprocess.run([*command, "status", "--json"], capture_output=True, text=True, check=True).stdout
        device_id = re.search(r'"deviceId":"([^"]+)"', status).group(1)
        async with Phone() as phone:
            pairing = await phone.pair(device_id, code)
            accessories = await pairing.list_accessories_and_characteristics()
            assert len(accessories) == 6, "the bridge and the five lights of the demo"
        log = [line for line in terminal.text.splitlines() if re.match(r"\d{4}-\d\d-\d\dT", line)]
        assert log and not any(code in line for line in log), "the code is shown, never logged"
    finally:
        end(terminal.process)
