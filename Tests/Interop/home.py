"""Runs homehubd and the apps that use it."""

import contextlib
import json
import os
import queue
import signal
import socket
import subprocess
from pathlib import Path

import pytest
from daemon import program
from lan import PATIENCE, end, until
from talker import Talker


class HomeDaemon:
    """`homehubd` on a host, with state and runtime directories that outlive its process."""

    def __init__(self, host, directory, configuration=""):
        self.host = host
        self.directory = Path(directory)
        self.state_directory = self.directory / "state"
        self.runtime_directory = self.directory / "run"
        self.socket = self.runtime_directory / "home.sock"
        #: The directory of the files of apps that were installed with access.
        self.installed_apps = self.directory / "apps"
        self.configuration_path = self.directory / "homehub.yaml"
        self.log_path = self.directory / "homehubd.log"
        self.process = None
        self.apps = []
        self._marks = 0
        #: A command that runs the program.
        self.wrapper = []
        #: Additional environment variables of the program.
        self.environment = {}
        for path in (self.directory, self.state_directory, self.runtime_directory, self.installed_apps):
            path.mkdir(parents=True, exist_ok=True)
        self.configuration_path.write_text(configuration)

    # Starting and stopping

    def start(self, timeout=20):
        """Start it and wait until its socket answers."""
        assert not self.is_running
        with open(self.log_path, "ab") as log:
            self.process = self.host.popen(
                *self.wrapper, *self.arguments, stdout=log, stderr=log, env={**os.environ, **self.environment})
        until(self._answers, timeout, "homehubd answers on its socket")
        return self

    @property
    def is_discovering(self):
        """Return whether the daemon is discovering accessories."""
        return "discovery started" in self.log or "discovery recovered" in self.log

    @property
    def arguments(self):
        return [
            program("homehubd"), "--config", self.configuration_path, "--state-directory", self.state_directory,
            "--runtime-directory", self.runtime_directory, "--installed-apps", self.installed_apps]

    def _answers(self):
        if self.process.poll() is not None:
            raise AssertionError(f"homehubd ended with exit code {self.process.returncode}:\n{self.log[-4000:]}")
        try:
            self.connect().close()
        except OSError:
            return False
        return True

    def connect(self):
        """Return a connection to the daemon's socket."""
        connection = socket.socket(socket.AF_UNIX)
        connection.settimeout(20 * PATIENCE)
        connection.connect(str(self.socket))
        return connection

    @property
    def is_running(self):
        return self.process is not None and self.process.poll() is None

    def kill(self):
        """Kill the daemon with SIGKILL."""
        self.process.kill()
        self.process.wait()

    def terminate(self, timeout=15):
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(timeout * PATIENCE)

    def close(self):
        for app in self.apps:
            app.close()
        if self.process:
            end(self.process)

    @property
    def cpu_time(self):
        """Return the CPU time of the daemon's process in seconds."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    @property
    def log(self):
        return self.log_path.read_text(errors="replace") if self.log_path.exists() else ""

    # Clients

    def cli(self, *arguments, check=True, app=None, timeout=60, user=None):
        """Run `homehub`. Return the parsed answer with `--json`, otherwise the finished process."""
        command = ["setpriv", f"--reuid={user}", "--regid=nogroup", "--clear-groups"] if user else []
        command += [str(program("homehub")), "--socket", str(self.socket)]
        if app:
            command += ["--app", app]
        command += map(str, arguments)
        done = subprocess.run(command, capture_output=True, text=True, timeout=timeout * PATIENCE)
        if check:
            assert done.returncode == 0, f"{' '.join(map(str, arguments))}: {done.returncode}: {done.stderr}"
        return json.loads(done.stdout) if "--json" in arguments and done.returncode == 0 else done

    def add(self, code, device, *options, check=True):
        """Add a device by its id or a prefix of its name, because devices of other tests may also be on the network."""
        return self.cli("add", "--code", code, "--device", device, "--yes", *options, check=check, timeout=120)

    def watching(self, *arguments):
        """Start `homehub watch`, whose JSON lines are read while it runs."""
        return Watching(
            self.host, self.directory / "watch.log", program("homehub"), "--socket", self.socket, "watch", *arguments,
            "--json")

    def app(self, name="org.example.a", allowed=True, **options):
        """Start an app with this id, and allow it access unless `allowed` is false."""
        app = App(self, name, **options)
        self.apps.append(app)
        if allowed:
            app.start("wait")
            self.allow(name)
            app.finish()
            app.expect("authorizationStatusUpdated", "homesUpdated")
        return app

    def allow(self, name, timeout=10):
        """Answer the permission question that an app's first request causes."""
        until(lambda: self.cli("privacy", "allow", name, "--yes", check=False).returncode == 0, timeout, f"{name} requests access")

    def mark(self):
        """Cause an event that all apps receive after all pending events."""
        self._marks += 1
        name = f"Mark {self._marks}"
        self.cli("zones", "add", name)
        self.cli("zones", "remove", name)
        return name


@pytest.fixture(scope="module")
def hub(lan):
    """A host with an Avahi daemon, for homehubd and the apps."""
    with lan.add_host("hub", "10.77.0.3") as host:
        yield host


@pytest.fixture
def make_home(hub, tmp_path):
    """Start homehubd. Several instances are the homes of different people."""
    made = []

    def make(configuration=""):
        made.append(HomeDaemon(hub, tmp_path / f"home{len(made)}", configuration))
        return made[-1].start()

    yield make
    for daemon in made:
        daemon.close()


