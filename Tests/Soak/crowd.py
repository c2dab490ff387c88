"""Many subscribers to all values (hap.py), and one writer: all subscribers must receive each value."""

import random
import socket
import threading
import time

from worker import Delays, count, credentials, error, finish, instructions, leaving, say

import hap
from controllers import BRIGHTNESS, HUE, ON, SATURATION
from database import Model, lights, observable

#: The interval and the time limit of checks whether all subscribers have received a value, in seconds. The limit counts
#: checks instead of time, so that a stall of the machine doesn't make a value late.
STEP = 0.01
PATIENCE = 5
COMPARING = 30


class Subscriber:
    """A session that always listens and sometimes sends a request."""

    def __init__(self, name, session):
        self.name, self.session, self.model = name, session, Model()
        self.answers = []
        self.answered = threading.Condition()
        database = session.get("/accessories").json["accessories"]
        self.lights, self.keys = lights(database), observable(database)
        subscription = [{"aid": aid, "iid": iid, "ev": True} for aid, iid in self.keys]
        assert session.put("/characteristics", {"characteristics": subscription}).status == 204
        # Read the values after the events that preceded the response.
        self.model.learn(session.get(self.path).json["characteristics"])
        threading.Thread(target=self._listen, daemon=True).start()

    @property
    def path(self):
        return "/characteristics?id=" + ",".join(f"{aid}.{iid}" for aid, iid in self.keys)

    def _listen(self):
        self.session.socket.settimeout(60)
        try:
            while True:
                message = self.session.receive()
                if message.version == "EVENT/1.0":
                    entries = message.json["characteristics"]
                    count("events_to_crowd", len(entries))
                    self.model.learn(entries)
                else:
                    with self.answered:
                        self.answers.append(message)
                        self.answered.notify()
        except Exception as failure:
            if not leaving.is_set():
                error(f"{self.name} has lost its session: {failure!r}", "session")

    def ask(self):
        with self.answered:
            self.session.send(f"GET {self.path} HTTP/1.1\r\nHost: bridge\r\n\r\n".encode())
            assert self.answered.wait_for(lambda: self.answers, 20), "no answer within 20 s"
            return self.answers.pop().json["characteristics"]

    def compare(self):
        wrong = self.model.contradictions(self.ask())
        for _ in range(8):
            if not wrong:
                break
            time.sleep(0.5)
            again = self.model.contradictions(self.ask())
            wrong = {key: values for key, values in again.items() if values == wrong.get(key)}
        names = {aid: name for name, (aid, _) in self.lights.items()}
        for (aid, iid), (mine, theirs) in wrong.items():
            count("lost_values")
            error(f"{self.name} was told {mine} of {aid}.{iid} last, and the bridge has {theirs}", names.get(aid, ""))
            self.model.values[aid, iid] = theirs
        count("comparisons")


def main(told):
    me, accessory = credentials(told)
    connect = lambda: hap.session(told["address"], told["port"], me, accessory)  # noqa: E731
    subscribers = [Subscriber(f"subscriber {number}", connect()) for number in range(told["subscribers"])]
    writer = connect()
    targets = [light for name, light in lights(writer.get("/accessories").json["accessories"]).items()
               if name.startswith("Crowded")]
    say(ready=True)
    delays, answers, compared, turn = Delays(), Delays(), time.monotonic(), 0
    while not leaving.wait(told["pause"]):
        began, values = time.time(), {}
        for aid, iids in random.sample(targets, told["lights"]):
            for kind, highest in ((BRIGHTNESS, 100), (HUE, 360), (SATURATION, 100)):
                values[aid, iids[kind]] = random.randint(1, highest)
            values[aid, iids[ON]] = random.random() < 0.8
        entries = [{"aid": aid, "iid": iid, "value": value} for (aid, iid), value in values.items()]
        try:
            asked = time.monotonic()
            answer = writer.put("/characteristics", {"characteristics": entries})
            written = time.monotonic()
            answers.add(written - asked)
            assert answer.status == 204, answer
            count("crowd_writes", len(entries))
            looks = 0
            while late := [subscriber.name for subscriber in subscribers
                           if any(subscriber.model.values.get(key) != float(value) for key, value in values.items())]:
                assert looks * STEP < PATIENCE, f"not told within {PATIENCE} s to {late}"
                looks += 1
                time.sleep(STEP)
            delays.add(time.monotonic() - written)
            if time.monotonic() - compared > COMPARING:
                compared, turn = time.monotonic(), turn + 1
                subscribers[turn % len(subscribers)].compare()
        except Exception as failure:
            error(f"the crowd: {failure!r}", "crowd", began)
            if isinstance(failure, (OSError, hap.ConnectionClosed)):
                writer = connect()
    for session in [writer] + [subscriber.session for subscriber in subscribers]:
        # This also wakes the listening thread.
        session.socket.shutdown(socket.SHUT_RDWR)
        session.socket.close()
    finish(**delays.summary("told_to_crowd"), **answers.summary("crowd_answers"))


main(instructions())
