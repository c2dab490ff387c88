"""A full or read-only disk. Operations that don't need the disk continue, and writes are rejected as a whole."""

import contextlib
import json
import subprocess

import pytest

import hap
from conftest import LIGHTS, configuration
from controllers import shape
from daemon import program
from home import HomeDaemon
from lan import until

ANOTHER = configuration(lights=[*LIGHTS, {"id": "lamp", "name": "Lamp"}], advertise="none")
SMALL = "900k"


class Disk:
    """A small disk for a daemon's state directory, mounted only on its host."""

    def __init__(self, host, path):
        self.host, self.path = host, path
        host.run("mount", "-t", "tmpfs", "-o", f"size={SMALL},mode=700", "tmpfs", path)

    def fill(self):
        self.host.run("sh", "-c", f"cat /dev/zero > {self.path}/filler", check=False)

    def make_room(self):
        self.host.run("rm", f"{self.path}/filler")

    def forbid_writing(self):
        self.host.run("mount", "-o", "remount,ro", self.path)

    def allow_writing(self):
        self.host.run("mount", "-o", "remount,rw", self.path)

    @property
    def files(self):
        return set(self.host.run("ls", self.path).stdout.split())

    def integrity(self, name):
        """Return the result of SQLite's integrity check of a database that isn't in use."""
        look = f"import sqlite3; print(sqlite3.connect('{self.path}/{name}').execute('PRAGMA integrity_check').fetchall())"
        return self.host.run("python3", "-c", look).stdout.strip()

    def close(self):
        self.host.run("umount", "-l", self.path, check=False)


@pytest.fixture
def make_disk():
    made = []

    def make(host, path):
        made.append(Disk(host, path))
        return made[-1]

    yield make
    for disk in made:
        disk.close()


@pytest.fixture
def stored(make_daemon, make_disk, lan):
    """A paired bridge on a small disk: the daemon, the disk, and the controller's identity and accessory."""
    daemon = make_daemon(configuration(advertise="none"), start=False)
    disk = make_disk(lan.bridge, daemon.state_directory)
    daemon.start()
    daemon.until(lambda status: status["lights"]["reachable"] == 3)
    return daemon, disk


def on_of(session, aid):
    accessories = session.get("/accessories").json["accessories"]
    return next(iid for accessory, _, _, iid, kind in shape(accessories) if accessory == aid and kind == "25")


def add(session, other):
    return session.post("/pairings", (hap.STATE, 1), (hap.METHOD, hap.ADD), (hap.IDENTIFIER, other.id),
                        (hap.PUBLIC_KEY, other.public), (hap.PERMISSIONS, 0)).tlv.get(hap.ERROR)


def try_to_pair(lan, daemon, identity):
    """Pair, and return the error of M6 or the accessory."""
    with hap.Connection(lan.bridge.address, daemon.status["port"]) as connection:
        setup = hap.PairSetup(connection, daemon.setup_code_anyway)
        assert hap.ERROR not in setup.m1() and hap.ERROR not in setup.m3()
        m6 = setup.m5(setup.m5_payload(identity))
        return m6[hap.ERROR][0] if hap.ERROR in m6 else setup.accessory(m6)


