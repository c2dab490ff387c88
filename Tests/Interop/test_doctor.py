"""`lamplighter doctor` detects faults of the host, the daemon and the network."""

import json
import os
import signal
import subprocess
import time
from pathlib import Path
from types import SimpleNamespace

import hap
import pytest
from conftest import configuration
from controllers import Phone
from daemon import program
from lan import end, until


def examine(daemon, *words, before=()):
    """Run doctor on the bridge's host with the command prefix `before`, and return its results."""
    command = [
        *before, program("lamplighter"), "doctor", "--json", "--control", daemon.socket,
        "--config", daemon.directory / "lamplighter.yaml", "--state-directory", daemon.state_directory, *words]
    began = time.monotonic()
    done = daemon.host.run(*command, check=False)
    assert done.stdout, done.stderr
    said = json.loads(done.stdout)
    return SimpleNamespace(
        code=done.returncode, seconds=time.monotonic() - began, errors=done.stderr, verdict=said["verdict"],
        message=said.get("message", ""), remedy=said.get("remedy", ""),
        results={check["check"]: check["result"] for check in said["checks"]})


def expect(said, verdict, *words, code=69):
    """Check the result, words of the message or the remedy, and the exit code."""
    assert (said.verdict, said.code) == (verdict, code), said
    for word in words:
        assert word in f"{said.message}; {said.remedy}", said
    error = json.loads(said.errors)["error"]
    assert error["code"] == code and error["message"].startswith(f"{verdict}: "), said


@pytest.fixture
def firewall(lan):
    """Add firewall rules for the input of the bridge's host, and remove them afterwards."""
    lan.bridge.run("nft", "add table inet doctor")
    lan.bridge.run("nft", "add chain inet doctor input { type filter hook input priority 0; }")
    yield lambda rule: lan.bridge.run("nft", f"add rule inet doctor input {rule}")
    lan.bridge.run("nft", "delete table inet doctor")


