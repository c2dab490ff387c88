"""`lamplighter doctor`: each prepared fault is named, and nothing is named where nothing is wrong."""

import contextlib
import json
import os
import shutil
import signal
import socket
import sqlite3
import subprocess
import time
import uuid
from pathlib import Path
from types import SimpleNamespace

import hap
import pytest
from conftest import configuration
from controllers import Phone
from daemon import program
from lan import Host, end, run, until


def examine(daemon, *words, host=None, before=()):
    """Run doctor on the bridge's host (or another), behind the command `before`; returns what it says."""
    command = [
        *before, program("lamplighter"), "doctor", "--json", "--control", daemon.socket,
        "--config", daemon.directory / "lamplighter.yaml", "--state-directory", daemon.state_directory, *words]
    began = time.monotonic()
    done = (host or daemon.host).run(*command, check=False)
    assert done.stdout, done.stderr
    said = json.loads(done.stdout)
    return SimpleNamespace(
        code=done.returncode, seconds=time.monotonic() - began, errors=done.stderr, verdict=said["verdict"],
        message=said.get("message", ""), remedy=said.get("remedy", ""),
        results={check["check"]: check["result"] for check in said["checks"]})


def expect(said, verdict, *words, code=69):
    """The verdict, words of what is wrong or what to do, and the exit code."""
    assert (said.verdict, said.code) == (verdict, code), said
    for word in words:
        assert word in f"{said.message}; {said.remedy}", said
    # Standard error has the verdict, too.
    error = json.loads(said.errors)["error"]
    assert error["code"] == code and error["message"].startswith(f"{verdict}: "), said


@pytest.fixture
def firewall(lan):
    """Adds rules to the input of the bridge's host, and takes them all away."""
    lan.bridge.run("nft", "add table inet doctor")
    lan.bridge.run("nft", "add chain inet doctor input { type filter hook input priority 0; }")
    yield lambda rule: lan.bridge.run("nft", f"add rule inet doctor input {rule}")
    lan.bridge.run("nft", "delete table inet doctor")


@pytest.fixture
def elsewhere(lan):
    """A host with Avahi and an `eth0` that leads nowhere: what is seen there is not what the bridge publishes."""
    host = Host(f"{lan.bridge.namespace}-{uuid.uuid4().hex[:4]}", "elsewhere", None, lan.directory)
    try:
        host.run("ip", "link", "add", "eth0", "type", "veth", "peer", "name", "nowhere")
        for end_of_cable in ("eth0", "nowhere"):
            host.run("ip", "link", "set", end_of_cable, "up")
        host.run("ip", "addr", "add", "10.78.0.1/24", "dev", "eth0")
        host.start_avahi()
        yield host
    finally:
        host.close()


