"""A lamp on a real MQTT broker, made by others, is a HomeKit light to controllers made by others."""

import asyncio
import json
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from controllers import BRIGHTNESS, HUE, ON, SATURATION, Phone, eventually, named

from broker import Broker
from conftest import configuration
from lan import PATIENCE, end, open_to_all, until

#: Longer than the longest pause between two tries to reach a broker, which is 60 s.
RECONNECTION = 75
LAMP = "mqtt/den-1-light"
NAME = "Den lamp Den"


class Lamp:
    """mqtt_lamp.py on the host `bridge`."""

    def __init__(self, host, port):
        self.commands = []
        self.process = host.popen(
            sys.executable, Path(__file__).with_name("mqtt_lamp.py"), str(port), stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, text=True)
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self.process.stdout:
            self.commands.append(json.loads(line))

    def change(self, **change):
        """Something happens at the lamp itself."""
        self.process.stdin.write(json.dumps(change) + "\n")
        self.process.stdin.flush()

    def close(self):
        self.process.stdin.close()
        end(self.process)


@pytest.fixture
def make_lamp(lan, broker):
    made = []

    def make():
        made.append(Lamp(lan.bridge, broker.port))
        return made[-1]

    yield make
    for lamp in made:
        lamp.close()


@pytest.fixture
def daemon(make_daemon, broker):
    drivers = [{"driver": "mqtt", "url": broker.url, "discovery": {"home-assistant": "homeassistant"}}]
    made = make_daemon(configuration(drivers=drivers))
    made.until_published()
    made.until(lambda status: [driver["state"] for driver in status["drivers"]] == ["running"])
    return made


def note_events(pairing, events):
    """Note what comes over the wire; aiohomekit's own listeners are also notified of what it has written itself."""
    received = pairing.event_received

    def note(event):
        events.extend(((entry["aid"], entry["iid"]), entry["value"]) for entry in event["characteristics"])
        received(event)

    pairing.event_received = note


def wait_for_lamp(daemon, reachable=True, timeout=10):
    return until(
        lambda: (light := daemon.lights.get(LAMP)) and light["reachable"] == reachable and light, timeout,
        f"the lamp is there with reachable {reachable}", interval=0.1)


async def test_a_lamp_appears_while_a_controller_is_connected(daemon, make_lamp, lan):
    async with Phone() as phone:
        pairing = await phone.pair(daemon.status["deviceId"], daemon.setup_code)
        assert len(await pairing.list_accessories_and_characteristics()) == 1
        protocol, number = pairing.connection.protocol, daemon.status["configurationNumber"]
        make_lamp()
        await asyncio.to_thread(wait_for_lamp, daemon)
        accessories = await pairing.list_accessories_and_characteristics()
        aid, _ = named(accessories, NAME)
        assert aid == daemon.lights[LAMP]["aid"]
        await asyncio.to_thread(daemon.until, lambda status: status["configurationNumber"] == number + 1)
        assert pairing.connection.protocol is protocol and pairing.is_connected, "the session stayed"
        await phone.record(daemon.status["deviceId"], lambda record: record.txt["c#"] == str(number + 1))


async def test_what_a_controller_writes_arrives_at_the_lamp(daemon, make_lamp, broker, lan):
    lamp = make_lamp()
    wait_for_lamp(daemon)
    async with Phone() as phone:
        pairing = await phone.pair(daemon.status["deviceId"], daemon.setup_code)
        aid, iids = named(await pairing.list_accessories_and_characteristics(), NAME)
        for writes, expected in [
            ({ON: True}, {"state": "ON"}),
            ({BRIGHTNESS: 40}, {"brightness": 102}),
            ({HUE: 30.0, SATURATION: 80.0}, {"color": {"h": 30, "s": 80}}),
            ({ON: True, BRIGHTNESS: 100}, {"state": "ON", "brightness": 255}),
            ({ON: False}, {"state": "OFF"}),
        ]:
            count = len(lamp.commands)
            assert await pairing.put_characteristics([(aid, iids[kind], value) for kind, value in writes.items()]) == {}
            await eventually(lambda: len(lamp.commands) > count, 5, f"{writes} arrives")
            assert expected.items() <= lamp.commands[count].items()
        read = await pairing.get_characteristics([(aid, iids[kind]) for kind in (ON, BRIGHTNESS, HUE, SATURATION)])
        assert [entry["value"] for entry in read.values()] == [False, 100, 30, 80]

        drivers = [{"driver": "mqtt", "url": broker.url, "discovery": {"home-assistant": "homeassistant"}}]
        daemon.configure({**configuration(drivers=drivers), "lights": {LAMP: {"transition": "1.5s"}}})
        await asyncio.to_thread(daemon.cli, "reload")
        count = len(lamp.commands)
        assert "transition" not in json.dumps(lamp.commands)
        assert await pairing.put_characteristics([(aid, iids[ON], True)]) == {}
        await eventually(lambda: len(lamp.commands) > count, 5, "the command arrives")
        assert {"state": "ON", "transition": 1.5}.items() <= lamp.commands[count].items()


