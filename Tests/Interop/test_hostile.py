"""Controllers that send garbage, stall or guess. After each of them, the bridge must still serve others."""

import asyncio
import contextlib
import socket
import sqlite3
import threading
import time
from pathlib import Path

import hap
import pytest
from hap import BUSY, ERROR, METHOD, PROOF, PUBLIC_KEY, STATE, Connection, ConnectionClosed, Identity, PairSetup, pair_setup
from lan import PATIENCE, run, until


@pytest.fixture
def bridge(make_daemon, lan):
    """A bridge without pairings; it must still serve after the test."""
    daemon = make_daemon()
    bridge = Bridge(daemon, lan.bridge.address)
    yield bridge
    pid = daemon.process.pid
    lan.phone.run_async(still_serves(bridge))
    assert daemon.is_running and daemon.process.pid == pid
    assert bridge.code not in daemon.log and bridge.code.replace("-", "") not in daemon.log


class Bridge:
    def __init__(self, daemon, address):
        self.daemon, self.address = daemon, address
        self.port, self.code = daemon.status["port"], daemon.setup_code
        self.controller = None

    def connect(self):
        return Connection(self.address, self.port)

    @property
    def failures(self):
        with sqlite3.connect(self.daemon.state_directory / "bridge.sqlite") as database:
            return database.execute("SELECT failedAttempts FROM server").fetchone()[0]

    def pair(self):
        self.controller = Identity()
        with self.connect() as connection:
            self.accessory = pair_setup(connection, self.code, self.controller)

    def session(self):
        return hap.session(self.address, self.port, self.controller, self.accessory)


async def still_serves(bridge):
    with bridge.session() as session:
        assert session.get("/accessories").status == 200


def guess(connection):
    """Send M1 and a wrong proof, and return the error of each answer."""
    m1 = connection.post("/pair-setup", (STATE, 1), (METHOD, 0)).tlv.get(ERROR)
    m3 = connection.post("/pair-setup", (STATE, 3), (PUBLIC_KEY, b"\x02"), (PROOF, bytes(64)))
    return m1 and m1[0], m3.tlv[ERROR][0] if m3.status == 200 else m3.status


@pytest.mark.long
def test_owner_can_pair_during_ten_thousand_guesses_from_fifty_addresses(bridge, lan):
    """The owner pairs from another address while the guesses continue."""
    sources = [f"10.77.0.{100 + number}" for number in range(50)]
    sent, stop = [0] * len(sources), threading.Event()

    async def noise():
        threads = [threading.Thread(target=attack, args=(number,)) for number in range(len(sources))]
        for thread in threads:
            thread.start()
        for thread in threads:
            await asyncio.to_thread(thread.join)

    def attack(number):
        while not stop.is_set():
            with contextlib.suppress(OSError, ConnectionClosed), Connection(
                    bridge.address, bridge.port, source=sources[number]) as connection:
                for _ in range(20):
                    guess(connection)
                    sent[number] += 1
                    stop.wait(0.05)

    with lan.add_host("noise", "10.77.0.10") as host:
        for source in sources:
            run("ip", "-n", host.namespace, "addr", "add", f"{source}/24", "dev", "eth0")
        attackers = threading.Thread(target=host.run_async, args=(noise(), 240))
        attackers.start()
        try:
            began = time.monotonic()
            until(lambda: time.monotonic() - began > 60 and sum(sent) >= 10_000, 120, "a minute of guesses")
            failures, asked = bridge.failures, time.monotonic()
            assert failures < 100
            lan.phone.run_async(pair_patiently(bridge, 90))
            print(f"{sum(sent)} guesses, {failures} failures, paired after {time.monotonic() - asked:.0f} s")
        finally:
            stop.set()
            attackers.join()


async def pair_patiently(bridge, limit):
    """Try to pair every 5 s, as a person does."""
    deadline = time.monotonic() + limit
    while True:
        with bridge.connect() as connection:
            setup = PairSetup(connection, bridge.code)
            items = setup.m1()
            if ERROR not in items:
                bridge.controller = Identity()
                assert ERROR not in setup.m3()
                bridge.accessory = setup.accessory(setup.m5(setup.m5_payload(bridge.controller)))
                return
        assert items[ERROR] == bytes([BUSY]), items
        assert time.monotonic() < deadline, f"not paired within {limit} s"
        await asyncio.sleep(5)


