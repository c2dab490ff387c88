"""A disk that stalls in every flush delays only changes."""

import contextlib
import os
import subprocess
import time

import pytest

from conftest import configuration
from home import HomeDaemon
from lan import until
from test_service_manager import ServiceManager

LAMP = [{"id": "lamp", "name": "Lamp", "brightness": True}]
ON = "25"
#: The duration of each flush in seconds, such as FLUSH=30. The watchdog's timeout is shorter.
FLUSH = int(os.environ.get("FLUSH", "12"))
WATCHDOG = 6


@contextlib.contextmanager
def slow_flushes(daemon):
    """Delay every flush of a daemon, in the flushing thread."""
    calls = "fsync,fdatasync"
    tracer = subprocess.Popen(
        ["strace", "-f", "-o", str(daemon.directory / "strace"), "-e", f"trace={calls}", "-e",
         f"inject={calls}:delay_enter={FLUSH}s", "-p", str(daemon.process.pid)], stderr=subprocess.PIPE)
    try:
        assert b"attached" in tracer.stderr.readline()
        yield
    finally:
        tracer.terminate()
        tracer.communicate(timeout=FLUSH + 20)


@pytest.fixture
def watched_home(lan, tmp_path, monkeypatch):
    """A home hub with a service manager as its watchdog."""
    manager = ServiceManager(tmp_path)
    monkeypatch.setenv("NOTIFY_SOCKET", manager.path)
    monkeypatch.setenv("WATCHDOG_USEC", str(WATCHDOG * 1_000_000))
    with lan.add_host("hub", "10.77.0.3") as host:
        home = HomeDaemon(host, tmp_path / "home")
        try:
            home.start()
            until(lambda: home.is_discovering, 20, "the home's host has its name")
            yield home, manager
        finally:
            home.close()
            manager.close()


@pytest.mark.long
def test_values_arrive_while_a_change_waits_for_the_disk(watched_home, make_daemon, monkeypatch):
    home, manager = watched_home
    monkeypatch.delenv("NOTIFY_SOCKET")
    monkeypatch.delenv("WATCHDOG_USEC")
    bridge = make_daemon(configuration("Demo", LAMP))
    bridge.until_published()
    writer, reader = home.app("org.example.writer"), home.app("org.example.reader")
    house = writer.do("addHome", name="House")["id"]
    writer.add(bridge.status["deviceId"], bridge.setup_code, house)
    on = until(lambda: "Lamp" in reader.accessories and reader.characteristic("Lamp", ON), 20, "the lamp")
    until(lambda: reader.accessory("Lamp")["isReachable"], 20, "the lamp is reachable")
    reader.do("setNotification", characteristic=on["id"], isEnabled=True)
    reader.forget_events()
    with slow_flushes(home):
        began = time.monotonic()
        writer.start("addRoom", home=house, name="Kitchen")
        for state in ("true", "false", "true", "false"):
            bridge.cli("simulate", "simulated/lamp", f"on={state}")
            value = reader.wait_for_event("valueUpdated", timeout=4)
            assert value["characteristic"] == on["id"]
            reader.do("readValue", characteristic=on["id"], timeout=4)
        asked = time.monotonic() - began
        assert asked < FLUSH, f"that took {asked:.1f} s, longer than the flush, and shows nothing"
        assert all(room["name"] != "Kitchen" for room in reader.home["rooms"])
        manager.drain()
        manager.next("WATCHDOG")
        assert time.monotonic() - began < FLUSH
        # The answer is sent after the flush.
        assert writer.finish(timeout=4 * FLUSH)["name"] == "Kitchen"
        assert time.monotonic() - began >= FLUSH
        reader.wait_for_event("roomAdded")
    assert home.process.poll() is None
    assert [room["name"] for room in reader.home["rooms"]] == ["Kitchen"]
