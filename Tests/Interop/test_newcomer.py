"""The first steps of a new user: run `make run` in a terminal, scan the code, pair."""

import re
import subprocess

import pytest

from controllers import Phone
from daemon import ROOT, program
from terminal import Terminal


@pytest.mark.alone
async def test_make_run_prints_a_code_that_pairs(lan, tmp_path):
    terminal = Terminal(lan.bridge, "make", "-C", ROOT, "--no-print-directory", "run", f"STATE={tmp_path}/state")
    try:
        code = terminal.until(r"ready to pair.*?(\d{3}-\d\d-\d{3})", 900).group(1)
        assert len(re.findall(r"[█▀▄ ]{20,}", terminal.text)) >= 14, "the terminal shows a QR code"
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
        terminal.close()
