"""Controllers that lie, hurry, guess or garble; after each the bridge still serves."""

import asyncio
import contextlib
import os
import socket
import sqlite3
import threading
import time
from pathlib import Path

import hap
import pytest
from hap import (
    AUTHENTICATION, BUSY, ENCRYPTED, ERROR, IDENTIFIER, LOW_ORDER_POINTS, MAX_TRIES, METHOD, PROOF, PUBLIC_KEY, STATE,
    UNAVAILABLE, Connection, ConnectionClosed, Identity, PairSetup, pair_setup, pair_verify, tlv,
)
from lan import PATIENCE, run, until


@pytest.fixture
def bridge(make_daemon, lan):
    """A bridge without pairings; it must still be whole after the test."""
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
        self.wrong_code = "123-45-679" if self.code != "123-45-679" else "123-45-670"
        self.controller = None
        self.locked_out = False

    def connect(self):
        return Connection(self.address, self.port)

    @property
    def failures(self):
        with sqlite3.connect(self.daemon.state_directory / "bridge.sqlite") as database:
            return database.execute("SELECT failedAttempts FROM server").fetchone()[0]

    def restart(self):
        self.daemon.start()
        self.port = self.daemon.status["port"]

    def pair(self):
        self.controller = Identity()
        with self.connect() as connection:
            self.accessory = pair_setup(connection, self.code, self.controller)

    def session(self):
        return hap.session(self.address, self.port, self.controller, self.accessory)


async def still_serves(bridge):
    if not bridge.controller:
        bridge.daemon.cli("pairings", "unlock", check=False)
        if bridge.locked_out:
            return
        bridge.pair()
    with bridge.session() as session:
        assert session.get("/accessories").status == 200


async def test_a_wrong_setup_code_is_answered_with_authentication(bridge, lan):
    with bridge.connect() as connection:
        setup = PairSetup(connection, bridge.wrong_code)
        assert ERROR not in setup.m1()
        assert setup.m3() == {STATE: b"\x04", ERROR: bytes([AUTHENTICATION])}
        answer = connection.post("/pair-setup", (STATE, 5), (ENCRYPTED, os.urandom(64)))
        assert (answer.status, answer.body) == (400, b""), "the procedure is over"
        # The same connection may begin anew.
        bridge.controller = Identity()
        bridge.accessory = pair_setup(connection, bridge.code, bridge.controller)


@pytest.mark.parametrize("change", ["tag", "signature", "identifier", "cut"])
async def test_a_tampered_m5_is_refused_and_nothing_is_stored(change, bridge, lan):
    with bridge.connect() as connection:
        setup = PairSetup(connection, bridge.code)
        setup.m1()
        setup.m3()
        payload = bytearray(setup.m5_payload(Identity()))
        if change == "tag":
            payload[-1] ^= 1
        elif change == "cut":
            payload = payload[:-1]
        else:
            me, liar = Identity(), Identity()
            if change == "signature":
                me.key = liar.key
                public = Identity().public
            else:
                public = me.public
            signed = hap.derive(setup.key, hap.SETUP_CONTROLLER) + (b"other" if change == "identifier" else me.id)
            inner = tlv((IDENTIFIER, me.id), (PUBLIC_KEY, public), (hap.SIGNATURE, me.key.sign(signed + public)))
            payload = hap.seal(hap.derive(setup.key, hap.SETUP_KEY), b"PS-Msg05", inner)
        assert setup.m5(bytes(payload)) == {STATE: b"\x06", ERROR: bytes([AUTHENTICATION])}
    assert bridge.daemon.cli("pairings", "--json") == []