@pytest.mark.alone
async def test_a_device_that_never_stops_talking_delays_no_other(daemon, make_lamp, lan, broker):
    make_lamp()
    wait_for_lamp(daemon)
    async with Phone() as phone:
        pairing = await phone.pair(daemon.status["deviceId"], daemon.setup_code)
        aid, iids = named(await pairing.list_accessories_and_characteristics(), NAME)

        async def times():
            reads, writes = [], []
            for turn in range(100):
                start = time.monotonic()
                await pairing.get_characteristics([(aid, iids[ON])])
                reads.append(time.monotonic() - start)
                start = time.monotonic()
                assert await pairing.put_characteristics([(aid, iids[BRIGHTNESS], turn % 100 + 1)]) == {}
                writes.append(time.monotonic() - start)
            return sorted(reads), sorted(writes)

        quiet = await times()
        noise = lan.bridge.popen(
            sys.executable, Path(__file__).with_name("mqtt_flood.py"), str(broker.port), stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, text=True)
        try:
            known = set()

            def noise_is_received():
                light = daemon.lights.get("mqtt/noise")
                known.add(light and light.get("brightness"))
                return len(known) > 3

            await asyncio.to_thread(until, noise_is_received, 10, "the flood is read")
            loud = await times()
        finally:
            count = int((await asyncio.to_thread(noise.communicate))[0])
        for name, before, after in zip(("read", "write"), quiet, loud):
            print(f"{name}: median {before[50] * 1000:.1f} ms quiet, {after[50] * 1000:.1f} ms beside {count} messages; "
                  f"longest but one {before[98] * 1000:.1f} and {after[98] * 1000:.1f} ms, "
                  f"longest {before[-1] * 1000:.1f} and {after[-1] * 1000:.1f} ms")
            # What waited for the flood, or was left unanswered for it, would take seconds.
            assert after[98] < 0.5 * PATIENCE, f"more than one {name} in a hundred takes {after[98]:.3f} s beside the flood"
            assert after[-1] < 1.5 * PATIENCE, f"a {name} takes {after[-1]:.3f} s beside the flood"


async def test_a_change_reaches_subscribers_and_never_its_writer(daemon, make_lamp, lan):
    lamp = make_lamp()
    wait_for_lamp(daemon)
    async with Phone() as phone:
        writer = await phone.pair(daemon.status["deviceId"], daemon.setup_code, "writer")
        aid, iids = named(await writer.list_accessories_and_characteristics(), NAME)
        watcher = phone.load(writer.pairing_data, "watcher")
        await watcher.list_accessories_and_characteristics()
        received = {writer: [], watcher: []}
        for pairing, events in received.items():
            note_events(pairing, events)
            assert not await pairing.subscribe([(aid, iids[ON]), (aid, iids[BRIGHTNESS])])

        brightness = aid, iids[BRIGHTNESS]
        lamp.change(state="ON", brightness=51)
        for events in received.values():
            await eventually(lambda: (brightness, 20) in events, 5, "both receive what happens at the lamp")
            events.clear()

        count = len(lamp.commands)
        await writer.put_characteristics([(aid, iids[ON], True), (*brightness, 40)])
        await eventually(lambda: (brightness, 40) in received[watcher], 5, "the other controller is notified of it")
        # The write is answered before the broker has the command: what happens at the lamp must not overtake it.
        await eventually(lambda: len(lamp.commands) > count, 5, "the lamp has obeyed")
        # What happens at the lamp next comes to the writer behind any echo, after the time the bridge gives a light to
        # reconcile; so once it is there, no echo is on its way.
        lamp.change(state="ON", brightness=128)
        await eventually(lambda: (brightness, 50) in received[writer], 5, "the writer receives the lamp")
        assert received[writer] == [(brightness, 50)]


