"""Mistakes in the configuration: one line that says where, what and what to write, and the exit code of sysexits."""

import subprocess

import pytest

from daemon import program

LIGHTS = "drivers:\n  - driver: simulated\n    lights:\n"

MISTAKES = {
    "an unknown key": ("bridge:\n  nmae: Home\n", 78, ["2:3: bridge.nmae", "name"]),
    "a wrong type": ("bridge:\n  name: [1, 2]\n", 78, ["2:9: bridge.name", ";"]),
    "a port that there is not": ("bridge:\n  port: 65536\n", 78, ["2:9: bridge.port", "65535"]),
    "two lights with one id": (
        LIGHTS + "      - {id: a, name: A}\n      - {id: a, name: B}\n", 78, [":5:", "id", ";"]),
    "two drivers with one id": (
        "drivers:\n  - {driver: simulated, lights: []}\n  - {driver: simulated, lights: []}\n", 78, [":3:", "id"]),
    "a forbidden setup code": ("bridge:\n  setup-code: 123-45-678\n", 78, ["2:15: bridge.setup-code", ";"]),
    "a plugin without its program's whole path": ("drivers:\n  - driver: plugin\n    command: [leds]\n", 78, ["3:14", "write [/"]),
    "no YAML": ("bridge: [\n", 78, [":2:"]),
}


def check(path, *options):
    return subprocess.run(
        [program("lamplighterd"), "--config", path, *options], capture_output=True, text=True, timeout=20)


@pytest.mark.parametrize("mistake", MISTAKES)
@pytest.mark.parametrize("options", [["--check-config"], []], ids=["checked", "started"])
def test_a_mistake_is_one_line_with_its_place(tmp_path, mistake, options):
    text, code, parts = MISTAKES[mistake]
    path = tmp_path / "lamplighter.yaml"
    path.write_text(text)
    if not options:
        options = ["--state-directory", tmp_path / "state", "--runtime-directory", tmp_path / "run"]
    done = check(path, *options)
    assert done.returncode == code, done.stderr
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1 and done.stderr.startswith(f"{path}:"), done.stderr
    for part in parts:
        assert part in done.stderr, done.stderr
    assert not (tmp_path / "state").exists(), "a wrong configuration touches nothing"


def test_a_missing_file_is_said(tmp_path):
    done = check(tmp_path / "nowhere.yaml")
    assert done.returncode == 66
    assert done.stderr.count("\n") == 1 and "nowhere.yaml" in done.stderr


def test_a_setup_code_never_stands_in_an_error(tmp_path):
    path = tmp_path / "lamplighter.yaml"
    path.write_text("bridge:\n  setup-code: 876-54-32\n")
    assert "876" not in check(path).stderr


def test_a_wrong_command_line_ends_with_64():
    done = subprocess.run([program("lamplighterd"), "--nonsense"], capture_output=True, text=True, timeout=20)
    assert done.returncode == 64 and "nonsense" in done.stderr


def test_a_taken_port_names_its_holder(make_daemon, lan):
    first = make_daemon()
    port = first.status["port"]
    second = make_daemon({"bridge": {"port": port}}, start=False)
    second.start_without_waiting()
    assert second.process.wait(20) == 69
    assert f"port {port} is taken by lamplighterd (process {first.process.pid})" in second.log


@pytest.mark.parametrize("damage", ["garbage", "cut", "empty"])
def test_a_damaged_database_is_never_taken_for_an_unpaired_bridge(make_daemon, lan, damage):
    daemon = make_daemon()
    daemon.until_published()
    daemon.terminate()
    database = daemon.state_directory / "bridge.sqlite"
    content = database.read_bytes()
    database.write_bytes({"garbage": b"\xff" * len(content), "cut": content[: len(content) // 2], "empty": b""}[damage])
    for rest in daemon.state_directory.glob("bridge.sqlite-*"):
        rest.unlink()
    before = database.read_bytes()
    daemon.start_without_waiting()
    assert daemon.process.wait(20) == 65
    assert "damaged" in daemon.log and "lamplighter restore" in daemon.log
    assert database.read_bytes() == before, "what is refused stays as it was found"


def test_the_memory_is_for_its_owner_alone(daemon, lan):
    assert (daemon.state_directory / "bridge.sqlite").stat().st_mode & 0o777 == 0o600