@pytest.mark.parametrize("path,body", [
    pytest.param("/pair-setup", tlv((STATE, 3), (PUBLIC_KEY, os.urandom(384)), (PROOF, os.urandom(64))), id="setup M3 first"),
    pytest.param("/pair-setup", tlv((STATE, 5), (ENCRYPTED, os.urandom(120))), id="setup M5 first"),
    pytest.param("/pair-setup", tlv((STATE, 2)), id="setup M2"),
    pytest.param("/pair-setup", tlv((STATE, 1)), id="setup without a method"),
    pytest.param("/pair-setup", tlv((STATE, 1), (METHOD, 9)), id="setup with an unknown method"),
    pytest.param("/pair-setup", tlv((METHOD, 0)), id="setup without a state"),
    pytest.param("/pair-setup", b"\x06", id="setup of half a TLV"),
    pytest.param("/pair-setup", b"\x06\xff\x01", id="setup of a TLV that is cut off"),
    pytest.param("/pair-verify", tlv((STATE, 3), (ENCRYPTED, os.urandom(120))), id="verify M3 first"),
    pytest.param("/pair-verify", tlv((STATE, 1), (PUBLIC_KEY, os.urandom(31))), id="verify with a short key"),
    pytest.param("/pair-verify", tlv((STATE, 1)), id="verify without a key"),
    pytest.param("/pair-verify", b"\x06\x02\x01", id="verify of a TLV that is cut off"),
])
async def test_what_is_out_of_order_or_malformed_is_a_bad_request(path, body, bridge, lan):
    with bridge.connect() as connection:
        answer = connection.request("POST", path, body)
        assert (answer.status, answer.body) == (400, b"")


async def test_m3_twice_is_a_bad_request(bridge, lan):
    with bridge.connect() as connection:
        setup = PairSetup(connection, bridge.code)
        setup.m1()
        setup.m3()
        answer = connection.post("/pair-setup", (STATE, 3), (PUBLIC_KEY, setup.a), (PROOF, setup.proof))
        assert (answer.status, answer.body) == (400, b"")


async def test_a_public_key_of_zero_opens_nothing(bridge, lan):
    for key in (bytes(384), hap.padded(hap.N), b"\x00"):
        with bridge.connect() as connection:
            setup = PairSetup(connection, bridge.code)
            setup.m1()
            # With a public key that is zero modulo N, everybody can compute the session's secret: it is zero.
            answer = connection.post("/pair-setup", (STATE, 3), (PUBLIC_KEY, key), (PROOF, os.urandom(64)))
            assert (answer.status, answer.tlv) == (200, {STATE: b"\x04", ERROR: bytes([AUTHENTICATION])})


async def test_a_second_pair_setup_at_once_is_told_to_wait(bridge, lan):
    with bridge.connect() as first, bridge.connect() as second:
        setup = PairSetup(first, bridge.code)
        setup.m1()
        assert PairSetup(second, bridge.code).m1() == {STATE: b"\x02", ERROR: bytes([BUSY])}
        assert ERROR not in setup.m3(), "the first is not disturbed"
    bridge.pair()


async def test_who_is_paired_is_not_available_to_others(bridge, lan):
    bridge.pair()
    with bridge.connect() as connection:
        assert PairSetup(connection, bridge.code).m1() == {STATE: b"\x02", ERROR: bytes([UNAVAILABLE])}


def guess(connection):
    """Send M1 and a wrong proof; returns the error of each answer."""
    m1 = connection.post("/pair-setup", (STATE, 1), (METHOD, 0)).tlv.get(ERROR)
    m3 = connection.post("/pair-setup", (STATE, 3), (PUBLIC_KEY, b"\x02"), (PROOF, bytes(64)))
    return m1 and m1[0], m3.tlv[ERROR][0] if m3.status == 200 else m3.status


async def test_the_hundredth_wrong_code_is_the_last_that_is_looked_at(bridge, lan):
    bridge.daemon.terminate()
    with sqlite3.connect(bridge.daemon.state_directory / "bridge.sqlite") as database:
        database.execute("UPDATE server SET failedAttempts = 98")
    bridge.restart()
    for attempt in (99, 100):
        with bridge.connect() as connection:
            assert guess(connection) == (None, AUTHENTICATION), f"attempt {attempt}"
        # Without its pause, which a restart ends.
        bridge.daemon.kill()
        bridge.restart()
    for _ in range(2):
        with bridge.connect() as connection:
            assert PairSetup(connection, bridge.code).m1() == {STATE: b"\x02", ERROR: bytes([MAX_TRIES])}
        bridge.daemon.kill()
        bridge.restart()
    bridge.locked_out = bridge.daemon.cli("pairings", "unlock", check=False).returncode != 0


