"""`homehub backup`, `restore`, `doctor` and `status` with our bridge and three accessories of HAP-python."""

import contextlib
import json
import shutil
import sqlite3
import threading

import pytest
from conftest import configuration
from daemon import program
from foreign_lamps import LAMPS, foreign_lamps
from home import HomeDaemon, hub, make_home  # noqa: F401 (fixtures)
from lan import open_to_all, until
from python_device import CODE

APP = "org.example.lights"


@pytest.fixture
def foreign(lan, tmp_path):
    """Three lamps of HAP-python on the network, by their IDs."""
    with foreign_lamps(lan.phone, tmp_path) as lamps:
        yield lamps


@pytest.fixture
def house(make_home, make_daemon, foreign):
    """A home with four accessories, a scene, an automation, the permission of an app, and activity."""
    home = make_home()
    home.cli("homes", "add", "Villa")
    home.bridge = make_daemon(configuration("Demo", [{"id": "lamp", "name": "Hall Lamp", "brightness": True}]))
    home.bridge.until_published()
    home.add(home.bridge.setup_code, home.bridge.status["deviceId"])
    for id in LAMPS:
        home.add(CODE, id)
    home.cli("scenes", "add", "Evening")
    home.cli("scenes", "set", "Evening", "hall lamp", "on")
    home.cli("automations", "add", "Follow", "--when", "Foreign 1 on", "--set", "hall lamp on")
    home.app(APP)
    home.cli("write", "Foreign 2", "brightness=40")
    return home


def moved(home, hub, tmp_path, backup):
    """Restore a backup in another state directory, and start another hub with it."""
    second = HomeDaemon(hub, tmp_path / "b")
    said = restore(second, backup).stdout
    # The bridge and its lamp are two accessories.
    assert "5 accessories, 1 automation" in said and "with the history" in said, said
    return second.start()


def restore(home, file, check=True):
    return home.cli("restore", "--yes", "--state-directory", home.state_directory, file, check=check)


def kept(home):
    """Return the parts of the homes that must survive."""
    homes = [(one["id"], one["name"]) for one in home.cli("homes", "--json")]
    accessories = sorted((one["id"], one["name"]) for one in home.cli("accessories", "--json"))
    names = [[one["id"] for one in home.cli(kind, "--json")] for kind in ("scenes", "automations")]
    permissions = [(one["id"], one["status"]) for one in home.cli("privacy", "--json") if one["id"] == APP]
    assert permissions
    return homes, accessories, names, permissions


@pytest.mark.parametrize("running", [True, False])
def test_restored_homes_answer_on_another_hub(running, house, hub, foreign, tmp_path):
    before = kept(house)
    backup = tmp_path / "home.backup"
    backup.write_text("a former file")
    if not running:
        house.terminate()
    house.cli("backup", backup, *([] if running else ["--state-directory", house.state_directory]))
    assert backup.stat().st_mode & 0o777 == 0o600
    assert not list(house.state_directory.glob("*.export*"))
    if running:
        house.terminate()
    second = moved(house, hub, tmp_path, backup)
    try:
        until(lambda: not second.cli("status", "--json")["hub"]["notConnected"], 30, "all accessories are connected")
        assert kept(second) == before
        activity = [one["text"] for one in second.cli("activity", "--json")]
        assert any("Foreign 2" in line and "40" in line for line in activity), activity
        for id, name in LAMPS.items():
            second.cli("write", name, "brightness=70")
            foreign[id].until(lambda line: line.get("wrote") == ["Brightness", 70])
        second.cli("write", "hall lamp", "off")
        second.cli("write", "Foreign 1", "on=yes")
        until(lambda: house.bridge.lights["simulated/lamp"]["on"], 20, "the automation runs")
    finally:
        second.close()


def test_backups_during_changes_are_consistent(house, tmp_path):
    ends = threading.Event()

    def change():
        number = 0
        while not ends.is_set():
            number += 1
            house.cli("zones", "add", f"Zone {number}")

    changes = threading.Thread(target=change)
    changes.start()
    try:
        for number in range(5):
            file = tmp_path / f"backup{number}"
            house.cli("backup", file)
            with contextlib.closing(sqlite3.connect(file)) as database:
                assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
                assert database.execute("PRAGMA foreign_key_check").fetchone() is None
                (revision,), = database.execute("SELECT revision FROM home")
                zones, = database.execute("SELECT count(*) FROM zone").fetchone()
                assert revision > zones
    finally:
        ends.set()
        changes.join()


