"""The daemons' notifications to a simulated service manager."""

import contextlib
import ctypes
import os
import socket
import time

import pytest

import hap
from conftest import configuration
from home import HomeDaemon
from lan import PATIENCE, threads
from power_cut import tracer


class ServiceManager:
    """The socket that a daemon gets in NOTIFY_SOCKET."""

    def __init__(self, directory):
        self.path = str(directory / "notify.sock")
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(self.path)
        self.told = []

    def next(self, *wanted, timeout=20):
        """Wait for one of these messages, skip others, and return the message."""
        deadline = time.monotonic() + timeout * PATIENCE
        while True:
            self.socket.settimeout(max(0.001, deadline - time.monotonic()))
            try:
                message = self.socket.recv(65536).decode()
            except TimeoutError:
                raise AssertionError(f"no notification {wanted} within {timeout} s; received {self.told}") from None
            self.told.append(message)
            if message.split("=")[0] in wanted:
                return message

    def drain(self):
        """Return the pending messages."""
        self.socket.settimeout(0)
        drained = []
        with contextlib.suppress(BlockingIOError):
            while True:
                drained.append(self.socket.recv(65536).decode())
        self.told += drained
        return drained

    def close(self):
        self.socket.close()


@pytest.fixture
def manager(tmp_path):
    made = ServiceManager(tmp_path)
    yield made
    made.close()


@pytest.fixture(params=["lamplighterd", "homehubd"])
def service(request, manager, make_daemon, lan, tmp_path, monkeypatch):
    """A daemon with a service manager, which isn't started yet."""
    monkeypatch.setenv("NOTIFY_SOCKET", manager.path)
    if request.param == "lamplighterd":
        made = make_daemon(configuration(advertise="none"), start=False)
    else:
        made = HomeDaemon(lan.phone, tmp_path / "home")
    yield made
    made.close()


def begin(service):
    """Start the daemon without waiting for its socket."""
    answers = service._answers
    service._answers = lambda: True
    try:
        service.start()
    finally:
        service._answers = answers


def test_client_can_connect_once_the_daemon_is_ready(service, manager, tmp_path):
    # Delay listening, so that a notification before it is detected.
    service.wrapper = tracer(
        tmp_path / "strace", "--seccomp-bpf", "-e", "trace=listen", "-e", "inject=listen:delay_enter=700000")
    begin(service)
    manager.next("READY")
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(str(service.socket))
    assert manager.told.count("READY=1") == 1, "once"


class StoppedThreads:
    """Stops the event loops of a daemon, but no other threads."""

    SEIZE, INTERRUPT, DETACH, ALL = 0x4206, 0x4207, 17, 0x40000000

    def __init__(self, process):
        names = threads(process.pid, "comm")
        self.threads = [thread for thread, name in names.items() if name.startswith("NIO-ELT")]
        assert self.threads, names
        self.libc = ctypes.CDLL(None, use_errno=True)

    def _trace(self, request, thread):
        if self.libc.ptrace(request, thread, None, None) != 0:
            raise OSError(ctypes.get_errno(), f"ptrace {request:#x}")

    def __enter__(self):
        for thread in self.threads:
            self._trace(self.SEIZE, thread)
            self._trace(self.INTERRUPT, thread)
            os.waitpid(thread, self.ALL)

    def __exit__(self, *_):
        for thread in self.threads:
            self._trace(self.DETACH, thread)


def test_daemon_with_a_hung_event_loop_does_not_notify_the_watchdog(service, manager, monkeypatch):
    interval = 0.3
    monkeypatch.setenv("WATCHDOG_USEC", str(int(interval * 1_000_000)))
    begin(service)
    manager.next("READY")
    for _ in range(5):
        manager.next("WATCHDOG")
    with StoppedThreads(service.process):
        manager.drain()
        # One notification may still be in flight.
        time.sleep(interval)
        manager.drain()
        time.sleep(4 * interval)
        assert "WATCHDOG=1" not in manager.drain()
    manager.next("WATCHDOG")


async def test_setup_code_from_the_configuration_file_is_used_for_pairing(make_daemon, lan):
    daemon = make_daemon(configuration(advertise="none", **{"setup-code": "415-27-893"}))
    assert daemon.setup_code == "415-27-893"
    with hap.Connection(lan.bridge.address, daemon.status["port"]) as connection:
        hap.pair_setup(connection, "415-27-893", hap.Identity())
    assert daemon.status["paired"]
    assert "415-27-893" not in daemon.log
