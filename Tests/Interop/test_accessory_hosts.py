"""Hundreds of HAPAccessory's hosts are created, run and released without leaks, and signals work as before."""

import os
import signal
import subprocess

import pytest
from daemon import program


class Probe:
    def __init__(self, directory, count):
        # Avahi's client thread runs without finding Avahi.
        environment = {**os.environ, "DBUS_SYSTEM_BUS_ADDRESS": f"unix:path={directory}/none"}
        self.process = subprocess.Popen(
            [program("accessory-probe"), directory / "state", str(count)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            text=True, env=environment)

    def reach(self, step):
        assert self.process.stdout.readline() == step + "\n"

    def go_on(self):
        self.process.stdin.write("\n")
        self.process.stdin.flush()

    def resources(self):
        """Return the numbers of threads and descriptors, and the resident memory in KiB."""
        status = dict(line.split(":", 1) for line in open(f"/proc/{self.process.pid}/status"))
        return (
            int(status["Threads"]), len(os.listdir(f"/proc/{self.process.pid}/fd")), int(status["VmRSS"].split()[0]))


@pytest.mark.parametrize("count", [20, pytest.param(1000, marks=pytest.mark.long)])
def test_released_hosts_leak_no_resources_and_restore_signal_handling(tmp_path, count):
    probe = Probe(tmp_path, count)
    try:
        probe.reach("warm")
        threads, descriptors, memory = probe.resources()
        probe.go_on()
        probe.reach("done")
        after = probe.resources()
        # The pool of worker threads grows under load, and signal threads close their descriptors a little later. A leak
        # would cause one for each host.
        assert after[0] <= threads + 8
        assert after[1] <= descriptors + 8
        assert after[2] <= memory + 8 * 1024
        probe.process.send_signal(signal.SIGTERM)
        assert probe.process.wait(10) == -signal.SIGTERM
    finally:
        probe.process.kill()
        probe.process.wait()


def test_first_sigterm_ends_the_run_and_second_terminates_the_program(tmp_path):
    probe = Probe(tmp_path, 0)
    try:
        for step in ("warm", "done"):
            probe.reach(step)
            probe.go_on()
        probe.reach("runs")
        probe.process.send_signal(signal.SIGTERM)
        probe.reach("ended")
        probe.process.send_signal(signal.SIGTERM)
        assert probe.process.wait(10) == -signal.SIGTERM
    finally:
        probe.process.kill()
        probe.process.wait()