async def test_guesses_in_a_row_meet_a_pause_and_cost_no_more_attempts(bridge, lan):
    with bridge.connect() as connection:
        answers = [guess(connection) for _ in range(30)]
    assert answers[:4] == [(None, AUTHENTICATION)] * 4
    assert answers[4:] == [(BUSY, 400)] * 26
    assert "4 of 100" in bridge.daemon.status["warnings"][0]
    # Another address isn't paused.
    with lan.add_host("owner", "10.77.0.9") as owner:
        owner.run_async(pair(bridge))


async def pair(bridge):
    bridge.pair()


@pytest.mark.long
def test_ten_thousand_guesses_from_fifty_addresses_leave_the_owner_a_way_in(bridge, lan):
    """The owner pairs from another address while the guesses go on."""
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


@pytest.mark.parametrize("point", LOW_ORDER_POINTS, ids=lambda point: point.hex()[:8])
async def test_a_point_of_low_order_is_no_public_key(point, bridge, lan):
    bridge.pair()
    with bridge.connect() as connection:
        answer = connection.post("/pair-verify", (STATE, 1), (PUBLIC_KEY, point))
        if answer.status == 200:
            assert answer.tlv == {STATE: b"\x02", ERROR: bytes([AUTHENTICATION])}
        else:
            assert (answer.status, answer.body) == (400, b"")
        # A connection that is refused stays usable.
        assert pair_verify(connection, bridge.controller, bridge.accessory) is None


async def test_an_unknown_controller_may_ask_and_is_refused_politely(bridge, lan):
    bridge.pair()
    with bridge.connect() as connection:
        for _ in range(3):  # home hubs try several identities on one connection
            assert pair_verify(connection, Identity(), bridge.accessory) == AUTHENTICATION
        impostor = Identity()
        impostor.id = bridge.controller.id
        assert pair_verify(connection, impostor, bridge.accessory) == AUTHENTICATION
        assert pair_verify(connection, bridge.controller, bridge.accessory) is None
        assert connection.get("/accessories").status == 200


@pytest.mark.parametrize("method,path", [
    ("GET", "/accessories"), ("GET", "/characteristics?id=1.2"), ("PUT", "/characteristics"), ("PUT", "/prepare"),
    ("POST", "/pairings"), ("GET", "/no-such-path"),
])
async def test_without_a_session_nothing_is_disclosed(method, path, bridge, lan):
    bridge.pair()
    with bridge.connect() as connection:
        answer = connection.request(method, path, b"{}" if method == "PUT" else b"")
        assert answer.status == 470
        assert b"value" not in answer.body


@pytest.mark.parametrize("garbage", [
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", b"GET / HTTP/9.9\r\n\r\n", b"\n" * 100, b"A" * 200_000,
    b"GET /accessories HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
    b"POST /pair-setup HTTP/1.1\r\nContent-Length: 99999999999999999999\r\n\r\n",
    b"POST /pair-setup HTTP/1.1\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd",
    b"GET /accessories HTTP/1.1\r\n" + b"X: y\r\n" * 5000 + b"\r\n",
], ids=lambda data: repr(data[:40]))
async def test_garbage_ends_the_connection(garbage, bridge, lan):
    with bridge.connect() as connection:
        try:
            connection.socket.sendall(garbage)
            connection.socket.shutdown(socket.SHUT_WR)
        except OSError:
            pass
        assert connection.is_closed_within(5)


@pytest.mark.parametrize("frame", [
    b"\x05\x00" + bytes(21), b"\x01\x04" + bytes(1041), b"\xff\xff", b"GET /accessories HTTP/1.1\r\n\r\n",
], ids=["a false tag", "1025 bytes", "65535 bytes", "in clear"])
async def test_a_false_frame_ends_the_session(frame, bridge, lan):
    bridge.pair()
    with bridge.session() as session:
        session.socket.sendall(frame)
        assert session.is_closed_within(5)


async def test_a_sealed_connection_is_for_neither_pair_setup_nor_pair_verify(bridge, lan):
    bridge.pair()
    with bridge.session() as session:
        assert session.post("/pair-setup", (STATE, 1), (METHOD, 0)).status == 400
        assert session.post("/pair-verify", (STATE, 1), (PUBLIC_KEY, os.urandom(32))).status == 400
        assert session.get("/accessories").status == 200


