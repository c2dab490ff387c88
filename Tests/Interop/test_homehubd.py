"""The process homehubd: start, reload, restart and end."""

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

import pytest

from home import HomeDaemon
from lan import PATIENCE, open_to_all, threads, until

SYSTEM_APP = "org.lamplighter.homehub"
FIXTURES = pathlib.Path(__file__).resolve().parent.parent / "Fixtures"


class App:
    """A connection of an app that ignores notifications."""

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
            assert line, "the hub closed the connection"
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
    made = HomeDaemon(lan.phone, tmp_path)
    yield made
    made.close()


@pytest.fixture
def system_app(hub):
    """Make this Python program the system app."""
    hub.configuration_path.write_text(f"system-app: {os.path.realpath('/proc/self/exe')}\n")


def test_hub_answers_apps_and_ends_within_five_seconds(hub):
    hub.start()
    assert stat.S_IMODE(os.stat(hub.socket).st_mode) == 0o666
    assert stat.S_IMODE(os.stat(hub.state_directory / "home.sqlite").st_mode) == 0o600
    with App(hub) as app:
        assert app.ask("homes.list")["error"]["code"] == -32600, "nothing is sent before the session is open"
        # The user hasn't decided yet.
        assert app.open()["result"] == {"status": 0, "isSystemApp": False, "version": 1}
        assert (hub.terminate(timeout=5), app.lines.read()) == (0, b"")
    assert not hub.socket.exists()
    hub.start()


def test_restrictions_take_effect_on_reload(hub):
    path = hub.configuration_path
    path.write_text("restrict: {apps: []}\n")
    hub.start()
    with App(hub) as app:
        assert app.open()["result"]["status"] == 0
        path.write_text("restrict: {apps: [org.example.test]}\nvendor-patience: 5s\n")
        hub.process.send_signal(signal.SIGHUP)
        told = json.loads(app.lines.readline())
        assert (told["method"], told["params"]) == ("authorizationStatusUpdated", {"status": 3})
        assert app.ask("homes.list")["error"]["code"] == 47
    until(lambda: "configuration change deferred" in hub.log, 10, "the deferred change is logged")
    path.write_text("restrict: {app: []}\n")
    hub.process.send_signal(signal.SIGHUP)
    until(lambda: "configuration rejected" in hub.log, 10, "the mistake is logged")
    with App(hub) as app:
        assert app.open()["result"]["status"] == 3


def test_system_app_is_recognized_by_user_program_and_id(hub, system_app):
    hub.start()
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
    """Return recorded sessions of `homehub` with protocol version 1, as lists of `app` and `hub` lines in order."""
    sessions = {}
    for line in (FIXTURES / "home-protocol-1.jsonl").read_text().splitlines():
        entry = json.loads(line)
        sessions.setdefault(entry.pop("session"), []).append(entry)
    return list(sessions.values())


class Ids:
    """Maps the ids of the recording to those of this hub."""

    FORM = re.compile(r"[0-9A-F]{8}(-[0-9A-F]{4}){3}-[0-9A-F]{12}")

    def __init__(self):
        self.now = {}

    def sent(self, value):
        """Return the app's message with current ids."""
        return json.loads(self.FORM.sub(lambda id: self.now[id[0]], json.dumps(value)))

    def check(self, then, now, where="answer"):
        """Check that an answer contains all members that an old app knows. Newer members are ignored."""
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


def test_app_with_protocol_version_1_is_served(hub, system_app):
    hub.start()
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


def in_child(body):
    """Run the body in a child process, and return its result."""
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
    """Return whether all threads of the process are stopped, which happens some time after the signal."""
    return {text.rpartition(")")[2].split()[0] for text in threads(process.pid, "stat").values()} == {"T"}


def test_connection_of_an_ended_process_has_no_program(hub, system_app):
    """Another process may hold the connection of an ended one."""
    hub.start()
    hub.process.send_signal(signal.SIGSTOP)
    until(lambda: stands_still(hub.process), 5, "the hub is stopped")
    ours, theirs = socket.socketpair()
    ours.settimeout(20 * PATIENCE)

    def connect():
        # The kernel accepts the connection. The stopped hub handles it after this process has ended.
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


