"""Controllers that lie, hurry, guess or garble; after each the bridge still serves."""

import os
import socket

import hap
import pytest
from hap import (
    AUTHENTICATION, BUSY, ENCRYPTED, ERROR, IDENTIFIER, LOW_ORDER_POINTS, MAX_TRIES, METHOD, PROOF, PUBLIC_KEY, STATE,
    UNAVAILABLE, Connection, Identity, PairSetup, pair_setup, pair_verify, tlv,
)


@pytest.fixture
def bridge(make_daemon, lan):
    """A bridge that nobody has paired with; it must still be whole after the test."""
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
    ("/pair-setup", tlv((STATE, 3), (PUBLIC_KEY, os.urandom(384)), (PROOF, os.urandom(64)))),
    ("/pair-setup", tlv((STATE, 5), (ENCRYPTED, os.urandom(120)))),
    ("/pair-setup", tlv((STATE, 2))),
    ("/pair-setup", tlv((STATE, 1))),
    ("/pair-setup", tlv((STATE, 1), (METHOD, 9))),
    ("/pair-setup", tlv((METHOD, 0))),
    ("/pair-setup", b"\x06"),
    ("/pair-setup", b"\x06\xff\x01"),
    ("/pair-verify", tlv((STATE, 3), (ENCRYPTED, os.urandom(120)))),
    ("/pair-verify", tlv((STATE, 1), (PUBLIC_KEY, os.urandom(31)))),
    ("/pair-verify", tlv((STATE, 1))),
    ("/pair-verify", b"\x06\x02\x01"),
], ids=str)
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


async def test_the_hundredth_wrong_code_is_the_last_that_is_looked_at(bridge, lan):
    for attempt in range(100):
        with bridge.connect() as connection:
            setup = PairSetup(connection, bridge.wrong_code)
            assert ERROR not in setup.m1(), f"attempt {attempt + 1}"
            answer = connection.post("/pair-setup", (STATE, 3), (PUBLIC_KEY, b"\x02"), (PROOF, bytes(64)))
            assert answer.tlv == {STATE: b"\x04", ERROR: bytes([AUTHENTICATION])}, f"attempt {attempt + 1}"
    for _ in range(2):
        with bridge.connect() as connection:
            assert PairSetup(connection, bridge.code).m1() == {STATE: b"\x02", ERROR: bytes([MAX_TRIES])}
        bridge.daemon.kill()
        bridge.daemon.start()
        bridge.port = bridge.daemon.status["port"]
    bridge.locked_out = bridge.daemon.cli("pairings", "unlock", check=False).returncode != 0


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
async def test_without_a_session_nothing_is_told(method, path, bridge, lan):
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


async def test_many_idle_strangers_keep_no_controller_out(bridge, lan):
    bridge.pair()
    strangers = [bridge.connect() for _ in range(200)]
    with bridge.session() as session:
        assert session.get("/accessories").status == 200
    for stranger in strangers:
        stranger.socket.close()
