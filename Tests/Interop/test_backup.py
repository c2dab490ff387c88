"""Backup, restore, reset and unlock: what the bridge has learnt is carried about and never lost."""

import concurrent.futures
import os
import sqlite3
import threading
import time

import hap
import pytest
from conftest import configuration
from controllers import shape
from lan import until


def paired(daemon, lan):
    me, status = hap.Identity(), daemon.until_stable()
    with hap.Connection(lan.bridge.address, status["port"]) as connection:
        accessory = hap.pair_setup(connection, daemon.setup_code, me)
    return me, accessory


def read_shape(daemon, lan, me, accessory):
    with hap.session(lan.bridge.address, daemon.status["port"], me, accessory) as session:
        return shape(session.get("/accessories").json["accessories"])


def known(daemon):
    return [daemon.status[key] for key in ("deviceId", "paired")] + [
        daemon.cli("pairings", "--json")[0]["id"], {key: light["aid"] for key, light in daemon.lights.items()}]


@pytest.mark.parametrize("running", [True, False])
async def test_a_backup_becomes_the_same_bridge_elsewhere(running, make_daemon, lan, tmp_path):
    first = make_daemon()
    me, accessory = paired(first, lan)
    before, number = known(first), first.until_stable()["configurationNumber"]
    accessories = read_shape(first, lan, me, accessory)
    first.cli("backup", tmp_path / "backup")
    assert (tmp_path / "backup").stat().st_mode & 0o777 == 0o600
    first.terminate()

    second = make_daemon()
    assert second.status["deviceId"] != before[0]
    if running:
        process = second.process.pid
        said = second.cli("restore", "--yes", tmp_path / "backup").stdout
        assert second.process.pid == process and second.is_running
    else:
        second.terminate()
        said = second.cli("restore", "--yes", "--state-directory", second.state_directory, tmp_path / "backup").stdout
        second.start()
    assert before[0] in said
    assert known(second) == before
    assert second.until_stable()["configurationNumber"] == number + 10
    assert read_shape(second, lan, me, accessory) == accessories
    assert (second.state_directory / "bridge.sqlite.replaced").exists(), "what was there is kept"
    second.restart()
    assert known(second) == before


async def test_a_backup_is_consistent_while_the_bridge_is_busy(make_daemon, lan, tmp_path):
    daemon = make_daemon()
    me, accessory = paired(daemon, lan)
    ended, port = threading.Event(), daemon.status["port"]

    def be_busy():
        while not ended.is_set():
            other = hap.Identity()
            with hap.session(lan.bridge.address, port, me, accessory) as session:
                session.post("/pairings", (hap.STATE, 1), (hap.METHOD, hap.ADD), (hap.IDENTIFIER, other.id),
                             (hap.PUBLIC_KEY, other.public), (hap.PERMISSIONS, 0))
                session.post("/pairings", (hap.STATE, 1), (hap.METHOD, hap.REMOVE), (hap.IDENTIFIER, other.id))

    busy = threading.Thread(target=be_busy)
    busy.start()
    try:
        for number in range(15):
            file = tmp_path / f"b{number}"
            daemon.cli("backup", file)
            with sqlite3.connect(f"file:{file}?immutable=1", uri=True) as database:
                assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
                assert database.execute("SELECT COUNT(*) FROM pairing WHERE isAdmin").fetchone()[0] >= 1
    finally:
        ended.set()
        busy.join()


@pytest.mark.parametrize("running", [True, False])
@pytest.mark.parametrize("what", ["nothing", "noise", "another program's", "a damaged one", "an empty bridge"])
def test_what_is_no_backup_changes_nothing(what, running, make_daemon, tmp_path):
    daemon = make_daemon()
    identity = daemon.status["deviceId"]
    file = tmp_path / "file"
    if what == "nothing":
        file.write_bytes(b"")
    elif what == "noise":
        file.write_bytes(bytes(range(256)) * 40)
    elif what == "another program's":
        with sqlite3.connect(file) as database:
            database.execute("CREATE TABLE a (b)")
    else:
        daemon.cli("backup", file)
        if what == "a damaged one":
            content = bytearray(file.read_bytes())
            content[4096:8192] = b"\xff" * 4096
            file.write_bytes(content)
        else:
            with sqlite3.connect(file) as database:
                database.execute("DELETE FROM server")
    if not running:
        daemon.terminate()
    place = [] if running else ["--state-directory", daemon.state_directory]
    refused = daemon.cli("restore", "--yes", *place, file, check=False)
    assert refused.returncode == 65, refused
    assert refused.stderr.count("\n") == 1
    if not running:
        daemon.start()
    assert daemon.status["deviceId"] == identity
    assert not list(daemon.state_directory.glob("*.restored*"))


