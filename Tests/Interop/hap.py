"""A HAP controller over bare sockets that can also misbehave.

Written against the protocol's description with Python's integers and `cryptography` alone, so that it shares
nothing with the bridge, and every message can be made by hand.
"""

import hashlib
import json
import os
import socket
import struct
import uuid

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from lan import PATIENCE

METHOD, IDENTIFIER, SALT, PUBLIC_KEY, PROOF, ENCRYPTED, STATE, ERROR = range(8)
SIGNATURE, PERMISSIONS = 0x0A, 0x0B
ADD, REMOVE, LIST = 3, 4, 5
UNKNOWN, AUTHENTICATION, BACKOFF, MAX_PEERS, MAX_TRIES, UNAVAILABLE, BUSY = range(1, 8)

N = int(
    "FFFFFFFFFFFFFFFFC90FDAA22168C234C4C6628B80DC1CD129024E088A67CC74020BBEA63B139B22514A08798E3404DDEF9519B3CD3A431B"
    "302B0A6DF25F14374FE1356D6D51C245E485B576625E7EC6F44C42E9A637ED6B0BFF5CB6F406B7EDEE386BFB5A899FA5AE9F24117C4B1FE6"
    "49286651ECE45B3DC2007CB8A163BF0598DA48361C55D39A69163FA8FD24CF5F83655D23DCA3AD961C62F356208552BB9ED529077096966D"
    "670C354E4ABC9804F1746C08CA18217C32905E462E36CE3BE39E772C180E86039B2783A2EC07A28FB5C55DF06F4C52C9DE2BCBF695581718"
    "3995497CEA956AE515D2261898FA051015728E5A8AAAC42DAD33170D04507A33A85521ABDF1CBA64ECFB850458DBEF0A8AEA71575D060C7D"
    "B3970F85A6E1E4C7ABF5AE8CDB0933D71E8C94E04A25619DCEE3D2261AD2EE6BF12FFA06D98A0864D87602733EC86A64521F2B18177B200C"
    "BBE117577A615D6C770988C0BAD946E208E24FA074E5AB3143DB5BFCE0FD108E4B82D120A93AD2CAFFFFFFFFFFFFFFFF", 16)
LENGTH = 384


class ConnectionClosed(Exception):
    """The bridge ended the connection."""


# TLV8


def tlv(*items):
    """Encode (type, value) pairs; a value is bytes or a small number."""
    encoded = bytearray()
    for kind, value in items:
        value = bytes([value]) if isinstance(value, int) else value
        pieces = [value[start:start + 255] for start in range(0, len(value), 255)] or [b""]
        for piece in pieces:
            encoded += bytes([kind, len(piece)]) + piece
    return bytes(encoded)


def untlv(data):
    """Decode to a list of (type, value) pairs, and join fragments."""
    items, position, joinable = [], 0, False
    while position < len(data):
        kind, length = data[position], data[position + 1]
        value = data[position + 2:position + 2 + length]
        assert len(value) == length, "the bridge sent a truncated TLV"
        if joinable and items[-1][0] == kind:
            items[-1] = (kind, items[-1][1] + value)
        else:
            items.append((kind, value))
        joinable = length == 255
        position += 2 + length
    return items


# HTTP over TCP, plain or encrypted


class Response:
    def __init__(self, version, status, headers, body):
        self.version, self.status, self.headers, self.body = version, status, headers, body

    @property
    def tlv(self):
        return dict(untlv(self.body))

    @property
    def json(self):
        return json.loads(self.body)

    def __repr__(self):
        return f"{self.version} {self.status} {self.body[:200]!r}"