async def test_bridge_keeps_serving_on_a_full_disk_and_stores_again_once_space_is_free(stored, lan, tmp_path):
    daemon, disk = stored
    me, other = hap.Identity(), hap.Identity()
    disk.fill()
    # No state needs to be stored yet.
    daemon.until(lambda status: any(
        warning.startswith(f"the disk of {disk.path} is full: 0 KiB are left") for warning in status["warnings"]), 5)
    assert try_to_pair(lan, daemon, me) == hap.UNKNOWN
    assert not daemon.status["paired"]
    assert any("is full" in warning and str(disk.path) in warning for warning in daemon.status["warnings"])
    disk.make_room()
    accessory = try_to_pair(lan, daemon, me)
    assert daemon.status["paired"]
    assert not any("is full" in warning for warning in daemon.status["warnings"])

    disk.fill()
    aid = daemon.lights["simulated/reading"]["aid"]
    with hap.session(lan.bridge.address, daemon.status["port"], me, accessory) as session:
        on = on_of(session, aid)
        for value in (True, False, True):
            write = {"characteristics": [{"aid": aid, "iid": on, "value": value}]}
            assert session.put("/characteristics", write).status == 204
        assert daemon.lights["simulated/reading"]["on"] is True
        for _ in range(20):
            assert add(session, other) == bytes([hap.UNKNOWN])
        assert [entry["id"].encode() for entry in daemon.cli("pairings", "--json")] == [me.id]
        for command in (["pairings", "remove", me.id.decode()], ["pairings", "remove", "--all", "--yes"], ["backup", tmp_path / "b"]):
            refused = daemon.cli(*command, check=False)
            assert refused.returncode == 74, refused
            assert refused.stderr.count("\n") == 1
        assert not (tmp_path / "b").exists()
        assert session.get("/accessories").status == 200, "no controller was disconnected"
    daemon.configure(ANOTHER)
    daemon.cli("reload")
    assert daemon.log.count("pairing save failed") <= 6, "repeated errors are counted, not logged"

    # The bridge also starts and serves in this state, after a shutdown and after a kill.
    for end in (daemon.kill, daemon.terminate):
        end()
        disk.fill()
        daemon.start()
        assert daemon.status["paired"]
    with hap.session(lan.bridge.address, daemon.status["port"], me, accessory) as session:
        assert session.put(
            "/characteristics", {"characteristics": [{"aid": aid, "iid": on, "value": False}]}).status == 204
        disk.make_room()
        assert add(session, other) is None
        until(lambda: "simulated/lamp" in daemon.lights, 15, "the lamp that couldn't be stored is added")
    assert not any("store" in warning or "full" in warning for warning in daemon.status["warnings"])
    daemon.kill()
    daemon.start()
    assert sorted(entry["id"].encode() for entry in daemon.cli("pairings", "--json")) == sorted([me.id, other.id])
    assert daemon.terminate()[0] == 0
    assert disk.integrity("bridge.sqlite") == "[('ok',)]"
    assert not [name for name in disk.files if name.endswith((".new", ".export", ".restored", "-journal"))], disk.files


def test_commands_that_write_fail_on_a_full_disk_and_change_nothing(stored, lan, tmp_path):
    daemon, disk = stored
    backup = tmp_path / "backup"
    daemon.cli("backup", backup)
    daemon.configure(configuration(lights=LIGHTS[1:], advertise="none"))
    daemon.cli("reload")
    before = daemon.until(lambda status: status["lights"]["count"] == 2)
    gone = next(iter(daemon.lights))
    daemon.cli("simulate", gone, "reachable=false")
    disk.fill()
    for words, refusal in ((["reset", "--yes"], "nothing was reset"), (["restore", "--yes", backup], "nothing was restored"),
                           (["backup", tmp_path / "b"], "no backup was made"),
                           (["lights", "purge"], "no device was removed"),
                           (["lights", "forget", gone], f"controllers no longer show {gone}, but")):
        refused = daemon.cli(*words, check=False)
        assert refused.returncode == 74 and refused.stdout == "", refused
        assert refused.stderr.startswith(f"lamplighter: {refusal}") and refused.stderr.endswith(
            f": the disk is full; make room in {disk.path}\n"), refused.stderr
    for key in ("deviceId", "since"):
        assert daemon.status[key] == before[key]
    daemon.terminate()
    disk.fill()
    # The small disk is mounted only on the bridge's host.
    refused = lan.bridge.run(
        program("lamplighter"), "--control", daemon.socket, "restore", "--yes", "--state-directory",
        daemon.state_directory, backup, check=False)
    assert refused.returncode == 74 and f"the disk is full; make room in {disk.path}" in refused.stderr, refused
    assert not (tmp_path / "b").exists()
    daemon.start()
    assert daemon.status["deviceId"] == before["deviceId"]


KILLED = "didn't answer, so the change may or may not be stored"


@pytest.mark.parametrize("words, answer", [
    (["reset", "--yes"], KILLED), (["backup", "NEW"], "lamplighterd closed the connection")])
