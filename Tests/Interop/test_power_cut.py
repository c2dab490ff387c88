"""After a kill or a power cut at any write, a store opens in its old or its new state.

The daemons perform a series of changes under strace. From the recording, the tests build every state that a disk can have after
an interruption at any call (power_cut.py), and open each one. It must be one of the store's states, and not older than the last
acknowledged one. The store's own states are checked, too: between two acknowledgments, related data is either old or new, never
mixed. In addition, daemons are killed at random calls.

`make test-all` runs a sample; `make power-cut` runs everything (POWER_CUT=all).
"""

import contextlib
import json
import math
import os
import random
import shutil
import sqlite3
import subprocess
import tempfile
import time
from pathlib import Path

import pytest

import hap
from conftest import LIGHTS, configuration
from daemon import Daemon, program
from home import HomeDaemon
from lan import until
from power_cut import KILLABLE, Disk, Recording, lay_out, tracer

ALL = os.environ.get("POWER_CUT") == "all"
SEED = int(os.environ.get("POWER_CUT_SEED", random.randrange(2**32)))
NOTHING = "nothing"


def lot(name):
    print(f"POWER_CUT_SEED={SEED}")  # shown by pytest when the test fails
    return random.Random(f"{SEED} {name}")


def on_phone(lan, body):
    """Run a function in the network of the host `phone`."""
    async def run():
        return body()

    return lan.phone.run_async(run())


# The content of a store


def dump(path):
    """Return the content of a database after SQLite's integrity check."""
    with contextlib.closing(sqlite3.connect(path)) as database:
        # The copy isn't needed afterwards.
        database.execute("PRAGMA synchronous = OFF")
        assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert database.execute("PRAGMA foreign_key_check").fetchall() == []
        tables = database.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name").fetchall()
        return {
            table: sorted(database.execute(f'SELECT * FROM "{table}"').fetchall(), key=repr)
            for (table,) in tables if table != "sqlite_sequence"}


def database_dump(place, name):
    path = place / name
    return dump(path) if path.exists() else NOTHING


def bridge_dump(place):
    """Return the content of a bridge's state directory. A restored backup counts as soon as it must replace the database."""
    successor = place / "bridge.sqlite.successor"
    return dump(successor) if successor.exists() else database_dump(place, "bridge.sqlite")


def home_dump(place):
    return database_dump(place, "home.sqlite")


# Related data changes together or not at all, regardless of other changes in the same step.


def bridge_parts(state):
    """Return the independent parts of a bridge's store."""
    if state == NOTHING or not state["server"]:
        rest = {} if state == NOTHING else {table: state[table] for table in ("pairing", "light") if state[table]}
        return {"nothing without an identity": rest} if rest else {}
    row = state["server"][0]
    # A light's last state (5) is stored from time to time.
    lights = {f"light {light[0]}/{light[1]}": light[:5] + light[6:] for light in state["light"]}
    # An aid that isn't recorded as used would be reused.
    unknown = [light for light in state["light"] for (_, highest) in state.get("lightBridge", []) if light[2] > highest]
    if unknown:
        lights["aids above the highest"] = tuple(unknown)
    return {
        "identity and pairings": (row[1:5], tuple(state["pairing"])), "wrong codes": row[5], "c#": row[6:8],
        "its own iids": row[8], **({} if row[9] is None else {"its port": row[9]}), **lights}


def bridge_beginning(part, seen):
    """Return whether a state is that of a new or reset bridge that hasn't started yet."""
    return (part, seen) in [("c#", (1, b"")), ("its own iids", "{}"), ("wrong codes", 0)]


def home_parts(state):
    """Return the independent parts of a home's store."""
    if state == NOTHING:
        return {}
    separate = {"controller": "the hub's identity", "pairing": "pairings", "permission": "answers about apps"}
    rest = {table: rows for table, rows in state.items() if table not in separate and table != "grdb_migrations"}
    # Values (7, 8) arrive from accessories at any time.
    rest["characteristic"] = [row[:7] for row in rest["characteristic"]]
    parts = {name: state[table] for table, name in separate.items()}
    return {name: rows for name, rows in {**parts, "homes": rest}.items() if any(rows.values() if rows is rest else rows)}