def publish(host, name, port, txt):
    """Publish a HAP service by other means, and wait until it is there."""
    process = host.popen(
        "avahi-publish", "-s", name, "_hap._tcp", port, *txt, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    for line in process.stdout:
        if "Established" in line:
            return process
    raise AssertionError(f"avahi-publish ends with {process.wait()}")


# Nothing is wrong


def test_a_healthy_bridge_is_well_within_ten_seconds(daemon):
    said = examine(daemon)
    assert (said.verdict, said.code, said.errors) == ("well", 0, ""), said
    assert set(said.results.values()) == {"ok"}, said
    assert said.seconds < 10
    text = daemon.host.run(program("lamplighter"), "--control", daemon.socket, "doctor").stdout
    assert "Nothing is wrong that can be seen from this host." in text
    assert daemon.setup_code not in text


def files(daemon):
    """What is in the state directory, and whether it changes."""
    return {path.name: path.stat().st_mtime_ns for path in daemon.state_directory.iterdir()}


def test_doctor_leaves_no_trace_and_never_opens_the_port_of_mdns(make_daemon):
    # The states of lights would be written some time after they were first told of.
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


def test_long_looks_a_second_time(daemon):
    said = examine(daemon, "--long", "--pause", "1")
    assert (said.verdict, said.code) == ("well", 0), said
    # No other host answers on the pretend LAN, and doctor does not say more than it knows.
    assert said.results["lasting"] == "unknown"


# The daemon does not run


def test_a_wrong_configuration_is_shown_with_its_place(make_daemon):
    daemon = make_daemon("bridge: {nmae: Lamplighter}\n", start=False)
    expect(examine(daemon), "configuration", "lamplighter.yaml:1:10: bridge.nmae", "write name", code=78)


def test_a_missing_configuration(make_daemon):
    daemon = make_daemon(start=False)
    (daemon.directory / "lamplighter.yaml").unlink()
    expect(examine(daemon), "configuration", "lamplighter.yaml", code=66)


def take_a_port(host):
    holder = host.popen(
        "python3", "-c", "import socket; s = socket.create_server(('', 0)); print(s.getsockname()[1], flush=True);"
        "import time; time.sleep(1000)", stdout=subprocess.PIPE, text=True)
    return holder, int(holder.stdout.readline())


def test_a_taken_port_is_shown_with_who_has_it(make_daemon, lan):
    holder, port = take_a_port(lan.bridge)
    daemon = make_daemon(configuration(port=port), start=False)
    expect(examine(daemon), "port", f"port {port} is taken by python3 (process {holder.pid})")
    daemon.configure({**configuration(), "metrics": {"listen": f"127.0.0.1:{port}"}})
    expect(examine(daemon), "metrics", f"port {port} is taken by python3 (process {holder.pid})", "metrics.listen")
    end(holder)
    assert examine(daemon).verdict == "daemon"


def test_a_damaged_database(make_daemon):
    daemon = make_daemon()
    daemon.terminate()
    database = daemon.state_directory / "bridge.sqlite"
    whole = database.read_bytes()
    database.write_bytes(whole[:4096] + b"\xff" * (len(whole) - 4096))
    expect(examine(daemon), "state", "bridge.sqlite is damaged", "lamplighter restore", code=65)
    database.write_bytes(whole)
    assert examine(daemon).verdict == "daemon"


def test_a_database_in_use_by_a_daemon_with_another_socket(daemon):
    daemon.socket.rename(daemon.runtime_directory / "other.sock")
    expect(examine(daemon), "state", f"held by process {daemon.process.pid}")


# Root without the right to pass over modes is as any other user to files that belong to somebody else.
UNPRIVILEGED = ["setpriv", "--bounding-set=-dac_override,-dac_read_search", "--inh-caps=-all"]


def test_a_state_directory_of_another_user(make_daemon):
    daemon = make_daemon(start=False)
    os.chown(daemon.state_directory, 65534, 65534)
    expect(examine(daemon, before=UNPRIVILEGED), "state", "no permission", str(daemon.state_directory), code=77)


def test_a_file_that_root_has_left_in_the_state_directory(make_daemon):
    daemon = make_daemon()
    daemon.terminate()
    os.chown(daemon.state_directory, 65534, 65534)
    expect(examine(daemon), "state", "no permission to use", "bridge.sqlite", code=77)


@pytest.fixture
def installed(make_daemon, lan, tmp_path):
    """A daemon as the package installs it: in the system's places, with a user of its own."""
    host = lan.bridge
    for name, line in (("passwd", "lamplighter:x:64999:64999::/var/lib/lamplighter:/bin/false\n"),
                       ("group", "lamplighter:x:64999:\n")):
        (tmp_path / name).write_text(Path("/etc", name).read_text() + line)
        host.run("mount", "--bind", tmp_path / name, f"/etc/{name}")
    host.run("mount", "-t", "tmpfs", "tmpfs", "/var/lib")
    # Programs that any user may run, wherever they were built.
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
    ("true", "daemon", "nothing keeps lamplighterd from starting"),
    ("chown root /var/lib/lamplighter", "state", "no permission to use /var/lib/lamplighter"),
    ("chmod 600 /var/lib/lamplighter.yaml", "configuration", "/var/lib/lamplighter.yaml"),
])
def test_root_asks_as_the_user_of_the_daemon(fault, verdict, words, installed):
    installed.run("sh", "-c", fault)
    said = examine_installed(installed)
    assert said["verdict"] == verdict, said
    assert words in said["message"], said


def test_root_sees_who_has_the_port_of_the_daemon(installed):
    holder, port = take_a_port(installed)
    installed.run("sh", "-c", f'printf "bridge: {{port: {port}}}\\n" > /var/lib/lamplighter.yaml')
    said = examine_installed(installed)
    end(holder)
    assert said["verdict"] == "port", said
    assert f"python3 (process {holder.pid})" in said["message"], said


def test_a_daemon_that_has_ended_is_looked_at_without_a_trace(make_daemon):
    daemon = make_daemon()
    daemon.terminate()
    before = files(daemon)
    expect(examine(daemon), "daemon", "No such file", "nothing keeps lamplighterd from starting")
    assert files(daemon) == before