def test_acknowledged_changes_survive_a_kill(hub, system_app):
    rooms, under_way = set(), set()
    for round in range(4):
        hub.start()
        with App(hub) as app:
            assert app.open(app=SYSTEM_APP)["result"]["isSystemApp"]
            homes = app.ask("homes.list")["result"]["homes"]
            found = {room["name"] for home in homes for room in home["rooms"]}
            assert rooms <= found <= rooms | under_way
            home = homes[0]["id"] if homes else app.ask("homes.add", name="Home")["result"]["home"]
            # A home has at most 512 rooms.
            for number in range(50):
                name = f"Room {round} {number}"
                assert "result" in app.ask("rooms.add", home=home, name=name)
                rooms.add(name)
            # One more may be in flight.
            app.connection.sendall(json.dumps({
                "jsonrpc": "2.0", "id": 0, "method": "rooms.add", "params": {"home": home, "name": f"Last {round}"}
            }).encode() + b"\n")
            under_way.add(f"Last {round}")
            hub.process.kill()
            hub.process.wait()


def test_two_hubs_never_share_a_database(hub):
    hub.start()
    second = subprocess.run(hub.arguments, capture_output=True, text=True, timeout=20 * PATIENCE)
    assert second.returncode == 69
    assert f"process {hub.process.pid}" in second.stderr, second.stderr


def test_damaged_database_is_reported_and_left_unchanged(hub):
    hub.start()
    assert hub.terminate() == 0
    (hub.state_directory / "home.sqlite").write_bytes(b"this is no database")
    done = subprocess.run(hub.arguments, capture_output=True, text=True, timeout=20 * PATIENCE)
    assert done.returncode == 65
    assert "home.sqlite.backup" in done.stderr
    assert (hub.state_directory / "home.sqlite").read_bytes() == b"this is no database"


def test_lost_identity_is_reported_and_not_replaced(hub):
    """Accessories would reject a new identity."""
    hub.start()
    assert hub.terminate() == 0
    database = hub.state_directory / "home.sqlite"
    with contextlib.closing(sqlite3.connect(database)) as connection, connection:
        connection.execute("DELETE FROM controller")
        connection.execute("INSERT INTO pairing VALUES ('AA:BB:CC:DD:EE:FF', zeroblob(32))")
    done = subprocess.run(hub.arguments, capture_output=True, text=True, timeout=20 * PATIENCE)
    assert done.returncode == 65
    assert "the identity is missing" in done.stderr and "home.sqlite.backup" in done.stderr
    with contextlib.closing(sqlite3.connect(database)) as connection:
        assert connection.execute("SELECT COUNT(*) FROM controller").fetchone() == (0,)


@pytest.mark.parametrize("text, code, part", [
    ("restirct: {}\n", 78, ":1:1: restirct: "), (None, 66, "doesn't exist"),
])
@pytest.mark.parametrize("check", [True, False], ids=["checked", "started"])
def test_invalid_configuration_prints_one_line_and_creates_nothing(hub, text, code, part, check):
    hub.configuration_path.write_text(text) if text else hub.configuration_path.unlink()
    done = subprocess.run(hub.arguments + ["--check-config"] * check, capture_output=True, text=True, timeout=20 * PATIENCE)
    assert done.returncode == code
    assert done.stderr.count("\n") == 1 and part in done.stderr, done.stderr
    assert not any(hub.state_directory.iterdir())


def test_hub_runs_without_avahi(hub):
    """The host has no D-Bus either."""
    environment = {**os.environ, "DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nowhere"}
    with open(hub.log_path, "ab") as log:
        hub.process = subprocess.Popen(list(map(str, hub.arguments)), stderr=log, env=environment)
    until(hub._answers, 20, "homehubd answers on its socket")
    until(lambda: "discovery failed" in hub.log, 10, "the log reports it")
    with App(hub) as app:
        assert "result" in app.open()
    assert hub.terminate() == 0
