"""Backup, restore and reset, while the bridge is running and while it is stopped."""

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
async def test_restored_backup_keeps_the_bridges_identity_and_pairings(running, make_daemon, lan, tmp_path):
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
    assert (second.state_directory / "bridge.sqlite.replaced").exists(), "the existing file is kept"
    second.restart()
    assert known(second) == before


@pytest.mark.parametrize("running", [True, False])
def test_restore_rejects_a_file_that_is_not_a_backup(running, make_daemon, tmp_path):
    daemon = make_daemon()
    identity = daemon.status["deviceId"]
    (tmp_path / "file").write_bytes(bytes(range(256)) * 40)
    if not running:
        daemon.terminate()
    place = [] if running else ["--state-directory", daemon.state_directory]
    refused = daemon.cli("restore", "--yes", *place, tmp_path / "file", check=False)
    assert refused.returncode == 65 and refused.stderr.count("\n") == 1, refused
    if not running:
        daemon.start()
    assert daemon.status["deviceId"] == identity
    assert not list(daemon.state_directory.glob("*.restored*"))


def test_reset_keeps_the_active_configuration_if_the_file_is_invalid(make_daemon):
    daemon = make_daemon()
    daemon.configure(configuration(lights=[{"id": "one", "name": "One"}, {"id": "two", "name": "Two"}]))
    daemon.cli("reload")
    until(lambda: "simulated/two" in daemon.lights, 5, "the lights of the second configuration")
    daemon.configure("bridge: {nam: x}")
    before = daemon.lights
    daemon.cli("reset", "--yes")
    assert any("bridge.nam" in warning for warning in daemon.status["warnings"])
    until(lambda: daemon.lights == before, 5, "the same lights")


def test_restore_refuses_the_directory_of_a_running_bridge(make_daemon, tmp_path):
    daemon = make_daemon()
    daemon.cli("backup", tmp_path / "backup")
    refused = daemon.cli(
        "--control", "/nowhere/s", "restore", "--yes", "--state-directory", daemon.state_directory, tmp_path / "backup",
        check=False)
    assert refused.returncode == 69
    assert f"process {daemon.process.pid}" in refused.stderr


async def test_command_in_the_error_message_restores_a_damaged_database(make_daemon, lan):
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


async def test_reset_gives_the_running_bridge_a_new_identity(make_daemon, lan):
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
