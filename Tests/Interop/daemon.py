"""The bridge daemon under test, and its operator."""

import json
import os
import signal
import socket
import subprocess
import time
from pathlib import Path

from lan import PATIENCE, end, until

ROOT = Path(__file__).resolve().parents[2]
# Use the folder itself. The link .build/debug is missing for a moment while another build replaces it.
PROGRAMS = Path(os.environ.get("PROGRAMS", ROOT / ".build/debug")).resolve()


def program(name):
    """Return a built program: from the environment (LAMPLIGHTERD, LAMPLIGHTER, or PROGRAMS for all) or the debug build."""
    # Not resolved: the name of a link selects a program of its executable.
    path = Path(os.environ.get(name.upper(), PROGRAMS / name)).absolute()
    assert os.access(path, os.X_OK), f"{path} doesn't exist; build it first, or set {name.upper()}"
    return path


class Daemon:
    """`lamplighterd` on a host, with separate state and runtime directories that outlive its process."""

    def __init__(self, host, directory, configuration):
        self.host = host
        self.directory = Path(directory)
        self.state_directory = self.directory / "state"
        self.runtime_directory = self.directory / "run"
        self.socket = self.runtime_directory / "control.sock"
        #: The socket for the web page.
        self.page_socket = self.runtime_directory / "page/bridge.sock"
        self.log_path = self.directory / "lamplighterd.log"
        self.process = None
        #: Additional environment variables of the daemon.
        self.environment = {}
        #: A command that runs it, such as strace.
        self.wrapper = []
        for path in (self.state_directory, self.runtime_directory):
            path.mkdir(parents=True, exist_ok=True, mode=0o700)
        self.configure(configuration)

    def configure(self, configuration):
        """Write the configuration file from YAML text or from a value, which is written as JSON."""
        text = configuration if isinstance(configuration, str) else json.dumps(configuration, indent=2, ensure_ascii=False)
        (self.directory / "lamplighter.yaml").write_text(text)

    # Starting and stopping

    def start(self, timeout=20):
        """Start it and wait until its control socket answers."""
        self.start_without_waiting()
        until(self._answers, timeout, "lamplighterd answers on its control socket")
        return self

    def start_without_waiting(self):
        """Start it and return at once, for tests that kill it at any moment."""
        assert not self.is_running
        environment = {key: value for key, value in os.environ.items() if key != "DBUS_SYSTEM_BUS_ADDRESS"}
        environment.update(self.environment)
        with open(self.log_path, "ab") as log:
            self.process = self.host.popen(
                *self.wrapper, program("lamplighterd"), "--config", self.directory / "lamplighter.yaml",
                "--state-directory", self.state_directory, "--runtime-directory", self.runtime_directory,
                stdout=log, stderr=log, env=environment)

    def _answers(self):
        if self.process.poll() is not None:
            raise AssertionError(f"lamplighterd ended with exit code {self.process.returncode}:\n{self.log[-4000:]}")
        with socket.socket(socket.AF_UNIX) as probe:
            try:
                probe.connect(str(self.socket))
            except OSError:
                return False
        return True

    @property
    def is_running(self):
        return self.process is not None and self.process.poll() is None

    def wait_for_life(self, seconds):
        """Let the daemon run for this time, and check that it is still running."""
        time.sleep(seconds)
        assert self.is_running, f"the daemon ended with exit code {self.process.returncode}:\n{self.log[-4000:]}"

    def kill(self):
        """Kill the daemon with SIGKILL."""
        self.process.kill()
        self.process.wait()

    def terminate(self, timeout=15):
        """Stop the daemon with SIGTERM. Return the exit code and the duration of the shutdown in seconds."""
        began = time.monotonic()
        self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(timeout * PATIENCE)
        return code, time.monotonic() - began

    def restart(self):
        code, _ = self.terminate()
        assert code == 0, f"exit code {code}:\n{self.log[-4000:]}"
        return self.start()

    def close(self):
        if self.process:
            end(self.process)

    @property
    def log(self):
        return self.log_path.read_text(errors="replace") if self.log_path.exists() else ""

    # Commands of the operator

    def cli(self, *arguments, check=True):
        """Run `lamplighter`. Return the parsed answer with `--json`, otherwise the finished process."""
        command = [str(program("lamplighter")), "--control", str(self.socket), *map(str, arguments)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=30 * PATIENCE)
        if check:
            assert done.returncode == 0, f"{' '.join(map(str, arguments))}: {done.returncode}: {done.stderr}"
        return json.loads(done.stdout) if "--json" in arguments and done.returncode == 0 else done

    @property
    def status(self):
        return self.cli("status", "--json")

    @property
    def lights(self):
        """The lights, by their keys."""
        return {light["key"]: light for light in self.cli("devices", "--json")}

    @property
    def setup_code(self):
        return self.cli("setup", "--json")["code"]

    @property
    def setup_code_anyway(self):
        """Return the setup code, even if the bridge is paired."""
        return self.cli("setup", "--json", "--force")["code"]

    def until(self, condition, timeout=10, claim="the expected status"):
        """Wait until the status meets the condition, and return it."""
        last = None

        def holds():
            nonlocal last
            last = self.status
            return last if condition(last) else None

        try:
            return until(holds, timeout, claim, interval=0.1)
        except AssertionError as error:
            raise AssertionError(f"{error}; the status is {last}") from None

    def until_published(self, timeout=10):
        return self.until(lambda status: status["advertisement"]["state"] == "published", timeout, "published")

    def until_stable(self, timeout=15):
        """Wait until the bridge is published and c# no longer changes. It rises a second after the database changes."""
        self.until_published(timeout)
        since, number = time.monotonic(), None

        def rests():
            nonlocal since, number
            status = self.status
            if status["configurationNumber"] != number:
                since, number = time.monotonic(), status["configurationNumber"]
            return status if time.monotonic() - since > 2 else None

        return until(rests, timeout, "c# at rest", interval=0.1)
