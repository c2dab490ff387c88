"""Provoked failures, with their schedule and the errors that they explain."""

import contextlib
import re
import time

from lan import until
from world import LAMPS

#: For each provocation, patterns of the log lines (level warning or worse) that it explains, and the lights for which it
#: explains controllers' errors, during the provocation and until everything has recovered.
EXPECTED = {
    "broker": ([r"broker disconnected"], ("Lamp", "Lively")),
    "lamps": ([], ("Lamp", "Lively")),
    "avahi": ([r"publication blocked"], ()),
    "reload": ([r"driver flaky isn't configured"], ("Passing", "Flaky")),
    "blink": ([], ("Watched 7",)),
    "annexe": ([r"publication blocked"], ("Annexe",)),
    "unauthenticated": ([], ()),
    "backup": ([], ()),
}
#: The time after a provocation during which its effects may still be reported, in seconds.
GRACE = 5
#: The time after which repeated messages are logged at the latest, in seconds: a minute, plus a reserve.
REPETITIONS = 65


class Provocations:
    def __init__(self, world):
        self.world = world
        #: `[name, begin, end]` for each provocation; the end is None while the provocation lasts.
        self.all = []

    @contextlib.contextmanager
    def provoke(self, name):
        """Run a provocation. If it fails, or if the system doesn't recover from it, add an error."""
        window = [name, time.time(), None]
        self.all.append(window)
        try:
            yield
        except Exception as failure:
            self.world.complain(f"{name}: {failure}", "schedule", "schedule", window[1])
        finally:
            window[2] = time.time()

    # Provocations

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
            # The hub reconnects automatically.
            until(lambda: self.world.annexe.status["controllers"] > 0, 60, "the hub has reconnected", 0.2)

    def backup(self):
        with self.provoke("backup"):
            self.world.back_up()

    #: The provocations of one round, evenly spread over its time.
    TURN = [
        broker, lights_appear, blink, avahi, drivers_flap, lamps_vanish, backup, annexe, broker_hangs, lights_vanish,
        bus, mqtt_changes,
    ]

    def _lamps_are_back(self):
        def are_back():
            lamps = [light for key, light in self.world.bridge.lights.items() if key.startswith("mqtt/")]
            return len(lamps) == LAMPS and all(light["reachable"] for light in lamps)

        until(are_back, 60, "all lamps are reachable again", 0.5)

    def _published(self):
        self.world.bridge.until_published(60)
        self.world.annexe.until_published(60)

    # Explanations

    def around(self, begin, end):
        """Return the names of the provocations between two times."""
        return [name for name, began, ended in self.all
                if began <= end and (ended is None or ended + GRACE >= begin)]

    def explains(self, error):
        """Return the name of the provocation that explains an error, or None."""
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
