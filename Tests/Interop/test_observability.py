"""Checks the bridge's journal entries and metrics, and that it writes nothing while idle."""

import asyncio
import http.client
import os
import re
import socket
import struct
import time

import hap
import pytest
from conftest import configuration
from hap import Connection, Identity, pair_setup
from lan import PATIENCE, until
from prometheus_client.parser import text_string_to_metric_families


def pair(daemon, address):
    """Pair a controller, and return its identity and the bridge's accessory data."""
    me = Identity()
    with Connection(address, daemon.status["port"]) as connection:
        return me, pair_setup(connection, daemon.setup_code, me)


def switches(session):
    """Return the `On` characteristics of all lights, as `(aid, iid)`."""
    return [(accessory["aid"], characteristic["iid"])
            for accessory in session.get("/accessories").json["accessories"]
            for service in accessory["services"] for characteristic in service["characteristics"]
            if characteristic["type"].lstrip("0").startswith("25")]


# The journal


class Journal:
    """A listener at the journal's socket on a host with a separate /run."""

    def __init__(self, host, directory):
        self.entries = []
        self.path = directory / "journal.sock"
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(str(self.path))
        self.socket.setblocking(False)
        host.run("mkdir", "-p", "/run/systemd/journal")
        host.run("ln", "-sf", self.path, "/run/systemd/journal/socket")

    def read(self):
        while True:
            try:
                data = self.socket.recv(1 << 20)
            except BlockingIOError:
                return self.entries
            entry = {}
            while data:
                head, data = data.split(b"\n", 1)
                if b"=" in head:
                    name, value = head.split(b"=", 1)
                else:
                    name, length = head, struct.unpack("<Q", data[:8])[0]
                    value, data = data[8:8 + length], data[8 + length + 1:]
                entry[name.decode()] = value.decode()
            self.entries.append(entry)


async def test_journal_entries_can_be_searched_by_their_fields(make_daemon, lan, tmp_path, monkeypatch):
    journal = Journal(lan.bridge, tmp_path)
    try:
        daemon = make_daemon(start=False)
        # systemd sets this variable for the stream that it has connected to standard error.
        daemon.log_path.touch()
        status = daemon.log_path.stat()
        monkeypatch.setenv("JOURNAL_STREAM", f"{status.st_dev}:{status.st_ino}")
        daemon.start()
        me, bridge = pair(daemon, lan.bridge.address)
        with hap.session(lan.bridge.address, daemon.status["port"], me, bridge) as session:
            aid = switches(session)[0][0]
        daemon.cli("pairings", "remove", me.id.decode())
        light = next(key for key, light in daemon.lights.items() if light["aid"] == aid)
        entries = until(lambda: [e for e in journal.read() if e["MESSAGE"].startswith("pairing removed")], 5, "an entry")
        assert entries == [{
            "MESSAGE": f"pairing removed by=operator controller={me.id.decode()}", "PRIORITY": "5",
            "SYSLOG_IDENTIFIER": "lamplighterd", "BY": "operator", "CONTROLLER": me.id.decode()}]
        about = [entry["MESSAGE"] for entry in journal.entries if entry.get("LIGHT") == light]
        assert about == [f"light added aid={aid} driver=simulated light={light}"]
        assert [e["AID"] for e in journal.entries if e.get("LIGHT") == light] == [str(aid)]
        assert daemon.log == "", "entries aren't also printed to standard error"
        # The reason for a failed start is also an error in the journal.
        code, _ = daemon.terminate()
        assert code == 0
        daemon.configure({"brigde": {}})
        daemon.start_without_waiting()
        assert daemon.process.wait(10 * PATIENCE) == 78
        last = journal.read()[-1]
        assert last["MESSAGE"].startswith("daemon failed ")
        assert (last["PRIORITY"], last["ERROR"].split(": ", 1)[1]) == ("2", "brigde: unknown key; use bridge")
        assert daemon.log == ""
        # Without a journal, events are printed as lines.
        lan.bridge.run("rm", "/run/systemd/journal/socket")
        daemon.configure(configuration())
        daemon.start()
        assert re.search(r"^<5>lamplighterd: bridge started ", daemon.log, re.M)
    finally:
        lan.bridge.run("rm", "-rf", "/run/systemd")


# Metrics


def free_port(host):
    """Return a free TCP port of a host."""
    script = "import socket; s = socket.create_server(('127.0.0.1', 0)); print(s.getsockname()[1])"
    return int(host.run("python3", "-c", script).stdout)


def with_metrics(lan, listen="127.0.0.1", **keys):
    port = free_port(lan.bridge)
    return port, {**configuration(**keys), "metrics": {"listen": f"{listen}:{port}"}}