class Customer:
    """A session that is used all the time beside a test; how long its slowest answer took is `slowest`."""

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
        assert self.failure is None, "the session was not served beside unauthenticated peers"
        # A busy machine is slow, too.
        assert self.answers > 0 and self.slowest < 3 * PATIENCE


def descriptors(daemon):
    return len(list(Path(f"/proc/{daemon.process.pid}/fd").iterdir()))


def memory(daemon):
    """What the daemon has in memory, in KiB."""
    for line in Path(f"/proc/{daemon.process.pid}/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1])


def is_dropped(connection):
    """Whether the bridge has reset the connection, which has not even been read from."""
    try:
        connection.socket.send(b"\0")
    except TimeoutError:
        pass
    except ConnectionError:
        return True
    return False


def is_served(bridge):
    try:
        with bridge.session() as session:
            return session.get("/accessories").status == 200
    except (hap.ConnectionClosed, OSError):
        return False


async def test_a_thousand_who_come_and_go_cost_nothing_that_stays(bridge, lan):
    bridge.pair()
    # The descriptor that Avahi is spoken to by is there before they are counted.
    bridge.daemon.until_published()
    with Customer(bridge) as customer:
        until(lambda: customer.answers, 5, "the session is served")
        before = descriptors(bridge.daemon)
        for _ in range(20):
            intruders = []
            for number in range(50):
                intruder = socket.create_connection((bridge.address, bridge.port), 10)
                try:
                    if number % 3 == 1:
                        intruder.sendall(b"GET /acce")
                    elif number % 3 == 2:
                        intruder.sendall(os.urandom(300))
                except OSError:
                    pass
                intruders.append(intruder)
            for intruder in intruders:
                intruder.close()
        until(lambda: descriptors(bridge.daemon) <= before, 20, "all descriptors are free again")
    # What an address has used up comes back, and with it the home behind that address.
    until(lambda: is_served(bridge), 20, "the address is served again", interval=0.5)


async def test_m1_without_end_is_cut_off_and_delays_no_controller(bridge, lan):
    bridge.pair()
    with Customer(bridge):
        answers = 0
        with bridge.connect() as connection, pytest.raises((hap.ConnectionClosed, ConnectionError)):
            while answers < 5000:
                key = hap.Identity().public
                assert connection.post("/pair-verify", (STATE, 1), (PUBLIC_KEY, key)).status in (200, 400)
                answers += 1
        assert 256 < answers < 5000
    until(lambda: is_served(bridge), 20, "the address is served again", interval=0.5)


@pytest.mark.long
async def test_who_dawdles_is_dropped_and_costs_little(bridge, lan):
    bridge.pair()
    with Customer(bridge):
        before = memory(bridge.daemon)
        # Asks for much and reads nothing.
        reader = bridge.session()
        reader.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        reader.socket.settimeout(1)
        with pytest.raises(TimeoutError):
            while True:
                reader.send(b"GET /accessories HTTP/1.1\r\n\r\n" * 200)
        # Sends the beginning of a frame, of a request, and one byte after the other.
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
                assert half.is_closed_within(1), "a frame has 10 s"
            # A build that is slow is also large: a sanitizer has memory of its own, and keeps what was freed.
            assert memory(bridge.daemon) - before < 20_000 * PATIENCE
            time.sleep(0.45)
        assert len(ended) == len(slow) and min(ended.values()) > 25, "a message has 30 s"
        # Its system acknowledges what it has room for and nothing more.
        # The bridge's system looks when it probes the full peer, up to twice the 30 s after it took the last bytes.
        until(lambda: is_dropped(reader), 60, "who reads nothing is dropped")
        reader.socket.close()


async def test_many_idle_unauthenticated_peers_keep_no_controller_out(bridge, lan):
    bridge.pair()
    intruders = [bridge.connect() for _ in range(200)]
    with bridge.session() as session:
        assert session.get("/accessories").status == 200
    for intruder in intruders:
        intruder.socket.close()