def nothing_between(parts, beginning, before, after, seen):
    """Return the parts of a state that equal neither the state before a step nor the one after it."""
    before, after, seen = parts(before), parts(after), parts(seen)
    faults = []
    for part in before.keys() | after.keys() | seen.keys():
        found, allowed = seen.get(part, NOTHING), [before.get(part, NOTHING), after.get(part, NOTHING)]
        if found not in allowed and not beginning(part, found):
            # c# can rise more than once in a step; its number and its hash belong together.
            if part == "c#" and NOTHING not in (found, *allowed) and len(found[1]) == 64 and (
                    found[0] <= allowed[1][0]):
                continue
            faults.append(f"{part}: {str(found)[:300]} is neither {str(allowed[0])[:300]} nor {str(allowed[1])[:300]}")
    return faults


class Milestone:
    """An acknowledged change, and a function that finds it in the store."""

    def __init__(self, name, time, holds):
        self.name, self.time, self.holds = name, time, holds


class History:
    """The history of a store, call by call."""

    def __init__(self, recording, milestones, look, parts, beginning=lambda part, seen: False):
        self.recording, self.look = recording, look
        self.between = lambda *states: nothing_between(parts, beginning, *states)
        # A short path, because of the limit for sockets.
        self.folder = tempfile.TemporaryDirectory(prefix="cut")
        self.calls = recording.calls()
        self.milestones = milestones
        self.count = 0
        self.states = []
        disk = Disk(recording.folder)
        last = None
        for index in range(len(self.calls) + 1):
            state = disk.after_kill()
            key = self._key(state)
            if key != last:
                last, seen = key, self.open(state, look)
            self.states.append(seen)
            if index < len(self.calls):
                disk.apply(self.calls[index])
        for milestone in milestones:
            number = self._ended_before(milestone.time)
            assert milestone.holds(self.states[number]), f"{milestone.name} was acknowledged but isn't stored"
        self._judge()

    def _judge(self):
        """Check that no state between two acknowledgments contains half of a change."""
        acknowledged = [NOTHING] + [self.states[self._ended_before(each.time)] for each in self.milestones]
        acknowledged.append(self.states[-1])
        names = [each.name for each in self.milestones] + ["the end"]
        last = None
        for index, state in enumerate(self.states[1:]):
            step = sum(each.time <= self.calls[index].began for each in self.milestones)
            if (step, state) == last:
                continue
            last = step, state
            faults = self.between(acknowledged[step], acknowledged[step + 1], state)
            assert not faults, f"half of {names[step]} after call {index + 1}, {self.calls[index]}: {faults}"

    @staticmethod
    def _key(state):
        return hash(tuple(sorted(state.items())))

    def _ended_before(self, moment):
        return sum(call.ended <= moment for call in self.calls)

    def open(self, state, look):
        self.count += 1
        place = lay_out(state, self.recording.folder, Path(self.folder.name) / f"s{self.count}")
        try:
            return look(place)
        finally:
            shutil.rmtree(place, ignore_errors=True)

    def allowed(self, point):
        """Return the allowed states after an interruption at this call. None is older than the last acknowledged one."""
        until = self.calls[point].began if point < len(self.calls) else math.inf
        known = [self._ended_before(milestone.time) for milestone in self.milestones if milestone.time <= until]
        return self.states[max(known, default=0):point + 1]

    def crashes(self, moment, points, tries):
        """Return states after a kill, a power cut, and this number of variants of a power cut at each of these points."""
        disk, seen = Disk(self.recording.folder), set()
        for point in range(len(self.calls) + 1):
            if point in points:
                ends = [("killed", disk.after_kill()), ("power cut", disk.after_power_cut(moment, "nothing"))]
                ends += [(f"power cut {number}", disk.after_power_cut(moment)) for number in range(tries)]
                if tries:
                    ends += [("power cut and a name lost", state) for state in disk.after_lost_names()]
                for kind, state in ends:
                    key = self._key(state), point if kind == "killed" else self._ended_before(self.calls[point - 1].began)
                    if key not in seen:
                        seen.add(key)
                        yield point, kind, state
            if point < len(self.calls):
                disk.apply(self.calls[point])

    def check(self, point, seen):
        allowed = self.allowed(point)
        if seen in allowed:
            return
        rest = self.calls[point].began if point < len(self.calls) else math.inf
        last = [milestone.name for milestone in self.milestones if milestone.time <= rest][-1:]
        kind = "an older state" if seen in self.states else "neither old nor new"
        raise AssertionError(
            f"{kind}; last acknowledged {last}; of {len(allowed)} allowed {str(allowed[-1])[:1200]}; found {str(seen)[:1200]}")

    def examine(self, crashes, look):
        """Open each of these states, report all errors, and return the number of states."""
        count, faults = 0, []
        for point, kind, state in crashes:
            count += 1
            try:
                self.check(point, self.open(state, look))
            except AssertionError as fault:
                call = self.calls[point - 1] if point else "nothing"
                faults.append(f"{kind} after call {point}, {call}: {fault}".replace(self.recording.folder, ""))
        if faults:
            pytest.fail("\n".join([f"{len(faults)} of {count} states:"] + faults[:3] + faults[3:][-20::4]), pytrace=False)
        return count

    def points(self, moment, count):
        """Return all points, or this number of evenly spread ones."""
        every = range(len(self.calls) + 1)
        if ALL or len(every) <= count:
            return set(every)
        width = len(every) / count
        return {min(len(every) - 1, int(width * (number + moment.random()))) for number in range(count)}