def scrape(lan, port, address="127.0.0.1"):
    """Return all samples by name and labels, parsed by Prometheus's own parser."""
    async def get():
        connection = http.client.HTTPConnection(address, port, timeout=10 * PATIENCE)
        connection.request("GET", "/metrics")
        answer = connection.getresponse()
        body = answer.read().decode()
        assert (answer.status, answer.getheader("Content-Type")) == (200, "text/plain; version=0.0.4; charset=utf-8")
        return body

    samples = {}
    for family in text_string_to_metric_families(lan.bridge.run_async(get())):
        assert family.documentation and family.type in ("counter", "gauge", "histogram")
        for sample in family.samples:
            key = sample.name, frozenset(sample.labels.items())
            assert key not in samples, "each sample occurs once"
            samples[key] = sample.value
    return lambda name, **labels: samples.get((name, frozenset(labels.items())))


async def test_metrics_reflect_pairings_requests_and_light_commands(make_daemon, lan):
    port, settings = with_metrics(lan)
    daemon = make_daemon(settings)
    daemon.until_published()
    empty = scrape(lan, port)
    assert empty("lamplighter_paired") == 0
    me, bridge = pair(daemon, lan.bridge.address)
    with hap.session(lan.bridge.address, daemon.status["port"], me, bridge) as session:
        on = switches(session)
        assert len(on) == 3
        session.put("/characteristics", {"characteristics": [{"aid": a, "iid": i, "ev": True} for a, i in on]})
        session.put("/characteristics", {"characteristics": [{"aid": a, "iid": i, "value": True} for a, i in on]})
        daemon.cli("simulate", "simulated/porch", "reachable=false")
        session.put("/characteristics", {"characteristics": [
            {"aid": daemon.lights["simulated/porch"]["aid"], "iid": on[1][1], "value": True}]})
        daemon.cli("simulate", "simulated/kettle", "on=false")
        figures = scrape(lan, port)
    assert figures("lamplighter_paired") == 1
    assert figures("lamplighter_pairings") == 1
    assert figures("lamplighter_sessions") == 1
    assert figures("lamplighter_lights", driver="simulated") == 3
    assert figures("lamplighter_lights_reachable", driver="simulated") == 2
    assert figures("lamplighter_driver_state", driver="simulated", state="running") == 1
    assert figures("lamplighter_advertisement_state", state="published") == 1
    assert figures("lamplighter_light_commands_total", driver="simulated", status="success") == 3
    assert figures("lamplighter_light_commands_total", driver="simulated", status="unreachable") is None, "it gets no command"
    assert figures("lamplighter_light_command_duration_seconds_count", driver="simulated") == 3
    assert figures("lamplighter_requests_total", endpoint="PUT /characteristics", status="204") == 2
    assert figures("lamplighter_requests_total", endpoint="PUT /characteristics", status="207") == 1
    assert figures("lamplighter_request_duration_seconds_count", endpoint="PUT /characteristics") == 3
    assert figures("lamplighter_events_total", outcome="sent") >= 1
    assert figures("lamplighter_database_writes_total", result="done") > empty(
        "lamplighter_database_writes_total", result="done")
    assert figures("lamplighter_configuration_number") == daemon.status["configurationNumber"]
    assert abs(figures("process_start_time_seconds") - time.time()) < 120
    assert figures("process_resident_memory_bytes") > 1e6
    # The connections of the scrape and of the operator aren't permanent.
    assert abs(figures("process_open_fds") - len(os.listdir(f"/proc/{daemon.process.pid}/fd"))) < 5


# Idle


def written(process):
    """Return the numbers of bytes that a process has written to disks and with write(2)."""
    with open(f"/proc/{process.pid}/io") as file:
        return {key: int(value) for key, value in (line.split(": ") for line in file)}


def ages(directory):
    """Return the time of each file's last change."""
    return {path: path.stat().st_mtime_ns for path in directory.rglob("*") if path.is_file()}


@pytest.mark.long
async def test_idle_daemon_writes_nothing(make_daemon, lan):
    daemon = make_daemon()
    daemon.until_stable()
    me, bridge = pair(daemon, lan.bridge.address)
    with hap.session(lan.bridge.address, daemon.status["port"], me, bridge) as session:
        on = switches(session)
        session.put("/characteristics", {"characteristics": [{"aid": a, "iid": i, "ev": True} for a, i in on]})
        # The state after the last changes is stored 10 s later.
        await asyncio.sleep(12)
        files = ages(daemon.directory)
        log, before = daemon.log, written(daemon.process)
        await asyncio.sleep(15)
        after = written(daemon.process)
        assert after["write_bytes"] == before["write_bytes"]
        # Waking a thread writes eight bytes; a row or a log line would be far more.
        assert after["wchar"] - before["wchar"] < 512
        assert daemon.log == log
        assert ages(daemon.directory) == files
        assert session.get(f"/characteristics?id={on[0][0]}.{on[0][1]}").status == 200