class Connection:
    def __init__(self, address, port, timeout=10, source=None):
        self.socket = socket.create_connection((address, port), timeout * PATIENCE, source and (source, 0))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.plain = b""
        self.sealed = b""
        self.keys = None
        self.events = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def secure(self, read_key, write_key):
        self.keys = ChaCha20Poly1305(read_key), ChaCha20Poly1305(write_key)
        self.counters = [0, 0]

    def send(self, data):
        if self.keys:
            frames = b""
            for start in range(0, len(data), 1024):
                piece = data[start:start + 1024]
                length = struct.pack("<H", len(piece))
                frames += length + self.keys[1].encrypt(self._nonce(1), piece, length)
            data = frames
        self.socket.sendall(data)

    def request(self, method, path, body=b"", kind="application/pairing+tlv8"):
        """Send a request and return its response. Events that arrive before it are added to `events`."""
        head = f"{method} {path} HTTP/1.1\r\nHost: bridge\r\n"
        if body:
            head += f"Content-Type: {kind}\r\nContent-Length: {len(body)}\r\n"
        self.send(head.encode() + b"\r\n" + body)
        while True:
            response = self.receive()
            if response.version != "EVENT/1.0":
                return response
            self.events.append(response.json)

    def get(self, path):
        return self.request("GET", path)

    def put(self, path, value):
        return self.request("PUT", path, json.dumps(value).encode(), "application/hap+json")

    def post(self, path, *items):
        return self.request("POST", path, tlv(*items))

    def receive(self):
        while b"\r\n\r\n" not in self.plain:
            self._more()
        head, self.plain = self.plain.split(b"\r\n\r\n", 1)
        lines = head.decode().split("\r\n")
        version, status = lines[0].split(" ")[:2]
        headers = {name.lower(): value.strip() for name, value in (line.split(":", 1) for line in lines[1:])}
        length = int(headers.get("content-length", 0))
        while len(self.plain) < length:
            self._more()
        body, self.plain = self.plain[:length], self.plain[length:]
        return Response(version, int(status), headers, body)

    def is_closed_within(self, seconds):
        """Return whether the bridge closes this connection within the time. Received data is discarded."""
        self.socket.settimeout(seconds * PATIENCE)
        try:
            while self.socket.recv(65536):
                pass
            return True
        except ConnectionError:
            return True
        except TimeoutError:
            return False

    def _more(self):
        try:
            data = self.socket.recv(65536)
        except ConnectionError as error:
            raise ConnectionClosed from error
        if not data:
            raise ConnectionClosed
        if not self.keys:
            self.plain += data
            return
        self.sealed += data
        while len(self.sealed) >= 2:
            length = struct.unpack("<H", self.sealed[:2])[0]
            if len(self.sealed) < length + 18:
                break
            frame, rest = self.sealed[2:length + 18], self.sealed[length + 18:]
            self.plain += self.keys[0].decrypt(self._nonce(0), frame, self.sealed[:2])
            self.sealed = rest

    def _nonce(self, direction):
        counter = self.counters[direction]
        self.counters[direction] += 1
        return bytes(4) + struct.pack("<Q", counter)


# Cryptography


def derive(secret, name):
    salt, info = name
    return HKDF(hashes.SHA512(), 32, salt.encode(), info.encode()).derive(secret)


def seal(key, nonce, data):
    return ChaCha20Poly1305(key).encrypt(bytes(4) + nonce, data, None)


def unseal(key, nonce, data):
    return ChaCha20Poly1305(key).decrypt(bytes(4) + nonce, data, None)


def sha512(*parts):
    return hashlib.sha512(b"".join(parts)).digest()


def number(data):
    return int.from_bytes(data, "big")


def padded(value):
    return value.to_bytes(LENGTH, "big")


SETUP_KEY = "Pair-Setup-Encrypt-Salt", "Pair-Setup-Encrypt-Info"
SETUP_CONTROLLER = "Pair-Setup-Controller-Sign-Salt", "Pair-Setup-Controller-Sign-Info"
SETUP_ACCESSORY = "Pair-Setup-Accessory-Sign-Salt", "Pair-Setup-Accessory-Sign-Info"
VERIFY_KEY = "Pair-Verify-Encrypt-Salt", "Pair-Verify-Encrypt-Info"
READ_KEY = "Control-Salt", "Control-Read-Encryption-Key"
WRITE_KEY = "Control-Salt", "Control-Write-Encryption-Key"


class Identity:
    """A controller's long-term identity."""

    def __init__(self):
        self.id = str(uuid.uuid4()).upper().encode()
        self.key = Ed25519PrivateKey.generate()

    @property
    def public(self):
        return self.key.public_key().public_bytes_raw()


class Accessory:
    """The data of an accessory server that a controller has after pairing."""

    def __init__(self, id, public):
        self.id, self.public = id, public


