"""Controllers based on aiohomekit, on one host: each controller writes in turn, and all others must receive the values.

The first controller finds the bridge by its advertisement, pairs, and adds the other controllers and the requested number of
additional pairings. Each controller updates a model of all lights from events, and compares it with the bridge regularly.
"""

import asyncio
import random
import time

from worker import Delays, count, error, finish, instructions, leaving, say

from controllers import BRIGHTNESS, ON, Phone, identity, pairing_data
from database import Model, lights, observable

#: The interval of checks whether the last written value has arrived, in seconds; see crowd.py. An event waits at most 250 ms.
STEP = 0.01
PATIENCE = 5
COMPARING = 20


class Watcher:
    def __init__(self, name, pairing):
        self.name, self.pairing, self.model = name, pairing, Model()
        self.subscribed = set()
        received = pairing.event_received

        def note(event):
            count("events_to_watchers", len(event["characteristics"]))
            self.model.learn(event["characteristics"])
            received(event)

        pairing.event_received = note

    async def look(self):
        """Read the whole database, and subscribe to new characteristics."""
        accessories = await self.pairing.list_accessories_and_characteristics()
        self.lights = lights(accessories)
        there = set(observable(accessories))
        self.subscribed &= there
        for key in set(self.model.values) - there:
            del self.model.values[key]
        new = sorted(there - self.subscribed)
        if new:
            refused = await self.pairing.subscribe(new)
            if refused:
                error(f"{self.name} cannot subscribe: {refused}", "subscription")
            self.subscribed |= set(new)
            self.model.learn_new(await self.read(new))
        self.protocol = self.pairing.connection.protocol

    async def read(self, keys):
        answer = await self.pairing.get_characteristics(sorted(keys))
        return [{**entry, "aid": key[0], "iid": key[1]} for key, entry in answer.items()]

    async def compare(self):
        """Compare this model with the bridge. Only lasting differences count as losses, because values may be changing."""
        wrong = self.model.contradictions(await self.read(self.subscribed))
        for _ in range(8):
            if not wrong:
                break
            await asyncio.sleep(0.5)
            again = self.model.contradictions(await self.read(wrong))
            wrong = {key: values for key, values in again.items() if values == wrong[key]}
        names = {aid: name for name, (aid, _) in self.lights.items()}
        for (aid, iid), (mine, theirs) in wrong.items():
            count("lost_values")
            error(f"{self.name} was told {mine} of {aid}.{iid} last, and the bridge has {theirs}", names.get(aid, ""))
            self.model.values[aid, iid] = theirs
        count("comparisons")
        if self.pairing.connection.protocol is not self.protocol:
            error(f"{self.name} has lost its session", "session")
        await self.look()


async def write(writer, others, delays, answers):
    """One controller writes a few values to one light, and all other controllers must receive the last value."""
    names = [name for name in writer.lights if name.startswith(("Watched", "Lamp"))]
    name = random.choice(names)
    aid, iids = writer.lights[name]
    kind = random.choice([ON, BRIGHTNESS, BRIGHTNESS])
    key, began = (aid, iids[kind]), time.time()
    values = [random.randint(1, 100) if kind == BRIGHTNESS else random.random() < 0.5 for _ in range(random.randint(1, 4))]
    for value in values:
        asked = time.monotonic()
        try:
            refused = await writer.pairing.put_characteristics([(*key, value)])
        except KeyError:
            # The controller's library read the accessories again while the light was missing.
            error(f"{writer.name} wrote to a light that was away", name, began)
            return
        answers.add(time.monotonic() - asked)
        if refused:
            error(f"{writer.name} wrote: {refused[key]['status']}", name, began)
            return
        writer.model.values[key] = float(value)
    count("watchers_writes", len(values))
    written, wanted = time.monotonic(), float(values[-1])
    looks = 0
    while late := [other for other in others if other.model.values.get(key) != wanted]:
        if looks * STEP > PATIENCE:
            error(f"not told within {PATIENCE} s to {[other.name for other in late]}: {wanted} of {kind}", name, began)
            return
        looks += 1
        await asyncio.sleep(STEP)
    delays.add(time.monotonic() - written)


async def pair(phone, told):
    """Return all watchers, paired with the bridge, and additional identities."""
    first = await phone.pair(told["device"], told["code"], "watcher 0")
    data, watchers, others = first.pairing_data, [Watcher("watcher 0", first)], []
    for number in range(1, told["watchers"] + told["others"]):
        other = identity()
        assert await first.add_pairing(other["id"], other["public"], "Admin")
        if number < told["watchers"]:
            name = f"watcher {number}"
            watchers.append(Watcher(name, phone.load(pairing_data(data, other), name)))
        else:
            others.append(other)
    say(paired={"id": data["AccessoryPairingID"], "public": data["AccessoryLTPK"], "identities": others})
    return watchers


async def main(told):
    delays, answers = Delays(), Delays()
    async with Phone() as phone:
        watchers = await pair(phone, told)
        for watcher in watchers:
            await watcher.look()
        say(ready=True)
        compared = time.monotonic()
        while not leaving.is_set():
            for number, writer in enumerate(watchers):
                await asyncio.sleep(told["pause"])
                if leaving.is_set():
                    break
                others = watchers[:number] + watchers[number + 1:]
                began = time.time()
                try:
                    await write(writer, others, delays, answers)
                except Exception as failure:
                    error(f"{writer.name} writes: {failure!r}", "watchers", began)
            if time.monotonic() - compared > COMPARING:
                compared = time.monotonic()
                for watcher in watchers:
                    began = time.time()
                    try:
                        await watcher.compare()
                    except Exception as failure:
                        error(f"{watcher.name} compares: {failure!r}", "watchers", began)
    finish(**delays.summary("told_to_watchers"), **answers.summary("watchers_answers"))


asyncio.run(main(instructions()))
