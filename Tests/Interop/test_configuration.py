"""The exit codes and messages of a daemon that can't start."""

import subprocess

import pytest

from daemon import program

def check(path, *options):
    return subprocess.run(
        [program("lamplighterd"), "--config", path, *options], capture_output=True, text=True, timeout=20)


@pytest.mark.parametrize("options", [["--check-config"], []], ids=["checked", "started"])
def test_configuration_error_is_one_line_with_file_line_and_column(tmp_path, options):
    path = tmp_path / "lamplighter.yaml"
    path.write_text("bridge:\n  nmae: Home\n")
    if not options:
        options = ["--state-directory", tmp_path / "state", "--runtime-directory", tmp_path / "run"]
    done = check(path, *options)
    assert done.returncode == 78 and done.stdout == "", done
    assert done.stderr == f"{path}:2:3: bridge.nmae: unknown key; use name\n"
    assert not (tmp_path / "state").exists(), "an invalid configuration changes nothing"


def test_invalid_command_line_exits_with_64():
    done = subprocess.run([program("lamplighterd"), "--nonsense"], capture_output=True, text=True, timeout=20)
    assert done.returncode == 64 and "nonsense" in done.stderr


def test_error_for_a_taken_port_names_the_process(make_daemon, lan):
    first = make_daemon()
    port = first.status["port"]
    second = make_daemon({"bridge": {"port": port}}, start=False)
    second.start_without_waiting()
    assert second.process.wait(20) == 69
    assert f"port {port} is taken by lamplighterd (process {first.process.pid})" in second.log


def test_damaged_database_prevents_the_start_instead_of_unpairing_the_bridge(make_daemon, lan):
    daemon = make_daemon()
    daemon.until_published()
    daemon.terminate()
    database = daemon.state_directory / "bridge.sqlite"
    content = database.read_bytes()
    database.write_bytes(content[: len(content) // 2])
    for rest in daemon.state_directory.glob("bridge.sqlite-*"):
        rest.unlink()
    before = database.read_bytes()
    daemon.start_without_waiting()
    assert daemon.process.wait(20) == 65
    assert "damaged" in daemon.log and "lamplighter restore" in daemon.log
    assert database.read_bytes() == before, "the damaged file stays unchanged"