class PairSetup:
    """Pair setup, message by message."""

    def __init__(self, connection, code):
        self.connection = connection
        self.code = code.encode()

    def m1(self):
        """Send M1 and return M2's items."""
        answer = self.connection.post("/pair-setup", (STATE, 1), (METHOD, 0))
        assert answer.status == 200, answer
        items = answer.tlv
        if ERROR not in items:
            self.salt, self.b = items[SALT], number(items[PUBLIC_KEY])
        return items

    def compute(self):
        x = number(sha512(self.salt, sha512(b"Pair-Setup:", self.code)))
        k = number(sha512(padded(N), padded(5)))
        while True:
            a = number(os.urandom(32))
            public = pow(5, a, N)
            u = number(sha512(padded(public), padded(self.b)))
            secret = pow((self.b - k * pow(5, x, N)) % N, a + u * x, N)
            # Choose another key if leading zeros could matter, because peers disagree about them.
            if public >> (8 * (LENGTH - 1)) and secret >> (8 * (LENGTH - 1)):
                break
        self.a = padded(public)
        self.key = sha512(padded(secret))
        both = bytes(left ^ right for left, right in zip(sha512(padded(N)), sha512(b"\x05")))
        self.proof = sha512(both, sha512(b"Pair-Setup"), self.salt, self.a, padded(self.b), self.key)

    def m3(self):
        """Send M3 and return M4's items."""
        self.compute()
        answer = self.connection.post("/pair-setup", (STATE, 3), (PUBLIC_KEY, self.a), (PROOF, self.proof))
        assert answer.status == 200, answer
        items = answer.tlv
        if ERROR not in items:
            assert items[PROOF] == sha512(self.a, self.proof, self.key), "the bridge does not know the setup code"
        return items

    def m5_payload(self, identity):
        signed = derive(self.key, SETUP_CONTROLLER) + identity.id + identity.public
        inner = tlv((IDENTIFIER, identity.id), (PUBLIC_KEY, identity.public), (SIGNATURE, identity.key.sign(signed)))
        return seal(derive(self.key, SETUP_KEY), b"PS-Msg05", inner)

    def m5(self, payload):
        """Send M5 and return M6's items."""
        answer = self.connection.post("/pair-setup", (STATE, 5), (ENCRYPTED, payload))
        assert answer.status == 200, answer
        return answer.tlv

    def accessory(self, m6):
        inner = dict(untlv(unseal(derive(self.key, SETUP_KEY), b"PS-Msg06", m6[ENCRYPTED])))
        signed = derive(self.key, SETUP_ACCESSORY) + inner[IDENTIFIER] + inner[PUBLIC_KEY]
        Ed25519PublicKey.from_public_bytes(inner[PUBLIC_KEY]).verify(inner[SIGNATURE], signed)
        return Accessory(inner[IDENTIFIER], inner[PUBLIC_KEY])


def pair_setup(connection, code, identity):
    """Pair. The connection stays unencrypted and can be used for pair verify."""
    setup = PairSetup(connection, code)
    for step in (setup.m1, setup.m3):
        items = step()
        assert ERROR not in items, f"pair setup: {items}"
    m6 = setup.m5(setup.m5_payload(identity))
    assert ERROR not in m6, f"pair setup: {m6}"
    return setup.accessory(m6)


def pair_verify(connection, identity, accessory):
    """Verify a pairing. Return the error number, or None if the connection is now encrypted."""
    ephemeral = X25519PrivateKey.generate()
    public = ephemeral.public_key().public_bytes_raw()
    answer = connection.post("/pair-verify", (STATE, 1), (PUBLIC_KEY, public))
    assert answer.status == 200 and ERROR not in answer.tlv, answer
    m2 = answer.tlv
    shared = ephemeral.exchange(X25519PublicKey.from_public_bytes(m2[PUBLIC_KEY]))
    key = derive(shared, VERIFY_KEY)
    if accessory:
        inner = dict(untlv(unseal(key, b"PV-Msg02", m2[ENCRYPTED])))
        assert inner[IDENTIFIER] == accessory.id
        signed = m2[PUBLIC_KEY] + accessory.id + public
        Ed25519PublicKey.from_public_bytes(accessory.public).verify(inner[SIGNATURE], signed)
    signature = identity.key.sign(public + identity.id + m2[PUBLIC_KEY])
    sealed = seal(key, b"PV-Msg03", tlv((IDENTIFIER, identity.id), (SIGNATURE, signature)))
    answer = connection.post("/pair-verify", (STATE, 3), (ENCRYPTED, sealed))
    assert answer.status == 200 and answer.tlv[STATE] == b"\x04", answer
    if ERROR in answer.tlv:
        return answer.tlv[ERROR][0]
    connection.secure(derive(shared, READ_KEY), derive(shared, WRITE_KEY))
    return None


def session(address, port, identity, accessory):
    """Return a new verified connection."""
    connection = Connection(address, port)
    error = pair_verify(connection, identity, accessory)
    assert error is None, f"pair verify: error {error}"
    return connection