@contextlib.contextmanager
def villa(lan, directory):
    """A home hub with one home on a separate host."""
    with lan.add_host("hub", "10.77.0.3") as host:
        made = HomeDaemon(host, directory).start()
        made.cli("homes", "add", "Villa")
        yield made
        made.close()


class Watching(Talker):
    """A running `homehub watch`, for use in a `with` statement."""

    def received_lines(self, condition):
        """Return the lines so far that meet the condition."""
        while True:
            try:
                line = self.lines.get_nowait()
            except queue.Empty:
                return [line for line in self.received if condition(line)]
            assert line is not None, f"homehub watch has ended:  {self.log.read_text()[-2000:]}"
            self.received.append(line)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


class Refused(AssertionError):
    """The error that answers an app's request."""

    def __init__(self, error):
        super().__init__(f"{error}")
        self.code = error["code"]
        self.error = error


class App(Talker):
    """An app on `HomeClient` (Tests/HomeProbe) that performs commands and records events."""

    def __init__(self, home, name, purpose="To test the home", capabilities=None, vendor=None, wrapper=()):
        self.home_daemon = home
        self.name = name
        #: The events that the test hasn't checked yet.
        self.pending = []
        self._mark = None
        arguments = ["--socket", home.socket, "--app", name]
        if purpose is not None:
            arguments += ["--purpose", purpose]
        if capabilities:
            arguments += ["--capabilities", ",".join(capabilities)]
        if vendor:
            arguments += ["--vendor", vendor]
        super().__init__(home.host, home.directory / f"{name}.log", *wrapper, program("home-probe"), *arguments)

    # Requests

    def start(self, command, **members):
        self.say({"do": command, **members})

    def finish(self, timeout=60):
        """Return the answer to the started command, and keep earlier events."""
        line = self.until(self._sorted(lambda line: "answer" in line or "error" in line), timeout)
        if "error" in line:
            raise Refused(line["error"])
        return line["answer"]

    def do(self, command, timeout=60, **members):
        self.start(command, **members)
        return self.finish(timeout)

    def refused(self, command, **members):
        """Run a command that must be rejected, and return its error code."""
        try:
            answer = self.do(command, **members)
        except Refused as refusal:
            return refusal.code
        raise AssertionError(f"{command} {members} is not refused: {answer}")

    # Events

    def _sorted(self, condition):
        def look(line):
            if "event" in line:
                if line.get("name", "").startswith("Mark "):
                    self._mark = line["name"], line["event"]
                else:
                    self.pending.append(line)
            return condition(line)

        return look

    def expect(self, *events, timeout=15):
        """Wait for exactly these events in this order, and return them."""
        while len(self.pending) < len(events):
            self.until(self._sorted(lambda line: "event" in line), timeout)
        taken, self.pending = self.pending[: len(events)], self.pending[len(events):]
        assert [line["event"] for line in taken] == list(events), f"{self.name} received {taken}"
        return taken

    def wait_for_event(self, event, condition=lambda line: True, timeout=20):
        """Wait for an event and drop earlier ones."""
        while True:
            while self.pending:
                line = self.pending.pop(0)
                if line["event"] == event and condition(line):
                    return line
            self.until(self._sorted(lambda line: "event" in line), timeout)

    def await_mark(self):
        """Wait until all pending events have arrived."""
        mark = self.home_daemon.mark()
        while self._mark != (mark, "zoneRemoved"):
            self.until(self._sorted(lambda line: "event" in line))

    def received_nothing(self):
        """Check that no other event arrives."""
        self.await_mark()
        assert self.pending == [], f"{self.name} received {self.pending}"

    def forget_events(self):
        """Drop all events so far."""
        self.await_mark()
        self.pending = []

    # Adding accessories

    def find(self, device, timeout=20):
        """Search for an unpaired accessory."""
        self.do("startBrowsing")
        self.wait_for_event("browser.found", lambda line: line["accessory"]["deviceId"] == device, timeout)
        self.do("stopBrowsing")

    def add(self, device, code, home, **members):
        """Search for an accessory and add it."""
        self.find(device)
        return self.do("addAccessory", device=device, code=code, home=home, timeout=90, **members)

    # Reading homes

    @property
    def homes(self):
        return self.do("homes")

    @property
    def known(self):
        """Return the homes, without this app's state and the times of values."""
        return stripped(self.homes, "isNotificationEnabled", "time")

    @property
    def home(self):
        """The only home."""
        (home,) = self.homes
        return home

    @property
    def accessories(self):
        """The accessories of all homes, by their names."""
        return {accessory["name"]: accessory for home in self.homes for accessory in home["accessories"]}

    def accessory(self, name):
        assert name in self.accessories, f"{name}: {list(self.accessories)}"
        return self.accessories[name]

    def characteristic(self, name, kind, service=None):
        """A characteristic of an accessory, by its short type."""
        found = [
            characteristic
            for part in self.accessory(name)["services"]
            if service is None or part["type"] == service
            for characteristic in part["characteristics"]
            if characteristic["type"] == kind
        ]
        assert found, f"{name} has no {kind}"
        return found[0]


def stripped(value, *names):
    """Return a value without the members with these names, at any depth."""
    if isinstance(value, dict):
        return {key: stripped(part, *names) for key, part in value.items() if key not in names}
    return [stripped(part, *names) for part in value] if isinstance(value, list) else value
