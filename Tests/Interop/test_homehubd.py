"""The home hub from outside: how it starts, what it answers before anybody is known, how it ends."""

import contextlib
import json
import os
import pathlib
import re
import signal
import socket
import sqlite3
import stat
import subprocess
import time

import pytest

from daemon import program
from lan import PATIENCE, end, open_to_all, threads, until

SYSTEM_APP = "org.lamplighter.homehub"
FIXTURES = pathlib.Path(__file__).resolve().parent.parent / "Fixtures"


class Hub:
    """`homehubd` on a host, with state and runtime directories of its own."""

    def __init__(self, host, directory):
        self.host, self.directory = host, directory
        self.state, self.run = directory / "state", directory / "run"
        self.socket = self.run / "home.sock"
        self.log_path = directory / "homehubd.log"
        self.process = None

    def arguments(self, *more):
        return [program("homehubd"), "--state-directory", self.state, "--runtime-directory", self.run, *more]

    def start(self, *more):
        environment = {key: value for key, value in os.environ.items() if key != "DBUS_SYSTEM_BUS_ADDRESS"}
        with open(self.log_path, "ab") as log:
            self.process = self.host.popen(*self.arguments(*more), stdout=log, stderr=log, env=environment)
        until(self._answers, 20, "homehubd answers on its socket")
        return self

    def _answers(self):
        assert self.process.poll() is None, f"homehubd ended with exit code {self.process.returncode}:\n{self.log}"
        try:
            self.connect().close()
        except OSError:
            return False
        return True

    def connect(self):
        connection = socket.socket(socket.AF_UNIX)
        connection.settimeout(20 * PATIENCE)
        connection.connect(str(self.socket))
        return connection

    def terminate(self):
        began = time.monotonic()
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(15 * PATIENCE), time.monotonic() - began

    def close(self):
        if self.process:
            end(self.process)

    @property
    def log(self):
        return self.log_path.read_text(errors="replace")


class App:
    """A connection of an app, spoken to in requests; notifications are passed over."""

    def __init__(self, hub):
        self.connection = hub.connect()
        self.lines = self.connection.makefile("rb")
        self.number = 0

    def ask(self, method, **params):
        self.number += 1
        request = {"jsonrpc": "2.0", "id": self.number, "method": method, "params": params}
        self.connection.sendall(json.dumps(request).encode() + b"\n")
        while True:
            line = self.lines.readline()
            assert line, "the hub hung up"
            answer = json.loads(line)
            if answer.get("id") == self.number:
                return answer

    def open(self, **members):
        opening = {"version": 1, "app": "org.example.test", "capabilities": ["home"], "usageDescription": "to test"}
        return self.ask("session.open", **{**opening, **members})

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.connection.close()


@pytest.fixture
def hub(lan, tmp_path):
    made = Hub(lan.phone, tmp_path)
    yield made
    made.close()


def test_it_answers_and_ends_within_five_seconds(hub):
    hub.start()
    assert stat.S_IMODE(os.stat(hub.socket).st_mode) == 0o666
    assert stat.S_IMODE(os.stat(hub.state / "home.sqlite").st_mode) == 0o600
    with App(hub) as app:
        assert app.ask("homes.list")["error"]["code"] == -32600, "nothing before the session is open"
        # No app has been asked yet: undecided.
        assert app.open()["result"] == {"status": 0, "isSystemApp": False, "version": 1}
        code, seconds = hub.terminate()
        assert (code, app.lines.read()) == (0, b"")
    assert seconds < 5 * PATIENCE
    assert not hub.socket.exists()
    hub.start()


def test_an_app_without_a_purpose_is_refused(hub):
    hub.start()
    with App(hub) as app:
        for purpose in (None, "", "  "):
            error = app.open(usageDescription=purpose)["error"]
            assert error["code"] == 1001 and error["data"]["name"] == "usageDescriptionMissing"
        assert app.open(capabilities=[])["error"]["code"] == 80
        assert app.open(version=99)["error"]["code"] == 1003