def test_a_daemon_that_was_killed(make_daemon):
    daemon = make_daemon()
    daemon.kill()
    expect(examine(daemon), "daemon", "Connection refused", "nothing keeps lamplighterd from starting")


# It runs, and cannot be asked


def test_a_socket_without_permission(daemon):
    daemon.socket.chmod(0)
    expect(examine(daemon, before=UNPRIVILEGED), "daemon", "no permission", "group lamplighter", code=77)


def test_a_daemon_that_hangs(daemon):
    daemon.process.send_signal(signal.SIGSTOP)
    try:
        said = examine(daemon)
    finally:
        daemon.process.send_signal(signal.SIGCONT)
    expect(said, "daemon", "does not answer", "restart")
    assert said.seconds < 10


# Its host


def test_a_clock_before_the_program(daemon, tmp_path):
    # The clock is the whole machine's, so doctor alone is shown another one.
    (tmp_path / "clock.c").write_text("""
        #include <sys/syscall.h>
        #include <time.h>
        #include <unistd.h>
        int clock_gettime(clockid_t id, struct timespec *now) {
            long failed = syscall(SYS_clock_gettime, id, now);
            if (!failed && id == CLOCK_REALTIME) now->tv_sec = 1000000000;
            return failed;
        }
    """)
    run(shutil.which("cc") or "clang", "-shared", "-fPIC", "-D_GNU_SOURCE", "-o", str(tmp_path / "clock.so"), str(tmp_path / "clock.c"))
    said = examine(daemon, before=["env", f"LD_PRELOAD={tmp_path}/clock.so"])
    expect(said, "clock", "2001-09-09", "timedatectl")


@pytest.fixture
def small_disk(make_daemon, lan):
    """A daemon whose state is on a disk of its own, 4 MiB in size."""
    daemon = make_daemon(start=False)
    lan.bridge.run("mount", "-t", "tmpfs", "-o", "size=4m,mode=700", "tmpfs", daemon.state_directory)
    daemon.start()
    daemon.until_published()
    yield daemon
    daemon.close()
    lan.bridge.run("umount", "--recursive", "--lazy", daemon.state_directory)


def test_a_full_disk(small_disk):
    filler = small_disk.state_directory / "filler"
    small_disk.host.run("dd", "if=/dev/zero", f"of={filler}", "bs=64k", check=False)
    expect(examine(small_disk), "storage", "the disk is full", "make room", code=74)
    small_disk.host.run("rm", filler)
    assert examine(small_disk).code == 0


def test_a_disk_that_can_only_be_read(small_disk):
    # Mounted once more, because the open database keeps the disk itself from being made read-only.
    small_disk.host.run("mount", "--bind", small_disk.state_directory, small_disk.state_directory)
    small_disk.host.run("mount", "-o", "remount,bind,ro", small_disk.state_directory)
    expect(examine(small_disk), "storage", "can only be read", code=74)


def test_a_database_that_is_gone(daemon):
    (daemon.state_directory / "bridge.sqlite").unlink()
    expect(examine(daemon), "storage", "bridge.sqlite is gone", code=74)


# Avahi and its bus


def test_advertising_is_off(make_daemon):
    expect(examine(make_daemon(configuration(advertise="none"))), "advertise", "advertise: none", code=78)


def test_avahi_is_stopped(daemon, lan):
    lan.bridge.stop_avahi()
    try:
        daemon.until(lambda status: status["advertisement"]["state"] != "published", 5, "the loss is noticed")
        said = examine(daemon)
    finally:
        lan.bridge.start_avahi()
    expect(said, "avahi", "not running", "systemctl enable --now avahi-daemon")
    assert said.results["bus"] == "ok" and said.results["visible"] == "unknown"
    daemon.until_published()
    assert examine(daemon).code == 0


def test_avahi_hangs(daemon, lan):
    lan.bridge.avahi.send_signal(signal.SIGSTOP)
    try:
        said = examine(daemon)
    finally:
        lan.bridge.avahi.send_signal(signal.SIGCONT)
    expect(said, "avahi", "hangs", "systemctl restart avahi-daemon")
    assert said.seconds < 10


def test_the_bus_is_stopped(daemon, lan):
    lan.bridge.stop_avahi()
    lan.bridge.stop_bus()
    try:
        daemon.until(lambda status: status["advertisement"]["state"] != "published", 5, "the loss is noticed")
        said = examine(daemon)
    finally:
        lan.bridge.start_avahi()
    expect(said, "bus", "D-Bus is not running", "systemctl start dbus")