def test_restore_refuses_wrong_files_and_a_running_hub(make_home, make_daemon, tmp_path):
    home = make_home()
    home.cli("homes", "add", "Villa")
    good = tmp_path / "good"
    home.cli("backup", good)
    refused = restore(home, good, check=False)
    assert refused.returncode == 69 and "stop" in refused.stderr, refused.stderr
    second = home.cli(
        "--socket", tmp_path / "nowhere.sock", "restore", "--yes", "--state-directory", home.state_directory, good,
        check=False)
    assert second.returncode == 69 and f"process {home.process.pid}" in second.stderr, second.stderr

    # An explicit directory isn't that of the running hub.
    other = make_home()
    elsewhere = ["--state-directory", other.state_directory]
    other.terminate()
    home.cli("restore", "--yes", *elsewhere, good)
    home.cli("backup", tmp_path / "other", *elsewhere)
    assert other.start().cli("homes", "--json")[0]["name"] == "Villa"

    bridge = make_daemon()
    bridge.cli("backup", tmp_path / "bridge")
    shutil.copy(good, tmp_path / "replaced")
    (tmp_path / "replaced-wal").write_bytes(b"changes")
    (tmp_path / "text").write_text("homes: []\n")
    (tmp_path / "short").write_bytes(good.read_bytes()[:-5000])
    shutil.copy(good, tmp_path / "newer")
    with contextlib.closing(sqlite3.connect(tmp_path / "newer")) as database, database:
        database.execute("INSERT INTO grdb_migrations VALUES ('99')")
    shutil.copy(home.state_directory / "history.sqlite", tmp_path / "history")
    home.terminate()
    before = (home.state_directory / "home.sqlite").read_bytes()
    for name, code, words in [
        ("bridge", 65, "lamplighter restore"), ("text", 65, "isn't a backup of a home hub"), ("short", 65, "incomplete"),
        ("newer", 65, "newer version"), ("history", 65, "only the history"), ("missing", 66, "can't read"),
        ("replaced", 65, "replaced-wal"),
    ]:
        refused = restore(home, tmp_path / name, check=False)
        assert refused.returncode == code and words in refused.stderr, refused.stderr
        assert refused.stderr.count("\n") == 1, refused.stderr
    assert (home.state_directory / "home.sqlite").read_bytes() == before
    assert not list(home.state_directory.glob("*.restored*"))
    assert home.start().cli("homes", "--json")[0]["name"] == "Villa"


def test_command_in_the_error_message_restores_a_damaged_database(make_home):
    home = make_home()
    home.cli("homes", "add", "Villa")
    copy = home.state_directory / "home.sqlite.backup"
    copy.unlink(missing_ok=True)
    home.terminate()
    home.start()
    until(copy.exists, 10, "a daily copy")
    home.terminate()
    (home.state_directory / "home.sqlite").write_bytes(b"\0" * 4096)
    home.process = home.host.popen(*home.arguments, stderr=open(home.log_path, "ab"))
    assert home.process.wait(20) == 65
    assert f"restore {copy}" in home.log
    said = restore(home, copy).stdout
    assert "without the history" in said and "home.sqlite.replaced" in said, said
    assert home.start().cli("homes", "--json")[0]["name"] == "Villa"


# Doctor and status


def examine(home, *words):
    """Run doctor on the hub's host, and return the exit code and the results."""
    done = home.host.run(
        program("homehub"), "doctor", "--json", "--socket", home.socket, "--state-directory", home.state_directory,
        "--config", home.configuration_path, *words, check=False)
    assert done.stdout, done.stderr
    said = json.loads(done.stdout)
    return done.returncode, said


def test_doctor_and_status_name_an_accessory_without_power(house, foreign):
    until(lambda: not house.cli("status", "--json")["hub"]["notConnected"], 30, "all accessories are connected")
    code, said = examine(house)
    assert (code, said["verdict"]) == (0, "well"), said
    device = foreign["5A:11:C0:DE:01:03"]
    device.close()
    (lost,) = until(lambda: house.cli("status", "--json")["hub"]["notConnected"], 60, "the accessory is lost")
    assert lost["name"] == "Foreign 3" and lost["since"].endswith("Z")
    code, said = examine(house)
    assert (code, said["verdict"]) == (69, "accessories"), said
    assert "Foreign 3 (Villa)" in said["message"] and said["remedy"], said
    text = house.cli("status").stdout
    assert "4 of 5 connected" in text and "Foreign 3 (Villa), since " in text, text
    assert "\nhome             Villa\n" in text


def test_doctor_explains_why_a_stopped_hub_does_not_start(make_home):
    home = make_home()
    home.terminate()
    assert examine(home)[1]["verdict"] == "daemon"
    (home.state_directory / "home.sqlite").write_bytes(b"\0" * 4096)
    code, said = examine(home)
    assert (code, said["verdict"]) == (65, "state") and "homehub" in said["message"], said
    home.configuration_path.write_text("restirct: {}\n")
    code, said = examine(home)
    assert (code, said["verdict"]) == (78, "configuration") and "restirct" in said["message"], said


def test_only_members_of_the_group_may_use_the_control_socket(make_home, tmp_path):
    home = make_home()
    open_to_all(home.runtime_directory)
    refused = home.cli("backup", "/dev/null", check=False, user="nobody")
    assert refused.returncode == 77 and "homehub group" in refused.stderr, refused.stderr
    doctor = home.host.run(
        "setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups", program("homehub"), "doctor", "--socket", home.socket,
        check=False)
    assert doctor.returncode == 77 and "homehub group" in doctor.stdout, doctor