def publish(host, name, port, txt):
    """Publish a HAP service with avahi-publish, and wait until it is published."""
    process = host.popen(
        "avahi-publish", "-s", name, "_hap._tcp", port, *txt, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    for line in process.stdout:
        if "Established" in line:
            return process
    raise AssertionError(f"avahi-publish ended with {process.wait()}")


# Without faults


def test_doctor_finds_no_fault_in_a_healthy_bridge(daemon):
    said = examine(daemon)
    assert (said.verdict, said.code, said.errors) == ("well", 0, ""), said
    assert set(said.results.values()) == {"ok"}, said
    assert said.seconds < 10
    text = daemon.host.run(program("lamplighter"), "--control", daemon.socket, "doctor").stdout
    assert "This host found no problems." in text
    assert daemon.setup_code not in text
    # No other host answers on the pretend LAN.
    assert examine(daemon, "--long", "--pause", "1").results["lasting"] == "unknown"


def files(daemon):
    """Return the files of the state directory with the times of their last changes."""
    return {path.name: path.stat().st_mtime_ns for path in daemon.state_directory.iterdir()}


def test_doctor_changes_no_files_and_never_opens_the_mdns_port(make_daemon):
    # The daemon would store the states of lights in the meantime.
    daemon = make_daemon(configuration(lights=[]))
    daemon.until_stable()
    before, log = files(daemon), daemon.log
    command = [program("lamplighter"), "doctor", "--control", daemon.socket]
    doctor = daemon.host.popen(*command, stdout=subprocess.DEVNULL)
    while doctor.poll() is None:
        table = daemon.host.run("ss", "-H", "-u", "-a", "-n", "-p", "sport", "=", ":5353").stdout
        assert table and f"pid={doctor.pid}," not in table, table
    assert doctor.returncode == 0
    assert files(daemon) == before
    assert daemon.log == log


# Without a running daemon


def test_doctor_reports_an_invalid_or_missing_configuration(make_daemon):
    daemon = make_daemon("bridge: {nmae: Lamplighter}\n", start=False)
    expect(examine(daemon), "configuration", "lamplighter.yaml:1:10: bridge.nmae", "use name", code=78)
    (daemon.directory / "lamplighter.yaml").unlink()
    expect(examine(daemon), "configuration", "lamplighter.yaml", code=66)


def take_a_port(host):
    holder = host.popen(
        "python3", "-c", "import socket; s = socket.create_server(('', 0)); print(s.getsockname()[1], flush=True);"
        "import time; time.sleep(1000)", stdout=subprocess.PIPE, text=True)
    return holder, int(holder.stdout.readline())


def test_doctor_reports_a_taken_port_and_its_process(make_daemon, lan):
    holder, port = take_a_port(lan.bridge)
    daemon = make_daemon(configuration(port=port), start=False)
    expect(examine(daemon), "port", f"port {port} is taken by python3 (process {holder.pid})")
    daemon.configure({**configuration(), "metrics": {"listen": f"127.0.0.1:{port}"}})
    expect(examine(daemon), "metrics", f"port {port} is taken by python3 (process {holder.pid})", "metrics.listen")
    end(holder)
    assert examine(daemon).verdict == "daemon"


def test_doctor_reports_a_damaged_database(make_daemon):
    daemon = make_daemon()
    daemon.terminate()
    database = daemon.state_directory / "bridge.sqlite"
    whole = database.read_bytes()
    database.write_bytes(whole[:4096] + b"\xff" * (len(whole) - 4096))
    expect(examine(daemon), "state", "bridge.sqlite is damaged", "lamplighter restore", code=65)
    database.write_bytes(whole)
    assert examine(daemon).verdict == "daemon"


def test_doctor_reports_a_database_in_use_by_a_daemon_with_another_socket(daemon):
    daemon.socket.rename(daemon.runtime_directory / "other.sock")
    expect(examine(daemon), "state", f"held by process {daemon.process.pid}")


# Root without these capabilities has no access to the files of other users.
UNPRIVILEGED = ["setpriv", "--bounding-set=-dac_override,-dac_read_search", "--inh-caps=-all"]


def test_doctor_reports_a_state_directory_owned_by_another_user(make_daemon):
    daemon = make_daemon(start=False)
    os.chown(daemon.state_directory, 65534, 65534)
    expect(examine(daemon, before=UNPRIVILEGED), "state", "no permission", str(daemon.state_directory), code=77)


def test_doctor_reports_a_file_in_the_state_directory_owned_by_root(make_daemon):
    daemon = make_daemon()
    daemon.terminate()
    os.chown(daemon.state_directory, 65534, 65534)
    expect(examine(daemon), "state", "no permission to use", "bridge.sqlite", code=77)


@pytest.fixture
def installed(make_daemon, lan, tmp_path):
    """A daemon installed like the package, in the system's directories and with a separate user."""
    host = lan.bridge
    for name, line in (("passwd", "lamplighter:x:64999:64999::/var/lib/lamplighter:/bin/false\n"),
                       ("group", "lamplighter:x:64999:\n")):
        (tmp_path / name).write_text(Path("/etc", name).read_text() + line)
        host.run("mount", "--bind", tmp_path / name, f"/etc/{name}")
    host.run("mount", "-t", "tmpfs", "tmpfs", "/var/lib")
    # Let all users run the programs there.
    host.run("mkdir", "/var/lib/programs", "/var/lib/lamplighter")
    host.run("mount", "--bind", program("lamplighter").parent, "/var/lib/programs")
    host.run("sh", "-c", 'printf "bridge: {name: Lamplighter}\\n" > /var/lib/lamplighter.yaml')
    host.run("chown", "lamplighter:", "/var/lib/lamplighter")
    host.run("chmod", "700", "/var/lib/lamplighter")
    yield host
    host.run("umount", "--recursive", "--lazy", "/var/lib")
    host.run("umount", "/etc/passwd", "/etc/group")


def examine_installed(host):
    done = host.run(
        "/var/lib/programs/lamplighter", "doctor", "--json", "--control", "/run/lamplighter/control.sock",
        "--config", "/var/lib/lamplighter.yaml", check=False)
    return json.loads(done.stdout)


@pytest.mark.parametrize("fault, verdict, words", [
    ("true", "daemon", "lamplighterd can start"),
    ("chown root /var/lib/lamplighter", "state", "no permission to use /var/lib/lamplighter"),
    ("chmod 600 /var/lib/lamplighter.yaml", "configuration", "/var/lib/lamplighter.yaml"),
])
def test_doctor_run_by_root_checks_with_the_daemons_permissions(fault, verdict, words, installed):
    installed.run("sh", "-c", fault)
    said = examine_installed(installed)
    assert said["verdict"] == verdict, said
    assert words in said["message"], said


def test_doctor_run_by_root_names_the_process_using_the_port(installed):
    holder, port = take_a_port(installed)
    installed.run("sh", "-c", f'printf "bridge: {{port: {port}}}\\n" > /var/lib/lamplighter.yaml')
    said = examine_installed(installed)
    end(holder)
    assert said["verdict"] == "port", said
    assert f"python3 (process {holder.pid})" in said["message"], said


def test_doctor_reports_a_stopped_daemon_without_changing_files(make_daemon):
    daemon = make_daemon()
    daemon.terminate()
    before = files(daemon)
    expect(examine(daemon), "daemon", "No such file", "lamplighterd can start")
    assert files(daemon) == before


# With a daemon that runs but doesn't answer


def test_doctor_reports_missing_permission_for_the_socket(daemon):
    daemon.socket.chmod(0)
    expect(examine(daemon, before=UNPRIVILEGED), "daemon", "no permission", "lamplighter group", code=77)


def test_doctor_reports_a_hung_daemon(daemon):
    daemon.process.send_signal(signal.SIGSTOP)
    try:
        said = examine(daemon)
    finally:
        daemon.process.send_signal(signal.SIGCONT)
    expect(said, "daemon", "doesn't answer", "restart")
    assert said.seconds < 10


# The daemon's host


@pytest.fixture
def small_disk(make_daemon, lan):
    """A daemon with its state on a separate disk of 4 MiB."""
    daemon = make_daemon(start=False)
    lan.bridge.run("mount", "-t", "tmpfs", "-o", "size=4m,mode=700", "tmpfs", daemon.state_directory)
    daemon.start()
    daemon.until_published()
    yield daemon
    daemon.close()
    lan.bridge.run("umount", "--recursive", "--lazy", daemon.state_directory)


def test_doctor_reports_a_full_disk(small_disk):
    filler = small_disk.state_directory / "filler"
    small_disk.host.run("dd", "if=/dev/zero", f"of={filler}", "bs=64k", check=False)
    expect(examine(small_disk), "storage", "the disk is full", "free some space", code=74)
    small_disk.host.run("rm", filler)
    assert examine(small_disk).code == 0


def test_doctor_reports_a_missing_database(daemon):
    (daemon.state_directory / "bridge.sqlite").unlink()
    expect(examine(daemon), "storage", "bridge.sqlite is missing", code=74)


# Avahi and D-Bus


def test_doctor_reports_a_stopped_avahi(daemon, lan):
    lan.bridge.stop_avahi()
    try:
        daemon.until(lambda status: status["advertisement"]["state"] != "published", 5, "the loss is detected")
        said = examine(daemon)
    finally:
        lan.bridge.start_avahi()
    expect(said, "avahi", "isn't running", "systemctl enable --now avahi-daemon")
    assert said.results["bus"] == "ok" and said.results["visible"] == "unknown"
    daemon.until_published()
    assert examine(daemon).code == 0


def test_doctor_reports_a_hung_avahi(daemon, lan):
    lan.bridge.avahi.send_signal(signal.SIGSTOP)
    try:
        said = examine(daemon)
    finally:
        lan.bridge.avahi.send_signal(signal.SIGCONT)
    expect(said, "avahi", "hangs", "systemctl restart avahi-daemon")
    assert said.seconds < 10


# The network


def test_doctor_reports_another_bridge_with_the_same_device_id(daemon, lan):
    status = daemon.status
    lan.phone.start_avahi()
    try:
        copy = publish(lan.phone, "A Copy", 9, [f"id={status['deviceId']}", "sf=0"])
        said = examine(daemon)
        end(copy)
    finally:
        lan.phone.stop_avahi()
        lan.phone.stop_bus()
    expect(said, "clone", status["deviceId"], '"A Copy" at host phone.local, port 9', "lamplighter reset")


def test_doctor_reports_blocked_multicast(daemon, firewall):
    firewall("iifname eth0 udp dport 5353 drop")
    said = examine(daemon)
    expect(said, "visible", "multicast is blocked on eth0", "UDP port 5353")
    assert said.seconds < 10


@pytest.mark.parametrize("rule, words", [
    ("ip daddr 10.77.0.1 tcp dport {port} drop", ["10.77.0.1", "doesn't respond"]),
    ("ip6 daddr fe80::/10 tcp dport {port} reject with tcp reset", ["fe80::", "refuses"]),
])
def test_doctor_reports_an_advertised_address_that_accepts_no_connections(rule, words, daemon, firewall):
    firewall(rule.format(port=daemon.status["port"]))
    said = examine(daemon)
    expect(said, "addresses", *words, "firewall")
    assert said.seconds < 10


# Controllers


async def test_doctor_reports_a_bridge_already_paired_with_another_controller(daemon, lan):
    async with Phone() as phone:
        await phone.pair(daemon.status["deviceId"], daemon.setup_code)
    daemon.until(lambda status: status["paired"] and status["controllers"] == 0, 5, "paired, without a connected controller")
    said = examine(daemon)
    assert said.code == 0, "a phone may be away"
    with hap.Connection(lan.bridge.address, daemon.status["port"]) as another:
        assert hap.PairSetup(another, daemon.setup_code_anyway).m1()[hap.ERROR] == bytes([hap.UNAVAILABLE])
    expect(examine(daemon), "pairing", "paired with 1 controller", "lamplighter pairings remove --all")
    daemon.cli("pairings", "remove", "--all", "--yes")
    until(lambda: examine(daemon).code == 0, 10, "no problems are found")


def test_doctor_warns_of_another_listener_on_the_mdns_port(daemon, lan):
    listener = lan.bridge.popen(
        "python3", "-c", "import socket as s; a = s.socket(s.AF_INET, s.SOCK_DGRAM);"
        "a.setsockopt(s.SOL_SOCKET, s.SO_REUSEADDR, 1); a.bind(('', 5353)); print(1, flush=True);"
        "import time; time.sleep(1000)", stdout=subprocess.PIPE, text=True)
    listener.stdout.readline()
    said = examine(daemon)
    end(listener)
    assert said.results["responders"] == "warning", said