# The record


def test_a_record_that_is_gone_behind_the_daemons_back(daemon, elsewhere):
    expect(examine(daemon, host=elsewhere), "visible", "does not know", daemon.status["advertisement"]["name"])


def test_a_record_that_differs(daemon, elsewhere):
    status = daemon.until_stable()
    txt = [f"id={status['deviceId']}", "c#=9999", "ff=0", "pv=1.1", "s#=1", "sf=1", "ci=2", "md=Other"]
    publish(elsewhere, status["advertisement"]["name"], 9, txt)
    expect(
        examine(daemon, host=elsewhere), "record", f"the port is 9 and should be {status['port']}",
        f"c# is 9999 and should be {status['configurationNumber']}", "sh is missing")


def test_another_bridge_with_this_device_id(daemon, lan):
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


# The network


def test_multicast_that_is_dropped(daemon, firewall):
    firewall("iifname eth0 udp dport 5353 drop")
    said = examine(daemon)
    expect(said, "visible", "multicast does not come through on eth0", "UDP port 5353")
    assert said.seconds < 10


def test_a_closed_port_5353(daemon, firewall):
    firewall("udp dport 5353 drop")
    expect(examine(daemon), "visible", "nothing on port 5353 answers on eth0")


@pytest.mark.parametrize("rule, words", [
    ("ip daddr 10.77.0.1 tcp dport {port} drop", ["10.77.0.1", "nothing comes back"]),
    ("ip6 daddr fe80::/10 tcp dport {port} reject with tcp reset", ["fe80::", "refuses"]),
])
def test_an_address_of_the_record_that_does_not_accept(rule, words, daemon, firewall):
    firewall(rule.format(port=daemon.status["port"]))
    said = examine(daemon)
    expect(said, "addresses", *words, "firewall")
    assert said.seconds < 10


# Controllers


async def test_a_bridge_that_is_paired_elsewhere(daemon, lan):
    async with Phone() as phone:
        await phone.pair(daemon.status["deviceId"], daemon.setup_code)
    daemon.until(lambda status: status["paired"] and status["controllers"] == 0, 5, "paired, and no controller is connected")
    said = examine(daemon)
    assert said.code == 0, "a phone that is away is no fault"
    with hap.Connection(lan.bridge.address, daemon.status["port"]) as another:
        assert hap.PairSetup(another, daemon.setup_code_anyway).m1()[hap.ERROR] == bytes([hap.UNAVAILABLE])
    expect(examine(daemon), "pairing", "paired with 1 controller", "lamplighter pairings remove --all")
    daemon.cli("pairings", "remove", "--all", "--yes")
    until(lambda: examine(daemon).code == 0, 10, "well again")


def test_a_bridge_that_is_locked(make_daemon):
    daemon = make_daemon()
    daemon.terminate()
    with contextlib.closing(sqlite3.connect(daemon.state_directory / "bridge.sqlite")) as database:
        with database:
            database.execute("UPDATE server SET failedAttempts = 100")
    daemon.start()
    daemon.until_published()
    expect(examine(daemon), "attempts", "100 of 100", "lamplighter pairings unlock")


def test_lights_and_drivers_that_are_unwell_are_warnings(make_daemon):
    drivers = [
        {"driver": "simulated", "lights": [{"id": "far", "name": "Far Lamp"}]},
        {"driver": "mqtt", "url": "mqtt://127.0.0.1:1"},
    ]
    daemon = make_daemon(configuration(drivers=drivers))
    daemon.until_published()
    until(lambda: "simulated/far" in daemon.lights, 5, "the light")
    daemon.cli("simulate", "simulated/far", "reachable=false")
    daemon.until(lambda status: status["drivers"][1]["state"] not in ("starting", "running"), 10, "no broker")
    said = examine(daemon)
    assert said.code == 0, said
    assert said.results["drivers"] == said.results["lights"] == "warning", said


def test_another_listener_on_the_port_of_mdns_is_a_warning(daemon, lan):
    listener = lan.bridge.popen(
        "python3", "-c", "import socket as s; a = s.socket(s.AF_INET, s.SOCK_DGRAM);"
        "a.setsockopt(s.SOL_SOCKET, s.SO_REUSEADDR, 1); a.bind(('', 5353)); print(1, flush=True);"
        "import time; time.sleep(1000)", stdout=subprocess.PIPE, text=True)
    listener.stdout.readline()
    said = examine(daemon)
    end(listener)
    assert said.results["responders"] == "warning", said
