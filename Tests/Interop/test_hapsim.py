"""An independent controller pairs with an accessory of hapsim. Changes on either side reach the other at once."""

import asyncio
import os
import queue
import re
import shutil
import signal
import subprocess
import threading
import time
from pathlib import Path

import pytest
from aiohomekit.model.characteristics import CharacteristicsTypes as Kind
from controllers import Phone, eventually
from daemon import program
from examples import device as identity
from examples import places, short
from lan import end

EXAMPLES = Path(__file__).resolve().parents[2] / "Examples/Accessories"


class Simulator:
    def __init__(self, host, file):
        self.host, self.file, self.process = host, file, None

    def start(self):
        environment = {key: value for key, value in os.environ.items() if key != "DBUS_SYSTEM_BUS_ADDRESS"}
        self.process = self.host.popen(
            program("hapsim"), self.file, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True, env=environment)
        self.lines, self.seen = queue.Queue(), []
        threading.Thread(target=self._read, args=(self.process,), daemon=True).start()
        return self

    def _read(self, process):
        for line in process.stdout:
            self.lines.put(line.rstrip("\n"))

    def type(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def line(self, pattern, timeout=20):
        """Wait for a line, and skip the lines before it."""
        deadline = time.monotonic() + timeout
        while True:
            try:
                line = self.lines.get(timeout=max(0.01, deadline - time.monotonic()))
            except queue.Empty:
                raise AssertionError(f"no line {pattern}: {self.seen}") from None
            self.seen.append(line)
            if found := re.search(pattern, line):
                return found

    async def shown(self, pattern):
        """Wait for a line without blocking the event loop."""
        return await asyncio.to_thread(self.line, pattern)


@pytest.fixture
def simulate(lan, tmp_path):
    made = []

    def start(name):
        made.append(Simulator(lan.bridge, Path(shutil.copy(EXAMPLES / name, tmp_path))).start())
        return made[-1]

    yield start
    for simulator in made:
        end(simulator.process)


async def test_lock_responds_to_controller_writes_and_terminal_input(simulate):
    simulator = simulate("front-door.yaml")
    simulator.line("setup code: 416-27-893")
    async with Phone() as phone:
        device = await identity(phone, "Door 1")
        pairing = await phone.pair(device, "416-27-893")
        accessories = await pairing.list_accessories_and_characteristics()
        place = places(accessories)
        target, current, press, level = place["1E"], place["1D"], place["73"], place["68"]
        own = place["B6A35C1"]
        described = [
            characteristic for service in accessories[0]["services"] for characteristic in service["characteristics"]
            if characteristic["iid"] == own[1]]
        assert described[0]["description"] == "Openings Today" and described[0]["value"] == 3

        read = await pairing.get_characteristics([target, current, level, press])
        assert [read[where].get("value") for where in (target, current, level, press)] == [1, 1, 72, None]
        events = []
        pairing.dispatcher_connect(events.append)
        assert not await pairing.subscribe([current, press, level])

        assert not await pairing.put_characteristics([(*target, 0)])
        await simulator.shown(r"^LockMechanism/LockTargetState = 0 \(Unsecured\), written$")
        await simulator.shown(r"^LockMechanism/LockCurrentState = 0 \(Unsecured\)$")
        await eventually(lambda: any(event.get(current, {}).get("value") == 0 for event in events), 10, "it has moved")

        # Two equal presses are two events.
        for _ in range(2):
            events.clear()
            simulator.type("press")
            await eventually(lambda: any(event.get(press, {}).get("value") == 0 for event in events), 10, "a press")
        simulator.type("BatteryLevel=19")
        await eventually(lambda: any(event.get(level, {}).get("value") == 19 for event in events), 10, "the battery's level")
        simulator.type("BatteryLevel=101")
        await simulator.shown(r"must be a number from 0 to 100")
        simulator.type("BateryLevel=1")
        await simulator.shown(r"did you mean BatteryLevel\?")

        simulator.type("away")
        await simulator.shown("is unreachable")
        refused = await pairing.put_characteristics([(*target, 1)])
        assert refused[target]["status"] == -70402
        simulator.type("back")
        await simulator.shown("is reachable")
        assert not await pairing.put_characteristics([(*target, 1)])

        # Control characters in written text don't reach the terminal.
        assert not await pairing.put_characteristics([(*place["B6A35C2"], "\x1b[2J")])
        await simulator.shown(r"^Statistics/Note = \\u\{1B\}\[2J, written$")

        # The accessory keeps its identity.
        data = dict(pairing.pairing_data)
        await pairing.close()
        simulator.type("quit")
        assert simulator.process.wait(20) == 0
        simulator.start()
        await simulator.shown("is running")
        again = phone.load(data)
        await phone.record(device, lambda record: record.txt["sf"] == "0")
        assert (await again.get_characteristics([target]))[target]["value"] == 1


async def test_bridged_accessories_respond_to_writes_and_terminal_input(simulate):
    simulator = simulate("garden.yaml")
    code = simulator.line(r"setup code: (\d{3}-\d{2}-\d{3})").group(1)
    async with Phone() as phone:
        pairing = await phone.pair(await identity(phone, "Simulator"), code)
        accessories = await pairing.list_accessories_and_characteristics()
        assert [accessory["aid"] for accessory in accessories] == [1, 2, 3, 4, 5]
        place = places(accessories)
        motion, obstruction, door, press = place["22"], place["24"], place["E"], place["73"]
        events = []
        pairing.dispatcher_connect(events.append)
        assert not await pairing.subscribe([motion, obstruction, door, press])

        for line, where, value in (
                ("MotionDetected=true", motion, True), ("Garage/ObstructionDetected=on", obstruction, True),
                ("press Garden Button double", press, 1)):
            simulator.type(line)
            await eventually(lambda: any(event.get(where, {}).get("value") == value for event in events), 10, line)
        assert not await pairing.put_characteristics([(*place["32"], 0)])
        for value in (2, 0):
            await eventually(
                lambda: any(event.get(door, {}).get("value") == value for event in events), 10, f"the door is {value}")
        simulator.process.send_signal(signal.SIGTERM)
        assert simulator.process.wait(20) == 0


class House:
    """The accessories of Examples/Accessories/house.yaml by their names, as a controller sees them."""

    def __init__(self, pairing, simulator, accessories):
        self.pairing, self.simulator, self.events, self.places = pairing, simulator, [], {}
        # The number of events that were awaited, by place.
        self.seen = {}
        for accessory in accessories:
            values = [one for service in accessory["services"] for one in service["characteristics"]]
            name = next(one["value"] for one in values if short(one["type"]) == short(Kind.NAME))
            for one in values:
                self.places.setdefault((name, short(one["type"])), []).append((accessory["aid"], one["iid"], one["perms"]))

    def place(self, name, kind, index=0):
        return self.places[name, short(kind)][index][:2]

    async def subscribe(self):
        self.pairing.dispatcher_connect(self.events.append)
        places = [one for several in self.places.values() for one in several]
        assert not await self.pairing.subscribe([one[:2] for one in places if "ev" in one[2]])

    async def write(self, name, values, index=0):
        assert not await self.pairing.put_characteristics(
            [(*self.place(name, kind, index), value) for kind, value in values.items()])

    async def read(self, name, kind, index=0):
        where = self.place(name, kind, index)
        return (await self.pairing.get_characteristics([where]))[where]["value"]

    async def event(self, name, kind, *values, index=0):
        """Wait for more events with these values, in this order."""
        where = self.place(name, kind, index)

        def has_come(value):
            for number, event in enumerate(self.events):
                if number >= self.seen.get(where, 0) and event.get(where, {}).get("value") == value:
                    self.seen[where] = number + 1
                    return True

        for value in values:
            await eventually(lambda: has_come(value), 10, f"{name}: {kind} is {value}")


@pytest.fixture
def house(lan, tmp_path):
    """A house with all kinds of devices, whose movements are short."""
    text = re.sub(r"\n +travel: .*", "", (EXAMPLES / "house.yaml").read_text())
    text = re.sub(r"( +)- type: .*", r"\g<0>\n\1  travel: 1", text)
    text = text.replace("WindowCovering\n        travel: 1", "WindowCovering\n        travel: 5")
    (tmp_path / "house.yaml").write_text(re.sub("SetDuration: [0-9]+", "SetDuration: 2", text))
    simulator = Simulator(lan.bridge, tmp_path / "house.yaml").start()
    yield simulator, simulator.line(r"setup code: (\d{3}-\d{2}-\d{3})").group(1)
    end(simulator.process)


async def test_every_service_type_behaves_like_a_real_device(house):
    simulator, code = house
    async with Phone() as phone:
        pairing = await phone.pair(await identity(phone, "Simulator"), code)
        house = House(pairing, simulator, await pairing.list_accessories_and_characteristics())
        await house.subscribe()

        # These movements take a second or two.
        await house.write("Hall Thermostat", {Kind.TEMPERATURE_TARGET: 20.5})
        await house.write("Air Conditioner", {
            Kind.ACTIVE: 1, Kind.TARGET_HEATER_COOLER_STATE: 2, Kind.TEMPERATURE_COOLING_THRESHOLD: 23.5})
        await house.write("Bedroom Humidifier", {Kind.ACTIVE: 1, Kind.RELATIVE_HUMIDITY_HUMIDIFIER_THRESHOLD: 42})
        await house.write("Air Purifier", {Kind.ACTIVE: 1, Kind.AIR_PURIFIER_STATE_TARGET: 1})
        await house.write("Sprinklers", {Kind.ACTIVE: 1}, index=1)
        await house.write("House Alarm", {Kind.SECURITY_SYSTEM_STATE_TARGET: 1})
        await house.write("Front Lock", {Kind.LOCK_MECHANISM_TARGET_STATE: 0})
        await house.write("Garage", {Kind.DOOR_STATE_TARGET: 0})
        await house.write("Roof Window", {Kind.POSITION_TARGET: 60})

        # A blind moves, and stops on command.
        await house.write("Bedroom Blind", {Kind.POSITION_TARGET: 100, Kind.HORIZONTAL_TILT_TARGET: 45})
        await house.event("Bedroom Blind", Kind.POSITION_STATE, 1)
        await house.event("Bedroom Blind", Kind.POSITION_CURRENT, 20)
        await house.write("Bedroom Blind", {Kind.POSITION_HOLD: True})
        await house.event("Bedroom Blind", Kind.POSITION_STATE, 2)
        position = await house.read("Bedroom Blind", Kind.POSITION_CURRENT)
        assert 0 < position < 100 and await house.read("Bedroom Blind", Kind.POSITION_TARGET) == position
        await house.event("Roof Window", Kind.POSITION_CURRENT, 60)

        # A jammed lock doesn't turn.
        await house.event("Front Lock", Kind.LOCK_MECHANISM_CURRENT_STATE, 0)
        simulator.type("LockCurrentState=Jammed")
        await house.event("Front Lock", Kind.LOCK_MECHANISM_CURRENT_STATE, 2)
        await house.write("Front Lock", {Kind.LOCK_MECHANISM_TARGET_STATE: 1})
        simulator.type("LockCurrentState=Secured")
        await house.event("Front Lock", Kind.LOCK_MECHANISM_CURRENT_STATE, 1)

        # A closing garage door opens again if something is in its way.
        await house.event("Garage", Kind.DOOR_STATE_CURRENT, 2, 0)
        await house.write("Garage", {Kind.DOOR_STATE_TARGET: 1})
        await house.event("Garage", Kind.DOOR_STATE_CURRENT, 3)
        simulator.type("Garage/ObstructionDetected=true")
        await house.event("Garage", Kind.DOOR_STATE_CURRENT, 2, 0)
        assert await house.read("Garage", Kind.DOOR_STATE_TARGET) == 0

        # Temperatures and humidities follow their targets.
        await house.event("Hall Thermostat", Kind.HEATING_COOLING_CURRENT, 1, 0)
        await house.event("Hall Thermostat", Kind.TEMPERATURE_CURRENT, 20.5)
        await house.write(
            "Hall Thermostat", {Kind.HEATING_COOLING_TARGET: 3, Kind.TEMPERATURE_COOLING_THRESHOLD: 20})
        await house.event("Air Conditioner", Kind.CURRENT_HEATER_COOLER_STATE, 3, 1)
        await house.event("Bedroom Humidifier", Kind.CURRENT_HUMIDIFIER_DEHUMIDIFIER_STATE, 2, 1)
        await house.event("Bedroom Humidifier", Kind.RELATIVE_HUMIDITY_CURRENT, 42)
        await house.event("Air Purifier", Kind.AIR_PURIFIER_STATE_CURRENT, 2, 1)
        await house.event("Hall Thermostat", Kind.HEATING_COOLING_CURRENT, 2, 0)

        # A valve closes itself. Its irrigation system is in use in the meantime. Controllers count down themselves (HAP 9).
        await house.event("Sprinklers", Kind.IN_USE, 1, 0)
        await house.event("Sprinklers", Kind.ACTIVE, 0, index=1)
        remaining = house.place("Sprinklers", Kind.REMAINING_DURATION, 1)
        assert [event[remaining]["value"] for event in house.events if remaining in event] == [2, 0]

        # An alarm arms after an exit delay, and is triggered from the terminal.
        await house.event("House Alarm", Kind.SECURITY_SYSTEM_STATE_CURRENT, 1)
        simulator.type("SecuritySystemCurrentState=AlarmTriggered")
        await house.event("House Alarm", Kind.SECURITY_SYSTEM_STATE_CURRENT, 4)
        await house.write("House Alarm", {Kind.SECURITY_SYSTEM_STATE_TARGET: 3})
        await house.event("House Alarm", Kind.SECURITY_SYSTEM_STATE_CURRENT, 3)

        # Buttons, sensors and filters.
        for line, name, kind, value, index in (
                ("press Lower Button long", "Wall Remote", Kind.INPUT_EVENT, 2, 1),
                ("press Gate Bell", "Gate Bell", Kind.INPUT_EVENT, 0, 0),
                ("CarbonMonoxideLevel=80", "Cellar Monoxide", Kind.CARBON_MONOXIDE_DETECTED, 1, 0),
                ("CarbonDioxideLevel=1400", "Study Air", Kind.CARBON_DIOXIDE_DETECTED, 1, 0),
                ("PM2_5Density=80", "Study Air", Kind.AIR_QUALITY, 4, 0),
                ("Vibration/StatusTampered=1", "Window Vibration", Kind.STATUS_TAMPERED, 1, 0),
                ("Window Vibration/BatteryLevel=9", "Window Vibration", Kind.STATUS_LO_BATT, 1, 0),
                ("FilterLifeLevel=4", "Air Purifier", Kind.FILTER_CHANGE_INDICATION, 1, 0),
                ("Consumption=12.5", "Washing Machine", Kind.VENDOR_EVE_ENERGY_WATT, 12.5, 0)):
            simulator.type(line)
            await house.event(name, kind, value, index=index)
        simulator.type("press Lower Button double")
        await simulator.shown(r"must be one of")
        await house.write("Air Purifier", {Kind.FILTER_RESET_INDICATION: 1})
        await house.event("Air Purifier", Kind.FILTER_CHANGE_INDICATION, 0)
        await pairing.close()


def test_error_in_the_file_is_reported_with_line_and_column(tmp_path):
    file = tmp_path / "one.yaml"
    file.write_text("name: One\nservices:\n  - type: Lightbuld\n")
    done = subprocess.run([program("hapsim"), "--check", file], capture_output=True, text=True)
    assert done.returncode == 78
    assert done.stderr == f"{file}:3:11: services[0].type: unknown service type Lightbuld; use Lightbulb\n"
    for example in sorted(EXAMPLES.glob("*.yaml")):
        done = subprocess.run([program("hapsim"), "--check", example], capture_output=True, text=True)
        assert (done.returncode, done.stdout) == (0, f"{example}: the file is valid\n"), done.stderr