def test_garbage_affects_no_other_app(hub):
    hub.start()
    with App(hub) as app, App(hub) as other:
        app.connection.sendall(b"\xff\x00garbage\n" + b"[" * 100_000 + b"\n")
        assert json.loads(app.lines.readline())["error"]["code"] == -32700
        assert json.loads(app.lines.readline())["error"]["code"] == -32700
        app.connection.sendall(b"x" * (2 << 20) + b"\n")
        assert json.loads(app.lines.readline())["error"]["code"] == -32600
        assert "result" in app.open()
        assert "result" in other.open()


def test_restrictions_take_effect_on_reload(hub, tmp_path):
    path = tmp_path / "homehub.yaml"
    path.write_text("restrict: {apps: []}\n")
    hub.start("--config", path)
    with App(hub) as app:
        assert app.open()["result"]["status"] == 0
        path.write_text("restrict: {apps: [org.example.test]}\nvendor-patience: 5s\n")
        hub.process.send_signal(signal.SIGHUP)
        told = json.loads(app.lines.readline())
        assert (told["method"], told["params"]) == ("authorizationStatusUpdated", {"status": 3})
        assert app.ask("homes.list")["error"]["code"] == 47
    until(lambda: "configuration change deferred" in hub.log, 10, "what waits is said")
    path.write_text("restrict: {app: []}\n")
    hub.process.send_signal(signal.SIGHUP)
    until(lambda: "configuration rejected" in hub.log, 10, "the mistake is said")
    with App(hub) as app:
        assert app.open()["result"]["status"] == 3


@pytest.fixture
def system_app(tmp_path):
    """Options with which this very program is the system app."""
    path = tmp_path / "system-app.yaml"
    path.write_text(f"system-app: {os.path.realpath('/proc/self/exe')}\n")
    return ["--config", path]


def test_the_system_app_is_recognized_by_user_and_program_and_id(hub, system_app):
    hub.start(*system_app)
    with App(hub) as app, App(hub) as other:
        assert app.open(app=SYSTEM_APP)["result"] == {"status": 5, "isSystemApp": True, "version": 1}
        assert other.open()["result"]["isSystemApp"] is False
        assert app.ask("homes.add", name="Home")["result"]["home"]

    def intruder():
        os.setgroups([])
        os.setgid(65534)
        os.setuid(65534)
        with App(hub) as app:
            return app.open(app=SYSTEM_APP)["result"]

    open_to_all(hub.directory)
    assert in_child(intruder) == {"status": 0, "isSystemApp": False, "version": 1}


def recorded():
    """Sessions of `homehub` of protocol version 1, as lists of `app` and `hub` lines in their order."""
    sessions = {}
    for line in (FIXTURES / "home-protocol-1.jsonl").read_text().splitlines():
        entry = json.loads(line)
        sessions.setdefault(entry.pop("session"), []).append(entry)
    return list(sessions.values())


class Ids:
    """The ids of the recording, and what this hub gave instead."""

    FORM = re.compile(r"[0-9A-F]{8}(-[0-9A-F]{4}){3}-[0-9A-F]{12}")

    def __init__(self):
        self.now = {}

    def sent(self, value):
        """What the app sent, with the ids of now."""
        return json.loads(self.FORM.sub(lambda id: self.now[id[0]], json.dumps(value)))

    def check(self, then, now, where="answer"):
        """Whether an app of then finds in an answer all it knew; members that came later are passed over."""
        assert type(then) is type(now), where
        if isinstance(then, dict):
            assert then.keys() <= now.keys(), where
            for key in then:
                self.check(then[key], now[key], f"{where}.{key}")
        elif isinstance(then, list):
            assert len(then) == len(now), where
            for index, pair in enumerate(zip(then, now)):
                self.check(*pair, f"{where}[{index}]")
        elif isinstance(then, str) and self.FORM.fullmatch(then):
            assert self.now.setdefault(then, now) == now, where
        else:
            assert then == now, where