async def test_the_broker_is_killed_and_nothing_is_lost(daemon, make_lamp, broker, lan):
    lamp = make_lamp()
    wait_for_lamp(daemon)
    async with Phone() as phone:
        pairing = await phone.pair(daemon.status["deviceId"], daemon.setup_code)
        aid, iids = named(await pairing.list_accessories_and_characteristics(), NAME)
        status = await asyncio.to_thread(daemon.until, lambda status: status["configurationNumber"] > 1)
        number = status["configurationNumber"]
        broker.kill()
        await asyncio.to_thread(wait_for_lamp, daemon, reachable=False)
        on = (aid, iids[ON])
        assert (await pairing.get_characteristics([on]))[on]["status"] == -70402
        assert (await pairing.put_characteristics([(*on, True)]))[on]["status"] == -70402
        broker.start()
        await asyncio.to_thread(wait_for_lamp, daemon, timeout=RECONNECTION)
        assert daemon.status["configurationNumber"] == number and daemon.lights[LAMP]["aid"] == aid

        async def obeys():
            # The lamp, too, needs a while to come back to its broker.
            for wanted in [True, False] * 20:
                assert await pairing.put_characteristics([(*on, wanted)]) == {}
                await asyncio.sleep(0.5)
                if lamp.commands:
                    return True
            return False

        assert await obeys(), "the lamp receives its controller again"
        assert (await pairing.get_characteristics([on]))[on].get("status", 0) == 0


def test_a_broker_that_swallows_every_packet_is_reported_and_does_not_delay_the_end(make_daemon, lan):
    # A neighbour that is known and does not exist: a connection is neither taken nor refused.
    lan.bridge.run("ip", "neigh", "replace", "10.77.0.99", "lladdr", "02:00:00:00:00:99", "dev", "eth0")
    daemon = make_daemon(configuration(drivers=[{"driver": "mqtt", "url": "mqtt://10.77.0.99"}]))
    daemon.until(lambda status: "no answer yet" in status["drivers"][0]["state"], 20)
    code, seconds = daemon.terminate()
    assert code == 0 and seconds < 5 * PATIENCE


class Gateway:
    """mqtt_gateway.py on the host `bridge`."""

    def __init__(self, host, port, **options):
        words = [word for name, value in options.items() for word in (f"--{name}", str(value))]
        self.told = []
        self.process = host.popen(
            sys.executable, Path(__file__).with_name("mqtt_gateway.py"), str(port), *words, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, text=True)
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self.process.stdout:
            self.told.append(json.loads(line))

    @property
    def commands(self):
        return [line for line in self.told if "time" in line]

    def states(self, **change):
        """What all lights show, after a change that they tell or without one."""
        count = len(self.told)
        self.process.stdin.write(json.dumps(change) + "\n")
        self.process.stdin.flush()
        return until(lambda: [line["states"] for line in self.told[count:] if "states" in line], 5, "its states")[0]

    def kill(self):
        self.process.kill()
        self.process.wait()


@pytest.fixture
def make_gateway(lan):
    made = []

    def make(broker, **options):
        made.append(Gateway(lan.bridge, broker.port, **options))
        return made[-1]

    yield make
    for gateway in made:
        end(gateway.process)


def wait_for_gateway(daemon, lights, driver="mqtt", timeout=15, **expected):
    def are_there():
        found = [light for key, light in daemon.lights.items() if key.startswith(f"{driver}/g")]
        return len(found) == lights and all(expected.items() <= light.items() for light in found)

    until(are_there, timeout, f"{lights} lights with {expected}", interval=0.1)


async def test_a_scene_of_28_lights_arrives_although_the_gateway_loses_one_message_in_ten(daemon, broker, make_gateway):
    gateway = make_gateway(broker, lights=28, every=10)
    await asyncio.to_thread(wait_for_gateway, daemon, 28, reachable=True)
    async with Phone() as phone:
        pairing = await phone.pair(daemon.status["deviceId"], daemon.setup_code)
        accessories = await pairing.list_accessories_and_characteristics()
        lights = [named(accessories, f"Lamp {number}") for number in range(28)]
        for scene, (on, level) in enumerate([(True, 20), (False, 20), (True, 90), (True, 1), (True, 100)]):
            count = len(gateway.commands)
            writes = [(aid, iids[kind], value) for aid, iids in lights for kind, value in ((ON, on), (BRIGHTNESS, level))]
            assert await pairing.put_characteristics(writes) == {}
            began = time.monotonic()
            # Off is off, whatever the level.
            wanted = {"state": "ON", "brightness": round(level * 2.54)} if on else {"state": "OFF"}

            def arrived():
                return all(wanted.items() <= state.items() for state in gateway.states())

            await asyncio.to_thread(until, arrived, 8, f"scene {scene} is everywhere: {wanted}")
            commands = gateway.commands[count:]
            first = commands[:28]
            print(f"scene {scene}: everywhere after {time.monotonic() - began:.1f} s, {len(commands)} commands, "
                  f"{sum(command['lost'] for command in commands)} lost")
            # 20 ms apart when they were sent; whoever was busy then received some of them at once.
            assert first[-1]["time"] - first[0]["time"] > 0.2, "they go to the radio one after the other"