# The bridge


LAMP = {"id": "lamp", "name": "Lamp", "brightness": True}
SETTINGS = configuration(advertise="none")
ANOTHER = configuration(lights=[{**LIGHTS[0], "name": "Desk Lamp"}, *LIGHTS[1:], LAMP], advertise="none")


class BridgeLife:
    """The life of a bridge, step by step, with the acknowledged changes."""

    def __init__(self, daemon, backup, address):
        self.daemon, self.backup, self.address = daemon, backup, address
        self.milestones = []
        #: The content of the store after the current step.
        self.under_way = None
        self.me, self.guest = hap.Identity(), hap.Identity()

    def step(self, name, action, holds=lambda state: True):
        self.under_way = holds
        action()
        self.milestones.append(Milestone(name, time.time(), holds))
        self.under_way = None

    def live(self):
        both = self.pairings(self.me, self.guest)
        self.step("the first start", self.daemon.start, lambda state: len(state["server"]) == 1)
        self.step("a failed attempt", self.fail_to_pair, lambda state: state["server"][0][5] == 1)
        self.step("the pairing", self.pair, self.pairings(self.me))
        self.step("a second pairing", self.add_guest, both)
        self.daemon.cli("lights", "set", "simulated/reading", "on=true", "brightness=40")
        self.step("another configuration", self.reload, lambda state: any("lamp" in row for row in state["light"]))
        self.step("a backup", lambda: self.daemon.cli("backup", self.backup), both)
        self.step("a start after a kill", self.kill_and_start, both)
        self.step("a pairing less", self.remove_guest, self.pairings(self.me))
        self.step("the reset", self.reset, self.pairings())
        self.step("the restore", self.restore, both)

    @staticmethod
    def pairings(*identities):
        wanted = sorted(identity.id for identity in identities)
        return lambda state: sorted(row[2] for row in state["pairing"]) == wanted

    def session(self):
        return hap.session(self.address, self.daemon.status["port"], self.me, self.accessory)

    def fail_to_pair(self):
        code = self.daemon.setup_code
        with hap.Connection(self.address, self.daemon.status["port"]) as connection:
            setup = hap.PairSetup(connection, "123-45-679" if code != "123-45-679" else "123-45-670")
            assert hap.ERROR not in setup.m1()
            assert setup.m3()[hap.ERROR] == bytes([hap.AUTHENTICATION])

    def pair(self):
        with hap.Connection(self.address, self.daemon.status["port"]) as connection:
            self.accessory = hap.pair_setup(connection, self.daemon.setup_code, self.me)

    def add_guest(self):
        with self.session() as session:
            added = session.post("/pairings", (hap.STATE, 1), (hap.METHOD, hap.ADD), (hap.IDENTIFIER, self.guest.id),
                                 (hap.PUBLIC_KEY, self.guest.public), (hap.PERMISSIONS, 0))
            assert hap.ERROR not in added.tlv

    def remove_guest(self):
        with self.session() as session:
            removed = session.post(
                "/pairings", (hap.STATE, 1), (hap.METHOD, hap.REMOVE), (hap.IDENTIFIER, self.guest.id))
            assert hap.ERROR not in removed.tlv

    def reload(self):
        """Add a light, and change a name."""
        number = self.daemon.status["configurationNumber"]
        self.daemon.configure(ANOTHER)
        self.daemon.cli("reload")
        self.daemon.until(lambda status: status["configurationNumber"] > number)

    def kill_and_start(self):
        self.daemon.kill()
        self.daemon.start()

    def reset(self):
        self.begin_again("reset", "--yes")

    def restore(self):
        self.begin_again("restore", "--yes", self.backup)

    def begin_again(self, *command):
        former = self.daemon.status["deviceId"]
        self.daemon.cli(*command)

        def is_another():
            assert self.daemon.is_running
            with contextlib.suppress(AssertionError):
                return self.daemon.status["deviceId"] != former

        until(is_another, 10, f"another identity after {command[0]}")

    def restore_at_rest(self, wrapper):
        """Restore after the daemon was killed, when much of its data is in the write-ahead log."""
        self.daemon.kill()
        command = [*wrapper, program("lamplighterd"), "--restore", "--state-directory", self.daemon.state_directory]
        with open(self.backup, "rb") as backup:
            done = subprocess.run(list(map(str, command)), stdin=backup, capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done


def recorded_bridge(make_daemon, lan, tmp_path):
    daemon = make_daemon(SETTINGS, start=False)
    shutil.rmtree(daemon.state_directory)
    # The daemon creates the folder itself.
    daemon.state_directory = tmp_path / "recorded" / "state"
    daemon.state_directory.parent.mkdir()
    recording = Recording(daemon.state_directory.parent, tmp_path / "strace")
    life = BridgeLife(daemon, tmp_path / "bridge.backup", lan.bridge.address)

    start = daemon.start_without_waiting

    def start_recorded():
        daemon.wrapper = recording.wrapper
        start()

    daemon.start_without_waiting = start_recorded
    on_phone(lan, life.live)
    both = life.pairings(life.me, life.guest)
    life.step("one pairing less again", lambda: on_phone(lan, life.remove_guest), life.pairings(life.me))
    life.step("a restore while stopped", lambda: life.restore_at_rest(recording.wrapper), both)
    life.step("the last start", daemon.start, both)
    daemon.terminate()
    return life, bridge_history(recording, life.milestones)


def bridge_history(recording, milestones):
    return History(
        recording, milestones, lambda place: bridge_dump(place / "state"), bridge_parts, bridge_beginning)


def opened_by_bridge(place):
    """Open a state directory with `lamplighterd` itself."""
    done = subprocess.run(
        [program("lamplighterd"), "--backup", "--state-directory", place / "state"], capture_output=True, timeout=60)
    if done.returncode == 66:
        return NOTHING
    assert done.returncode == 0, f"exit code {done.returncode}: {done.stderr.decode()}"
    copy = place / "copy"
    copy.write_bytes(done.stdout)
    return dump(copy)


@pytest.mark.long
def test_bridge_state_after_a_power_cut_is_old_or_new(make_daemon, lan, tmp_path):
    moment = lot("bridge")
    life, history = recorded_bridge(make_daemon, lan, tmp_path)
    opened = history.examine(history.crashes(moment, history.points(moment, 15), 4 if ALL else 2), opened_by_bridge)
    starts = 0
    points = history.points(moment, 5) if not ALL else set(range(0, len(history.calls), 4))
    for point, kind, state in history.crashes(moment, points, 0):
        starts += 1
        history.open(state, lambda place: comes_up(place, history.allowed(point), life, lan))
    print(f"bridge: {len(history.calls)} calls, {opened} states opened, {starts} starts")


@pytest.mark.long
def test_new_database_copy_and_restore_survive_a_power_cut(make_daemon, lan, tmp_path):
    """Tests all states during a short series of changes: folder, database, daily copy, and a restore with a stopped daemon.

    The log before the restore has some pages of the database but not those of the pairings, so that the log together with
    the restored database would give a state that never existed.
    """
    moment = lot("made")
    daemon = make_daemon(SETTINGS, start=False)
    shutil.rmtree(daemon.state_directory)
    daemon.state_directory = tmp_path / "recorded" / "state"
    daemon.state_directory.parent.mkdir()
    recording = Recording(daemon.state_directory.parent, tmp_path / "strace")
    life = BridgeLife(daemon, tmp_path / "bridge.backup", lan.bridge.address)
    mine, other = life.pairings(life.me), life.pairings()
    copy = daemon.state_directory / "bridge.sqlite.backup"

    def start():
        daemon.wrapper = recording.wrapper
        daemon.start()
        until(copy.exists, 10, "the daily copy")

    def is_made(state):
        return len(state["server"]) == 1 and len(state["light"]) == 3

    life.step("the first start", start, lambda state: len(state["server"]) == 1)
    daemon.until(lambda status: status["lights"]["reachable"] == 3)
    life.step("the pairing", lambda: on_phone(lan, life.pair), mine)
    life.step("a backup", lambda: daemon.cli("backup", life.backup), lambda state: is_made(state) and mine(state))
    life.step("no pairing", lambda: daemon.cli("pairings", "remove", "--all", "--yes"), other)
    daemon.terminate()
    life.step("a second start", start, other)
    life.step("another configuration", life.reload, lambda state: len(state["light"]) == 4)
    life.step("a restore while stopped", lambda: life.restore_at_rest(recording.wrapper), is_made)
    life.step("the last start", start, mine)
    daemon.terminate()
    history = bridge_history(recording, life.milestones)

    def look(place):
        copy = place / "state" / "bridge.sqlite.backup"
        if copy.exists():
            assert dump(copy)["server"], "the copy is incomplete"
        return history.look(place)

    opened = history.examine(history.crashes(moment, set(range(len(history.calls) + 1)), 1), look)
    print(f"bridge: {len(history.calls)} calls, {opened} states opened")


def test_state_check_detects_a_missing_transaction():
    """Tests the check for mixed states with changes that are only partly stored."""
    row = (1, "AA:BB", b"seed", "code", "id", 0, 3, bytes(64), "{}", 5000)
    me, guest = (1, 0, b"me", b"key", 1), (1, 1, b"guest", b"key", 0)
    lamp = ("simulated", "lamp", 2, "{}", "{}", None, None, 1, None)

    def bridge(row=row, pairing=(me,), light=(lamp,)):
        return {"server": [row] if row else [], "pairing": list(pairing), "light": list(light)}

    def half(before, after, seen, parts=bridge_parts, beginning=bridge_beginning):
        return nothing_between(parts, beginning, before, after, seen)

    before, after = bridge(), bridge(pairing=[me, guest])
    assert not half(before, after, before) and not half(before, after, after)
    assert half(before, after, bridge(pairing=[])), "the pairings are replaced in one step"
    anew = bridge(row=(1, "CC:DD", b"other", "c", "i", 0, 1, b"", "{}", 5000), pairing=[])
    assert not half(before, anew, anew)
    assert half(before, anew, bridge(pairing=[])), "a reset removes pairings and identity in one step"
    assert half(before, anew, bridge(row=None)), "a reset leaves nothing without an identity"
    assert half(before, anew, bridge(row=(*anew["server"][0][:9], None), pairing=[])), "a reset keeps the port"
    assert half(NOTHING, before, bridge(row=None, light=[])), "no controller is paired with a missing bridge"

    def home(revision, rooms, services=()):
        return {"controller": [], "pairing": [], "permission": [], "home": [("House", revision)], "room": list(rooms),
                "service": list(services), "characteristic": []}

    def half_home(*states):
        return half(*states, parts=home_parts, beginning=lambda part, seen: False)

    before, after = home(1, []), home(2, ["Kitchen"])
    assert not half_home(before, after, before) and not half_home(before, after, after)
    assert half_home(before, after, home(1, ["Kitchen"])), "a room is stored with its revision"
    assert half_home(before, home(2, [], ["lamp", "fan"]), home(2, [], ["lamp"])), "services are stored together"
    paired = {**home(2, []), "pairing": ["bridge"]}
    assert not half_home(before, paired, {**before, "pairing": ["bridge"]}), "a pairing is stored before its accessory"


def read(life, port):
    with hap.session(life.address, port, life.me, life.accessory) as session:
        return session.get("/accessories").status


def comes_up(place, allowed, life, lan):
    """Check that a bridge starts with the state, and that its paired controllers can connect."""
    directory = place / "daemon"
    directory.mkdir()
    daemon = Daemon(lan.bridge, directory, SETTINGS)
    daemon.state_directory = place / "state"
    daemon.state_directory.mkdir(exist_ok=True)
    try:
        status = daemon.start().status
        listed = sorted(entry["id"].encode() for entry in daemon.cli("pairings", "--json"))
        if NOTHING not in allowed:
            known = {(state["server"][0][1] if state["server"] else None,
                      tuple(sorted(row[2] for row in state["pairing"]))) for state in allowed}
            assert (status["deviceId"], tuple(listed)) in known or (None, ()) in known
        if life.me.id in listed:
            assert on_phone(lan, lambda: read(life, status["port"])) == 200
        assert daemon.terminate()[0] == 0
    finally:
        daemon.close()


def test_bridge_killed_during_a_write_keeps_acknowledged_changes(make_daemon, lan):
    moment = lot("kills")
    kills = 0
    for number in range(60 if ALL else 2):
        daemon = make_daemon(SETTINGS, start=False)
        # Calls are counted by thread. The thread of a first start makes about sixty, the others fewer.
        nth = moment.randrange(1, 40) if number % 2 == 0 else moment.randrange(40, 120)
        daemon.wrapper = tracer(
            daemon.directory / "strace", "-e", f"trace={KILLABLE}", "-e", f"inject={KILLABLE}:signal=KILL:when={nth}")
        life = BridgeLife(daemon, daemon.directory / "backup", lan.bridge.address)
        try:
            on_phone(lan, life.live)
        except (OSError, AssertionError, hap.ConnectionClosed) as fault:
            with contextlib.suppress(subprocess.TimeoutExpired):
                daemon.process.wait(5)
            if daemon.process.returncode != -9:
                raise fault
            kills += 1
        else:
            daemon.kill()
        daemon.wrapper = []
        daemon.start()
        daemon.terminate()
        seen = database_dump(daemon.state_directory, "bridge.sqlite")
        known = [milestone.holds for milestone in life.milestones[-1:]] + [life.under_way] * (life.under_way is not None)
        assert any(holds(seen) for holds in known), f"killed at call {nth} after {[each.name for each in life.milestones]}: {seen}"
    assert kills
    print(f"bridge: killed {kills} times, nothing lost")


# The home


class HomeLife:
    """The life of a home, step by step, with the acknowledged changes."""

    def __init__(self, home, bridge):
        self.home, self.bridge, self.milestones = home, bridge, []

    def step(self, name, action, holds):
        action()
        self.milestones.append(Milestone(name, time.time(), holds))

    def live(self):
        def column(table, index, *wanted):
            return lambda state: sorted(row[index] for row in state[table]) == sorted(wanted)

        def do(*words):
            return lambda: self.home.cli(*words)

        device = self.bridge.status["deviceId"]
        self.step("the start", self.home.start, lambda state: state["home"] == [])
        self.step("a home", do("homes", "add", "House"), column("home", 2, "House"))
        self.step("a room", do("rooms", "add", "Kitchen"), column("room", 3, "Kitchen"))
        until(lambda: self.home.is_discovering, 20, "the home's host has its name")
        self.step("an accessory", do("add", "--code", self.bridge.setup_code, "--device", device, "--yes"), column("pairing", 0, device))
        self.step("a lamp's room", do("assign", "kettle", "kitchen"), lambda state: (
            sum(row[5] is not None for row in state["accessory"]) == 1))
        self.step("a room's name", do("rooms", "rename", "kitchen", "Larder"), column("room", 3, "Larder"))
        self.step("an app", self.let_in, column("permission", 4, 1))
        self.step("an app's end", do("privacy", "deny", "org.example.a"), column("permission", 4, 0))
        self.home.kill()
        self.step("a start after a kill", self.home.start, column("room", 3, "Larder"))
        self.step("a home's name", do("homes", "rename", "house", "Castle"), column("home", 2, "Castle"))
        bridge = next(each["name"] for each in self.home.cli("accessories", "--json") if "bridge" not in each)
        self.step("an accessory less", do("remove", bridge, "--yes"), column("pairing", 0))
        self.step("a room less", do("rooms", "remove", "larder"), column("room", 3))
        self.step("a home less", do("homes", "remove", "castle", "--yes"), column("home", 2))

    def let_in(self):
        self.home.app("org.example.a").close()


def recorded_home(lan, bridge, host, tmp_path):
    home = HomeDaemon(host, tmp_path / "h")
    home.state_directory.rmdir()
    home.state_directory = tmp_path / "recorded" / "state"
    home.state_directory.parent.mkdir()
    recording = Recording(home.state_directory.parent, tmp_path / "strace")
    start = home.start

    def start_recorded():
        home.wrapper = recording.wrapper
        return start()

    home.start = start_recorded
    life = HomeLife(home, bridge)
    try:
        life.live()
        home.terminate()
    finally:
        home.close()
    return life, History(recording, life.milestones, lambda place: home_dump(place / "state"), home_parts)


def home_comes_up(host, place, allowed):
    """Check that homehubd starts with the state and shows it."""
    home = HomeDaemon(host, place / "daemon")
    home.state_directory = place / "state"
    home.state_directory.mkdir(exist_ok=True)
    try:
        home.start()
        shown = sorted(each["name"] for each in home.cli("homes", "--json"))
        assert shown in [sorted(row[2] for row in state["home"]) if state != NOTHING else [] for state in allowed]
        home.terminate()
    finally:
        home.close()


@pytest.mark.long
def test_home_state_after_a_power_cut_is_old_or_new(make_daemon, lan, tmp_path):
    moment = lot("home")
    bridge = make_daemon(configuration("Demo"))
    bridge.until_published()
    with lan.add_host("hub", "10.77.0.3") as host:
        life, history = recorded_home(lan, bridge, host, tmp_path)
        crashes = history.crashes(moment, history.points(moment, 60), 8 if ALL else 2)
        opened = history.examine(crashes, lambda place: home_dump(place / "state"))
        points = history.points(moment, 4) if not ALL else set(range(0, len(history.calls), 6))
        starts = 0
        for point, kind, state in history.crashes(moment, points, 0):
            starts += 1
            history.open(state, lambda place: home_comes_up(host, place, history.allowed(point)))
    print(f"home: {len(history.calls)} calls, {opened} states opened, {starts} starts")