def test_an_app_of_the_protocol_before_is_served_as_it_was(hub, system_app):
    hub.start(*system_app)
    ids, answers = Ids(), 0
    for session in recorded():
        with hub.connect() as connection:
            lines = connection.makefile("rb")
            for entry in session:
                if "app" in entry:
                    connection.sendall(json.dumps(ids.sent(entry["app"])).encode() + b"\n")
                else:
                    ids.check(entry["hub"], json.loads(lines.readline()))
                    answers += 1
    assert answers > 50


def test_an_app_of_a_protocol_to_come_is_told_who_is_to_be_upgraded(hub):
    hub.start()
    with App(hub) as app, App(hub) as other:
        error = app.open(version=3, newest=5)["error"]
        assert error["code"] == 1003
        assert "versions 3 to 5" in error["message"] and error["message"].endswith("upgrade homehubd")
        assert other.open(newest=5)["result"]["version"] == 2


def in_child(body):
    """What the body returns in a child process."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.write(writing, json.dumps(body()).encode())
        finally:
            os._exit(0)
    os.close(writing)
    with open(reading) as answer:
        text = answer.read()
    os.waitpid(child, 0)
    return json.loads(text)


def stands_still(process):
    """Whether every thread of the process is stopped: the signal alone only asks for it."""
    return {text.rpartition(")")[2].split()[0] for text in threads(process.pid, "stat").values()} == {"T"}


def test_one_users_connections_leave_places_to_others(hub):
    """Six times as many connections as one user may have, and a modest app of another user beside them."""
    hub.start()
    open_to_all(hub.directory)
    said, saying = os.pipe()
    held, holding = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.close(holding)
            os.setgroups([])
            os.setgid(65534)
            os.setuid(65534)
            served, connections = 0, []
            for _ in range(384):
                app = App(hub)
                connections.append(app)
                try:
                    served += "result" in app.open(app="org.example.greedy")
                except (AssertionError, OSError):
                    pass
            os.write(saying, f"{served}\n".encode())
            os.read(held, 1)
        finally:
            os._exit(0)
    os.close(saying)
    os.close(held)
    try:
        with open(said) as answer:
            assert answer.readline() == "64\n"
            with App(hub) as modest:
                assert "result" in modest.open()
    finally:
        os.close(holding)
        os.waitpid(child, 0)
    assert "too many connections of one user" in hub.log


def test_who_connected_and_went_is_not_taken_for_another(hub, system_app):
    """Any other process may hold the connection of one that has ended, and its program is not that of who connected."""
    hub.start(*system_app)
    hub.process.send_signal(signal.SIGSTOP)
    until(lambda: stands_still(hub.process), 5, "the hub stands still")
    ours, theirs = socket.socketpair()
    ours.settimeout(20 * PATIENCE)

    def connect():
        # The system takes the connection for the hub, which stands still and so looks at it after our end.
        connection = hub.connect()
        socket.send_fds(theirs, [b"."], [connection.fileno()])

    in_child(connect)
    _, (held,), _, _ = socket.recv_fds(ours, 1, 1)
    hub.process.send_signal(signal.SIGCONT)
    app = App.__new__(App)
    app.connection, app.number = socket.socket(fileno=held), 0
    app.connection.settimeout(20 * PATIENCE)
    app.lines = app.connection.makefile("rb")
    with app, App(hub) as here, App(hub) as system:
        assert app.open(app="org.example.gone")["result"]["isSystemApp"] is False
        assert here.open(app="org.example.here")["result"]["isSystemApp"] is False
        system.open(app=SYSTEM_APP)
        known = {one["app"]["app"]: one["app"]["executable"] for one in system.ask("privacy.list")["result"]}
    assert known == {"org.example.gone": "", "org.example.here": os.path.realpath("/proc/self/exe")}


def test_what_was_acknowledged_survives_a_kill(hub, system_app):
    rooms, under_way = set(), set()
    for round in range(4):
        hub.start(*system_app)
        with App(hub) as app:
            assert app.open(app=SYSTEM_APP)["result"]["isSystemApp"]
            homes = app.ask("homes.list")["result"]["homes"]
            found = {room["name"] for home in homes for room in home["rooms"]}
            assert rooms <= found <= rooms | under_way
            home = homes[0]["id"] if homes else app.ask("homes.add", name="Home")["result"]["home"]
            # So many, and not as many as some time allows: a home has 512 rooms at most.
            for number in range(50):
                name = f"Room {round} {number}"
                assert "result" in app.ask("rooms.add", home=home, name=name)
                rooms.add(name)
            # One more is under way.
            app.connection.sendall(json.dumps({
                "jsonrpc": "2.0", "id": 0, "method": "rooms.add", "params": {"home": home, "name": f"Last {round}"}
            }).encode() + b"\n")
            under_way.add(f"Last {round}")
            hub.process.kill()
            hub.process.wait()


def test_two_hubs_never_share_a_database(hub):
    hub.start()
    second = subprocess.run(hub.arguments(), capture_output=True, text=True, timeout=20 * PATIENCE)
    assert second.returncode == 69
    assert f"process {hub.process.pid}" in second.stderr, second.stderr


def test_a_damaged_database_is_named_and_left_alone(hub):
    hub.start()
    assert hub.terminate()[0] == 0
    (hub.state / "home.sqlite").write_bytes(b"this is no database")
    done = subprocess.run(hub.arguments(), capture_output=True, text=True, timeout=20 * PATIENCE)
    assert done.returncode == 65
    assert "home.sqlite.backup" in done.stderr
    assert (hub.state / "home.sqlite").read_bytes() == b"this is no database"


def test_a_lost_identity_is_named_and_left_alone(hub):
    """No accessory lets in who has another one."""
    hub.start()
    assert hub.terminate()[0] == 0
    database = hub.state / "home.sqlite"
    with contextlib.closing(sqlite3.connect(database)) as connection, connection:
        connection.execute("DELETE FROM controller")
        connection.execute("INSERT INTO pairing VALUES ('AA:BB:CC:DD:EE:FF', zeroblob(32))")
    done = subprocess.run(hub.arguments(), capture_output=True, text=True, timeout=20 * PATIENCE)
    assert done.returncode == 65
    assert "the identity is missing" in done.stderr and "home.sqlite.backup" in done.stderr
    with contextlib.closing(sqlite3.connect(database)) as connection:
        assert connection.execute("SELECT COUNT(*) FROM controller").fetchone() == (0,)


@pytest.mark.parametrize("text, code, part", [
    ("restirct: {}\n", 78, ":1:1: restirct: "),
    ("restrict: {users: [no such user]}\n", 78, "restrict.users[0]"),
    ("interfaces: [\n", 78, ":2:"),
    (None, 66, "no such file"),
])
@pytest.mark.parametrize("check", [True, False], ids=["checked", "started"])
def test_a_wrong_configuration_is_one_line_and_touches_nothing(hub, tmp_path, text, code, part, check):
    path = tmp_path / "homehub.yaml"
    if text is not None:
        path.write_text(text)
    options = ["--config", path] + (["--check-config"] if check else [])
    done = subprocess.run(hub.arguments(*options), capture_output=True, text=True, timeout=20 * PATIENCE)
    assert done.returncode == code
    assert done.stderr.count("\n") == 1 and part in done.stderr, done.stderr
    assert not hub.state.exists()


def test_without_avahi_it_says_so_and_goes_on(hub):
    """Outside the pretend LAN there is a bus for no app."""
    environment = {**os.environ, "DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nowhere"}
    with open(hub.log_path, "ab") as log:
        hub.process = subprocess.Popen(list(map(str, hub.arguments())), stderr=log, env=environment)
    until(hub._answers, 20, "homehubd answers on its socket")
    until(lambda: "discovery failed" in hub.log, 10, "it says so")
    with App(hub) as app:
        assert "result" in app.open()
    assert hub.terminate()[0] == 0