async def test_a_gateway_that_dies_is_no_response_at_once_and_back_as_it_is_by_then(daemon, broker, make_gateway):
    gateway = make_gateway(broker, lights=3)
    await asyncio.to_thread(wait_for_gateway, daemon, 3, reachable=True, on=False)
    async with Phone() as phone:
        pairing = await phone.pair(daemon.status["deviceId"], daemon.setup_code)
        accessories = await pairing.list_accessories_and_characteristics()
        lamps = [(aid, iids[ON]) for aid, iids in (named(accessories, f"Lamp {number}") for number in range(3))]

        async def answers():
            read = await pairing.get_characteristics(lamps)
            return [entry.get("status") or entry["value"] for entry in read.values()]

        gateway.kill()
        died = time.monotonic()
        while await answers() != [-70402] * 3:
            assert time.monotonic() - died < 1.5 * PATIENCE, await answers()
            await asyncio.sleep(0.02)
        print(f"no response after {(time.monotonic() - died) * 1000:.0f} ms")
        gateway = make_gateway(broker, lights=3)
        gateway.states(state="ON", brightness=127)
        await asyncio.to_thread(wait_for_gateway, daemon, 3, reachable=True, on=True, brightness=50)
        assert await answers() == [True] * 3


def test_two_brokers_one_of_them_with_tls_and_a_password(make_daemon, make_gateway, broker, lan, tmp_path):
    safe = tmp_path / "safe"
    safe.mkdir(mode=0o755)
    for command in [
        "openssl req -x509 -nodes -newkey rsa:2048 -days 2 -keyout ca.key -out ca.pem -subj /CN=Authority",
        "openssl req -x509 -nodes -newkey rsa:2048 -days 2 -CA ca.pem -CAkey ca.key -keyout key.pem -out cert.pem "
        "-subj /CN=localhost -addext subjectAltName=DNS:localhost -addext basicConstraints=CA:FALSE",
        "mosquitto_passwd -b -c users anna right",
    ]:
        subprocess.run(command.split(), cwd=safe, check=True, capture_output=True)
    open_to_all(safe)
    for path in safe.iterdir():
        path.chmod(0o644)
    guarded = Broker(lan.bridge, safe)
    guarded.configuration.write_text(
        f"listener {guarded.port} 0.0.0.0\nallow_anonymous false\npassword_file {safe}/users\n"
        f"cafile {safe}/ca.pem\ncertfile {safe}/cert.pem\nkeyfile {safe}/key.pem\n")
    guarded.start()
    try:
        password = tmp_path / "password"
        password.write_text("right\n")
        password.chmod(0o600)
        daemon = make_daemon(configuration(drivers=[
            {"driver": "mqtt", "id": "open", "url": broker.url},
            {"driver": "mqtt", "id": "guarded", "url": f"mqtts://localhost:{guarded.port}", "user": "anna",
             "password-file": str(password), "ca-file": str(safe / "ca.pem")},
        ]))
        make_gateway(broker, lights=2)
        make_gateway(guarded, lights=2, user="anna", password="right", ca=safe / "ca.pem")
        for driver in ("open", "guarded"):
            wait_for_gateway(daemon, 2, driver, reachable=True, room="Hall")
        before = {key: light["aid"] for key, light in daemon.lights.items()}
        assert len(set(before.values())) == 4, "equal ids on two brokers are different lights"
        daemon.cli("lights", "set", "guarded/g1", "on=true", "brightness=40")
        until(lambda: daemon.lights["guarded/g1"].get("brightness") == 40, 5, "the light says what it shows")
        assert [key for key, light in daemon.lights.items() if light["on"]] == ["guarded/g1"]
        # One broker that is gone takes only its own lights along.
        guarded.kill()
        wait_for_gateway(daemon, 2, "guarded", reachable=False)
        wait_for_gateway(daemon, 2, "open", reachable=True)
        guarded.start()
        wait_for_gateway(daemon, 2, "guarded", timeout=RECONNECTION, reachable=True)
        assert {key: light["aid"] for key, light in daemon.lights.items()} == before
        assert "right" not in daemon.log
    finally:
        guarded.stop()