GARBAGE = [
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", b"GET / HTTP/9.9\r\n\r\n", b"\n" * 100, b"A" * 200_000,
    b"GET /accessories HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
    b"POST /pair-setup HTTP/1.1\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd",
    b"GET /accessories HTTP/1.1\r\n" + b"X: y\r\n" * 5000 + b"\r\n",
]
FALSE_FRAMES = [b"\x05\x00" + bytes(21), b"\x01\x04" + bytes(1041), b"\xff\xff", b"GET /accessories HTTP/1.1\r\n\r\n"]


async def test_garbage_and_invalid_frames_close_the_connection(bridge, lan):
    bridge.pair()
    for garbage in GARBAGE:
        with bridge.connect() as connection:
            with contextlib.suppress(OSError):
                connection.socket.sendall(garbage)
                connection.socket.shutdown(socket.SHUT_WR)
            assert connection.is_closed_within(5), garbage[:40]
    for frame in FALSE_FRAMES:
        with bridge.session() as session:
            session.socket.sendall(frame)
            assert session.is_closed_within(5), frame[:40]


class Customer:
    """A session that is in constant use during a test. `slowest` is its longest response time in seconds."""

    def __init__(self, bridge):
        self.bridge = bridge
        self.slowest, self.answers, self.failure, self.done = 0, 0, None, threading.Event()

    def __enter__(self):
        self.session = self.bridge.session()
        self.thread = threading.Thread(target=self.use, daemon=True)
        self.thread.start()
        return self

    def use(self):
        try:
            while not self.done.wait(0.02):
                began = time.monotonic()
                assert self.session.get("/characteristics?id=2.9").status == 200
                self.slowest, self.answers = max(self.slowest, time.monotonic() - began), self.answers + 1
        except Exception as error:
            self.failure = error

    def __exit__(self, *_):
        self.done.set()
        self.thread.join(10)
        self.session.socket.close()
        assert self.failure is None, "the session was not served"
        # The limit allows for a busy machine.
        assert self.answers > 0 and self.slowest < 3 * PATIENCE


def memory(daemon):
    """Return the daemon's memory in KiB."""
    for line in Path(f"/proc/{daemon.process.pid}/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1])


def is_dropped(connection):
    """Return whether the bridge has reset the connection, without reading from it."""
    try:
        connection.socket.send(b"\0")
    except TimeoutError:
        pass
    except ConnectionError:
        return True
    return False


@pytest.mark.long
async def test_slow_clients_are_disconnected_and_use_little_memory(bridge, lan):
    bridge.pair()
    with Customer(bridge):
        before = memory(bridge.daemon)
        # Send many requests and read no responses.
        reader = bridge.session()
        reader.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        reader.socket.settimeout(1)
        with pytest.raises(TimeoutError):
            while True:
                reader.send(b"GET /accessories HTTP/1.1\r\n\r\n" * 200)
        # Send the beginning of a frame, the beginning of a request, and single bytes.
        half = bridge.session()
        half.socket.sendall(b"\x10\x00abc")
        began = time.monotonic()
        slow = [bridge.connect() for _ in range(20)]
        ended = {}
        request = b"GET /accessories HTTP/1.1\r\nX: " + b"y" * 1000
        for position in range(80):
            for number, intruder in enumerate(slow):
                try:
                    intruder.socket.sendall(request[position:position + 1])
                except OSError:
                    ended.setdefault(number, time.monotonic() - began)
            if len(ended) == len(slow):
                break
            if position == 24:
                assert half.is_closed_within(1), "a frame must arrive within 10 s"
            # A slow build also needs more memory: a sanitizer uses memory and keeps freed memory.
            assert memory(bridge.daemon) - before < 20_000 * PATIENCE
            time.sleep(0.45)
        assert len(ended) == len(slow) and min(ended.values()) > 25, "a message must arrive within 30 s"
        # The peer's system acknowledges only as many bytes as fit. The bridge's system notices that when it probes the peer, up
        # to 60 s after the last acknowledged bytes.
        until(lambda: is_dropped(reader), 60, "a client that reads nothing is disconnected")
        reader.socket.close()


async def test_idle_unauthenticated_clients_do_not_block_controllers(bridge, lan):
    bridge.pair()
    intruders = [bridge.connect() for _ in range(200)]
    with bridge.session() as session:
        assert session.get("/accessories").status == 200
    for intruder in intruders:
        intruder.socket.close()
