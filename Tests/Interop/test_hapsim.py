"""An independent controller pairs with an accessory of hapsim; each sees the other's changes at once."""

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
from controllers import Phone, eventually
from daemon import program
from examples import device as identity
from examples import places
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
        """Wait for a line; those before it are passed over."""
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
        """Wait for a line while other work goes on."""
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


async def test_a_lock_is_written_moves_and_is_changed_from_the_terminal(simulate):
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

        # The same press twice is two presses.
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

        # Written text doesn't affect the terminal.
        assert not await pairing.put_characteristics([(*place["B6A35C2"], "\x1b[2J")])
        await simulator.shown(r"^Statistics/Note = \\u\{1B\}\[2J, written$")

        # Its identity stays the same.
        data = dict(pairing.pairing_data)
        await pairing.close()
        simulator.type("quit")
        assert simulator.process.wait(20) == 0
        simulator.start()
        await simulator.shown("is running")
        again = phone.load(data)
        await phone.record(device, lambda record: record.txt["sf"] == "0")
        assert (await again.get_characteristics([target]))[target]["value"] == 1


async def test_a_bridge_and_what_is_behind_it(simulate):
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


def test_a_mistake_in_the_file_is_named_with_its_place(tmp_path):
    file = tmp_path / "one.yaml"
    file.write_text("name: One\nservices:\n  - type: Lightbuld\n")
    done = subprocess.run([program("hapsim"), "--check", file], capture_output=True, text=True)
    assert done.returncode == 78
    assert done.stderr == f"{file}:3:11: services[0].type: unknown service type Lightbuld; write Lightbulb\n"
    for example in sorted(EXAMPLES.glob("*.yaml")):
        done = subprocess.run([program("hapsim"), "--check", example], capture_output=True, text=True)
        assert (done.returncode, done.stdout) == (0, f"{example}: the file is valid\n"), done.stderr
