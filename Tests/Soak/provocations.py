"""What is done to the bridge on purpose, when, and what may go wrong meanwhile because of it."""

import contextlib
import re
import time

from lan import until
from world import LAMPS

#: By what is done: log lines of level warning or worse, and what controllers' errors may be about. Each is expected while
#: it is done, and until all has recovered.
EXPECTED = {
    "broker": ([r"broker disconnected"], ("Lamp", "Lively")),
    "lamps": ([], ("Lamp", "Lively")),
    "avahi": ([r"publication blocked"], ()),
    "reload": ([r"no driver flaky is configured"], ("Passing", "Flaky")),
    "blink": ([], ("Watched 7",)),
    "annexe": ([r"publication blocked"], ("Annexe",)),
    "unauthenticated": ([], ()),
    "backup": ([], ()),
}
#: How long the effects of something that is over may still be told.
GRACE = 5
#: Repetitions are told when their minute has ended.
REPETITIONS = 65


class Provocations:
    def __init__(self, world):
        self.world = world
        #: `[name, begin, end]`; the end is None while it lasts.
        self.all = []

    @contextlib.contextmanager
    def provoke(self, name):
        """Something is done on purpose. That it fails, or that nothing recovers from it, is an error of its own."""
        window = [name, time.time(), None]
        self.all.append(window)
        try:
            yield
        except Exception as failure:
            self.world.complain(f"{name}: {failure}", "schedule", "schedule", window[1])
        finally:
            window[2] = time.time()

    # What is done

    def broker(self):
        with self.provoke("broker"):
            self.world.kill_broker()
            time.sleep(5)
            self.world.start_broker()
            self._lamps_are_back()

    def broker_hangs(self):
        with self.provoke("broker"):
            self.world.stop_broker_reading(12)
            self._lamps_are_back()

    def avahi(self):
        with self.provoke("avahi"):
            self.world.restart_avahi()
            self._published()

    def bus(self):
        with self.provoke("avahi"):
            self.world.restart_bus()
            self._published()

    def lights_appear(self):
        with self.provoke("reload"):
            self.world.reload(temporary=5)

    def lights_vanish(self):
        with self.provoke("reload"):
            self.world.reload(temporary=0)

    def drivers_flap(self):
        with self.provoke("reload"):
            self.world.flap()

    def mqtt_changes(self):
        with self.provoke("lamps"):
            self.world.change_mqtt()
            self._lamps_are_back()

    def lamps_vanish(self):
        with self.provoke("lamps"):
            numbers = [1, LAMPS - 1, LAMPS]
            self.world.move_lamps("vanish", numbers)
            time.sleep(8)
            self.world.move_lamps("appear", numbers)
            self._lamps_are_back()

    def blink(self):
        with self.provoke("blink"):
            self.world.blink(False)
            time.sleep(4)
            self.world.blink(True)

    def annexe(self):
        with self.provoke("annexe"):
            self.world.restart_annexe()
            self.world.annexe.until_published(30)
            # The hub comes back by itself.
            until(lambda: self.world.annexe.status["controllers"] > 0, 60, "the hub has come back", 0.2)

    def backup(self):
        with self.provoke("backup"):
            self.world.back_up()

    #: One turn, evenly spread over its time.
    TURN = [
        broker, lights_appear, blink, avahi, drivers_flap, lamps_vanish, backup, annexe, broker_hangs, lights_vanish,
        bus, mqtt_changes,
    ]

    def _lamps_are_back(self):
        def are_back():
            lamps = [light for key, light in self.world.bridge.lights.items() if key.startswith("mqtt/")]
            return len(lamps) == LAMPS and all(light["reachable"] for light in lamps)

        until(are_back, 60, "all lamps can be reached again", 0.5)

    def _published(self):
        self.world.bridge.until_published(60)
        self.world.annexe.until_published(60)

    # What it explains

    def around(self, begin, end):
        """What was going on between two times."""
        return [name for name, began, ended in self.all
                if began <= end and (ended is None or ended + GRACE >= begin)]

    def explains(self, error):
        """The provocation that an error is due to, or None."""
        for name in self.around(error["began"], error["at"]):
            if error["about"].startswith(EXPECTED[name][1] or ("\0",)):
                return name
        return None

    def explains_line(self, line, at):
        repeated = "(repeated" in line
        for name in self.around(at - (REPETITIONS if repeated else 1), at):
            if any(re.search(pattern, line) for pattern in EXPECTED[name][0]):
                return name
        return None
