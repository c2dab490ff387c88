"""Short connections, large requests, slow peers and protocol violations, each in a thread with its own rate."""

import os
import random
import socket
import struct
import threading
import time

from worker import Delays, count, credentials, error, finish, instructions, leaving, say

import hap
from controllers import BRIGHTNESS, ON
from database import lights, observable

GARBAGE = [
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", b"GET / HTTP/9.9\r\n\r\n", b"\n" * 100, b"A" * 200_000,
    b"GET /accessories HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
    b"POST /pair-setup HTTP/1.1\r\nContent-Length: 99999999999999999999\r\n\r\n",
    b"POST /pair-setup HTTP/1.1\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd",
    b"GET /accessories HTTP/1.1\r\n" + b"X: y\r\n" * 5000 + b"\r\n",
]
FALSE_FRAMES = [b"\x05\x00" + bytes(21), b"\x01\x04" + bytes(1041), b"\xff\xff", b"GET /accessories HTTP/1.1\r\n\r\n"]
#: The possible errors of a misbehaving light: unreachable, busy, too late.
MISBEHAVIOUR = {0, -70402, -70403, -70408}
ESTABLISHED = 1
NO_BYTES_WAITING = struct.pack("ii", 1, 0)


class Churn:
    def __init__(self, told):
        self.told = told
        self.me, self.accessory = credentials(told)
        self.verified, self.slow_writes, self.dropped = Delays(), Delays(), Delays()
        with self.session() as session:
            database = session.get("/accessories").json["accessories"]
        self.lights, self.keys = lights(database), observable(database)
        # The lights that are always reachable.
        steady = [light for name, light in self.lights.items() if name.startswith("Crowded")]
        self.steady = [(aid, iids[BRIGHTNESS]) for aid, iids in steady]

    def connect(self):
        return hap.Connection(self.told["address"], self.told["port"], timeout=20)

    def session(self):
        return hap.session(self.told["address"], self.told["port"], self.me, self.accessory)

    # Jobs

    def cycle(self):
        """Connect, verify, subscribe, and end the connection in one of several ways."""
        began = time.monotonic()
        session = self.session()
        self.verified.add(time.monotonic() - began)
        with session:
            chosen = random.sample(self.steady, 3)
            subscription = [{"aid": aid, "iid": iid, "ev": True} for aid, iid in chosen]
            answer = session.put("/characteristics", {"characteristics": subscription})
            assert answer.status == 204, answer
            path = "/characteristics?id=" + ",".join(f"{aid}.{iid}" for aid, iid in chosen)
            way = random.randrange(5)
            if way == 0:
                assert session.get(path).status == 200
            elif way == 1:
                session.send(f"GET {path} HTTP/1.1\r\nHost: bridge\r\n\r\n".encode())
            elif way == 2:
                session.send(b"PUT /characteristics HTTP/1.1\r\nContent-Length: 1000\r\n\r\n{")
            elif way == 3:
                session.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, NO_BYTES_WAITING)
            else:
                session.socket.sendall(b"\x10\x00half")
        count("cycles")

    def pairing(self):
        """As an admin, add a controller and remove it."""
        guest = hap.Identity()
        with self.session() as admin:
            added = admin.post("/pairings", (hap.STATE, 1), (hap.METHOD, hap.ADD), (hap.IDENTIFIER, guest.id),
                               (hap.PUBLIC_KEY, guest.public), (hap.PERMISSIONS, 0))
            assert hap.ERROR not in added.tlv, f"adding a pairing is refused: {added.tlv}"
            with hap.session(self.told["address"], self.told["port"], guest, self.accessory) as session:
                assert session.get("/accessories").status == 200
                removed = admin.post(
                    "/pairings", (hap.STATE, 1), (hap.METHOD, hap.REMOVE), (hap.IDENTIFIER, guest.id))
                assert hap.ERROR not in removed.tlv
                assert session.is_closed_within(10), "a removed controller is still connected"
        with self.connect() as connection:
            assert hap.pair_verify(connection, guest, self.accessory) == hap.AUTHENTICATION
        count("pairings")

    def timed(self):
        """Send a timed write, in time or too late."""
        (aid, iids), late = self.lights["Timed 1"], random.random() < 0.2
        with self.session() as session:
            number = random.randrange(1, 1 << 50)
            assert session.put("/prepare", {"ttl": 100 if late else 5000, "pid": number}).json["status"] == 0
            if late:
                time.sleep(0.3)
            entry = {"aid": aid, "iid": iids[ON], "value": random.random() < 0.5}
            answer = session.put("/characteristics", {"pid": number, "characteristics": [entry]})
            if late:
                assert answer.json["characteristics"][0]["status"] == -70410, answer
            else:
                assert answer.status == 204, answer
        count("timed_writes")

    def big(self):
        """Read all values, from the attribute database and with a read request."""
        with self.session() as session:
            everything = session.get("/accessories")
            assert everything.status == 200 and everything.json["accessories"]
            path = "/characteristics?id=" + ",".join(f"{aid}.{iid}" for aid, iid in self.keys)
            values = session.get(path)
            assert values.status in (200, 207) and len(values.json["characteristics"]) == len(self.keys), values
        count("big_reads")

    def misbehaving(self):
        """Write to lights that fail, time out or currently aren't configured."""
        names = [name for name in self.lights if name.startswith("Flaky")]
        chosen = random.sample(names, 2)
        with self.session() as session:
            entries = [{"aid": self.lights[name][0], "iid": self.lights[name][1][ON], "value": random.random() < 0.5}
                       for name in chosen]
            asked = time.monotonic()
            answer = session.put("/characteristics", {"characteristics": entries})
            self.slow_writes.add(time.monotonic() - asked)
            assert time.monotonic() - asked < 4, f"{chosen} answered after {time.monotonic() - asked:.1f} s"
            if answer.status != 204:
                statuses = {entry["status"] for entry in answer.json["characteristics"]}
                assert statuses <= MISBEHAVIOUR, f"{chosen}: {answer}"
        count("writes_to_bad_lights")

    def slow(self):
        """Send requests without reading the responses: the bridge must close the connection, but only after half a minute."""
        with self.session() as session:
            if random.random() < 0.5:
                subscription = [{"aid": aid, "iid": iid, "ev": True} for aid, iid in self.steady]
                assert session.put("/characteristics", {"characteristics": subscription}).status == 204
            session.socket.settimeout(1)
            asked = time.monotonic()
            request = b"GET /accessories HTTP/1.1\r\nHost: bridge\r\n\r\n"
            while not leaving.is_set():
                try:
                    session.send(request)
                except TimeoutError:
                    break
            # Don't read; the socket's state shows when the connection is closed.
            while not leaving.wait(1):
                seconds = time.monotonic() - asked
                if session.socket.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 1)[0] != ESTABLISHED:
                    assert seconds > 25, f"a slow peer is disconnected after only {seconds:.0f} s"
                    self.dropped.add(seconds)
                    return count("slow_dropped")
                assert seconds < 120, "a peer that doesn't read is still connected after 120 s"

    def hostile(self):
        """Send invalid bytes."""
        if random.random() < 0.3:
            with self.session() as session:
                session.socket.sendall(random.choice(FALSE_FRAMES))
                assert session.is_closed_within(10), "an invalid frame doesn't end the session"
        elif random.random() < 0.3:
            with self.connect() as connection:
                body = random.choice([os.urandom(random.randrange(1, 400)), b"\x06\xff\x01", hap.tlv((hap.STATE, 3))])
                path = random.choice(["/pair-setup", "/pair-verify"])
                assert connection.request("POST", path, body).status in (200, 400)
                assert connection.get("/accessories").status == 470
        else:
            with self.connect() as connection:
                try:
                    connection.socket.sendall(random.choice(GARBAGE))
                    connection.socket.shutdown(socket.SHUT_WR)
                except OSError:
                    pass
                assert connection.is_closed_within(10), "invalid bytes don't end the connection"
        count("hostile")

    def unauthenticated(self):
        """Open too many unauthenticated connections; a controller must still be able to connect."""
        crowd = []
        try:
            for _ in range(80):
                crowd.append(self.connect())
                time.sleep(0.01)
            with self.session() as session:
                assert session.get("/accessories").status == 200
        finally:
            for connection in crowd:
                connection.socket.close()
        count("unauthenticated", len(crowd))

    # Threads

    def run(self, job, pause):
        while not leaving.wait(pause * random.uniform(0.7, 1.3)):
            began = time.time()
            try:
                job()
            except Exception as failure:
                if not leaving.is_set():
                    error(f"{job.__name__}: {failure!r}", job.__name__, began)


def main(told):
    churn = Churn(told)
    threads = [
        threading.Thread(target=churn.run, args=(getattr(churn, name), pause))
        for name, pause in told["jobs"]
    ]
    say(ready=True)
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    finish(**churn.verified.summary("verify"), **churn.slow_writes.summary("bad_lights"), **churn.dropped.summary("slow_dropped"))


main(instructions())