def test_command_reports_an_unknown_result_if_the_daemon_is_killed(words, answer, make_daemon, tmp_path):
    # Without lights, whose states are stored ten seconds after the start, the command is the first write.
    daemon = make_daemon(configuration(lights=[], advertise="none"))
    identity = daemon.status["deviceId"]
    with tracing(daemon, "-e", "trace=fsync,fdatasync", "-e", "inject=fsync,fdatasync:signal=KILL"):
        words = [tmp_path / word if word.isupper() else word for word in words]
        refused = daemon.cli(*words, check=False)
        assert refused.returncode == 69 and answer in refused.stderr, refused
        daemon.process.wait(10)
    assert not (tmp_path / "NEW").exists()
    daemon.start()
    assert daemon.status["deviceId"] == identity, "it was killed before the first flush"


@pytest.mark.parametrize("failure, code, part", [("full", 74, "full"), ("read-only", 73, "Read-only file system")])
@pytest.mark.parametrize("what", ["lamplighterd", "homehubd"])
def test_first_start_reports_an_unwritable_directory(what, failure, code, part, lan, tmp_path, make_disk):
    state = tmp_path / "state"
    state.mkdir()
    disk = make_disk(lan.bridge, state)
    disk.fill() if failure == "full" else disk.forbid_writing()
    settings = tmp_path / "settings.yaml"
    settings.write_text(json.dumps(configuration(advertise="none")) if what == "lamplighterd" else "")

    def start():
        process = lan.bridge.popen(
            program(what), "--config", settings, "--state-directory", state, "--runtime-directory", tmp_path / "run",
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        said = process.communicate(timeout=20)
        return process.returncode, said[1]

    found, said = start()
    assert found == code and str(state) in said and part in said, (found, said)
    assert not disk.files & {"bridge.sqlite", "home.sqlite"}


@contextlib.contextmanager
def tracing(daemon, *options):
    tracer = subprocess.Popen(
        ["strace", "-f", "-o", str(daemon.directory / "strace"), *options, "-p", str(daemon.process.pid)],
        stderr=subprocess.PIPE)
    try:
        assert b"attached" in tracer.stderr.readline()
        yield
    finally:
        tracer.terminate()
        tracer.communicate(timeout=20)


def test_hub_on_a_full_disk_rejects_changes(make_daemon, make_disk, lan, tmp_path):
    bridge = make_daemon(configuration("Demo"))
    bridge.until_published()
    with lan.add_host("hub", "10.77.0.3") as host:
        home = HomeDaemon(host, tmp_path / "h")
        disk = make_disk(host, home.state_directory)
        try:
            home.start()
            home.cli("homes", "add", "House")
            home.cli("rooms", "add", "Kitchen")
            until(lambda: home.is_discovering, 20, "the home's host has its name")
            disk.fill()
            for command in (["rooms", "add", "Larder"], ["homes", "add", "Castle"], ["rooms", "rename", "kitchen", "X"],
                            ["add", "--code", bridge.setup_code, "--device", bridge.status["deviceId"], "--yes"]):
                refused = home.cli(*command, check=False)
                outcome = "nothing was added" if command[0] == "add" else "nothing was changed"
                assert refused.returncode == 74 and refused.stderr.endswith(
                    f"{outcome}: the disk is full; make room in {disk.path}\n"), refused
            assert [each["name"] for each in home.cli("homes", "--json")] == ["House"]
            assert not bridge.status["paired"], "an accessory that can't be stored isn't added"
            disk.make_room()
            home.cli("rooms", "add", "Larder")
            home.add(bridge.setup_code, bridge.status["deviceId"])
            disk.fill()
            # Existing connections continue, and the hub can start.
            home.terminate()
            disk.fill()
            home.start()
            until(lambda: all(each.get("isReachable", True) for each in home.cli("accessories", "--json")), 20, "it is reachable")
            home.cli("write", "reading lamp", "on=yes")
            assert bridge.lights["simulated/reading"]["on"] is True
            refused = home.cli("rooms", "remove", "larder", check=False)
            assert refused.returncode == 74 and "the disk is full" in refused.stderr, refused
            disk.make_room()
            home.cli("rooms", "remove", "larder")
            home.terminate()
            assert disk.integrity("home.sqlite") == "[('ok',)]"
        finally:
            home.close()