def test_backups_and_restores_at_once_give_whole_files_or_a_refusal(make_daemon, tmp_path):
    daemon = make_daemon()
    daemon.cli("backup", tmp_path / "good")
    identity = daemon.status["deviceId"]

    def backup(number):
        return daemon.cli("backup", tmp_path / f"b{number}", check=False)

    def restore(_):
        return daemon.cli("restore", "--yes", tmp_path / "good", check=False)

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        done = list(pool.map(backup, range(24)))
        assert {one.returncode for one in done} <= {0, 75}, [one.stderr for one in done if one.returncode not in (0, 75)]
        for number, one in enumerate(done):
            file = tmp_path / f"b{number}"
            assert file.exists() == (one.returncode == 0)
            if file.exists():
                with sqlite3.connect(f"file:{file}?immutable=1", uri=True) as database:
                    assert database.execute("SELECT deviceID FROM server").fetchone() == (identity,)
        for _ in range(5):
            done = list(pool.map(restore, range(4)))
            # Between two lives of the bridge no process listens; those come too late, and say so.
            assert any(one.returncode == 0 for one in done), [one.stderr for one in done]
            assert {one.returncode for one in done} <= {0, 64, 69, 75}, [one.stderr for one in done]
            daemon.until(lambda status: status["deviceId"] == identity, 10)
    assert daemon.is_running
    assert not list(daemon.state_directory.glob("*.restored*")) + list(daemon.state_directory.glob("*.export*"))


def test_a_new_beginning_keeps_to_what_was_in_use_when_the_file_is_wrong(make_daemon):
    daemon = make_daemon()
    daemon.configure(configuration(lights=[{"id": "one", "name": "One"}, {"id": "two", "name": "Two"}]))
    daemon.cli("reload")
    until(lambda: "simulated/two" in daemon.lights, 5, "the lights of the second configuration")
    daemon.configure("bridge: {nam: x}")
    before = daemon.lights
    daemon.cli("reset", "--yes")
    assert any("bridge.nam" in warning for warning in daemon.status["warnings"])
    until(lambda: daemon.lights == before, 5, "the same lights")


def test_a_running_bridge_keeps_its_database_to_itself(make_daemon, tmp_path):
    daemon = make_daemon()
    daemon.cli("backup", tmp_path / "backup")
    refused = daemon.cli(
        "--control", "/nowhere/s", "restore", "--yes", "--state-directory", daemon.state_directory, tmp_path / "backup",
        check=False)
    assert refused.returncode == 69
    assert f"process {daemon.process.pid}" in refused.stderr


async def test_the_daily_copy_brings_back_pairings_that_were_removed(make_daemon, lan):
    daemon = make_daemon()
    me, accessory = paired(daemon, lan)
    copy = daemon.state_directory / "bridge.sqlite.backup"
    copy.unlink()
    daemon.restart()
    until(copy.exists, 5, "a copy")
    assert copy.stat().st_mode & 0o777 == 0o600
    daemon.cli("pairings", "remove", "--all", "--yes")
    # Days later, and again: the copy of the paired bridge is preferred to that of one that is not.
    for _ in range(2):
        before = time.time() - 2 * 86400
        os.utime(copy, (before, before))
        daemon.restart()
        daemon.until_published()
        assert not daemon.status["paired"]
        assert copy.stat().st_mtime == pytest.approx(before, abs=1)
    daemon.cli("restore", "--yes", copy)
    assert daemon.status["paired"]
    assert read_shape(daemon, lan, me, accessory)


async def test_a_damaged_database_is_restored_as_the_error_says(make_daemon, lan):
    daemon = make_daemon()
    me, accessory = paired(daemon, lan)
    copy = daemon.state_directory / "bridge.sqlite.backup"
    copy.unlink()
    daemon.restart()
    until(copy.exists, 5, "a copy")
    daemon.terminate()
    (daemon.state_directory / "bridge.sqlite").write_bytes(b"\x00" * 4096)
    daemon.start_without_waiting()
    assert daemon.process.wait(10) == 65
    assert "lamplighter restore" in daemon.log
    daemon.cli("restore", "--yes", "--state-directory", daemon.state_directory, copy)
    daemon.start()
    assert read_shape(daemon, lan, me, accessory)


async def test_a_reset_makes_another_bridge_of_it_at_once(make_daemon, lan):
    daemon = make_daemon()
    me, accessory = paired(daemon, lan)
    before = daemon.until_stable()
    code, aids = daemon.cli("setup", "--json", "--force")["code"], {k: v["aid"] for k, v in daemon.lights.items()}
    daemon.cli("reset", "--yes")
    after = daemon.until_published()
    assert after["deviceId"] != before["deviceId"] and not after["paired"]
    assert after["advertisement"]["name"] != before["advertisement"]["name"]
    assert daemon.setup_code != code
    assert {key: light["aid"] for key, light in daemon.lights.items()} == aids
    with hap.Connection(lan.bridge.address, after["port"]) as connection:
        hap.pair_setup(connection, daemon.setup_code, hap.Identity())
    daemon.until(lambda status: status["paired"], 3)
    daemon.restart()
    assert daemon.status["deviceId"] == after["deviceId"] and daemon.status["paired"]


async def test_unlock_ends_a_lock_out(make_daemon, lan):
    daemon = make_daemon()
    daemon.until_published()
    daemon.terminate()
    with sqlite3.connect(daemon.state_directory / "bridge.sqlite") as database:
        database.execute("UPDATE server SET failedAttempts = 100")
    status = daemon.start().until_published()
    assert any("100 of 100" in warning for warning in status["warnings"])
    with hap.Connection(lan.bridge.address, status["port"]) as connection:
        assert hap.PairSetup(connection, daemon.setup_code).m1()[hap.ERROR] == bytes([hap.MAX_TRIES])
    daemon.cli("pairings", "unlock")
    assert daemon.status["warnings"] == []
    with hap.Connection(lan.bridge.address, status["port"]) as connection:
        hap.pair_setup(connection, daemon.setup_code, hap.Identity())
    daemon.restart()
    # Until it is seen, that is a warning.
    assert daemon.until_published()["warnings"] == []
