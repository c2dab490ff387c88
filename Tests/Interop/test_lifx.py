"""LIFX devices of an emulator made by others are HomeKit lights to controllers made by others.

The emulator (lifx-emulator) runs on the host `phone`; aiolifx, a third one's client, is the app that changes lights
from outside and says what they show.
"""

import asyncio
import json
import sys
import time
from pathlib import Path

import pytest
from aiolifx.aiolifx import Light
from controllers import BRIGHTNESS, HUE, ON, SATURATION, Phone, named

from conftest import configuration
from lan import until

SERIAL = "d073d5000001"
KEY = f"lifx/{SERIAL}"
DEVICES = [
    {"product_id": 27, "serial": SERIAL, "label": "Den", "group": "Study", "power_level": 0},
    {"product_id": 51, "serial": "d073d5000002", "label": "Hall"},
    {"product_id": 32, "serial": "d073d5000003", "label": "Strip", "zone_count": 8},
    {"product_id": 70, "serial": "d073d5000004", "label": "Wall switch"},
]


class Emulator:
    """lifx-emulator on a host, with the same devices each time it is started."""

    def __init__(self, host, directory, devices=None, **scenario):
        self.host = host
        self.process = None
        self.file = directory / f"lifx-{host.name}.yaml"
        settings = {"bind": host.address, "port": 56700, "devices": devices or DEVICES}
        if scenario:
            settings["scenarios"] = {"global": scenario}
        self.file.write_text(json.dumps(settings))

    def start(self):
        program = Path(sys.executable).with_name("lifx-emulator")
        with open(self.file.with_suffix(".log"), "ab") as log:
            self.process = self.host.popen(program, "--config", self.file, stdout=log, stderr=log)
        until(lambda: "56700" in self.host.run("ss", "-Hlun").stdout, 20, "the emulator listens")
        return self

    def stop(self):
        if self.process:
            self.process.kill()
            self.process.wait()


@pytest.fixture
def make_emulator(tmp_path):
    made = []

    def make(host, **options):
        made.append(Emulator(host, tmp_path, **options))
        return made[-1].start()

    yield make
    for emulator in made:
        emulator.stop()


@pytest.fixture
def daemon(make_daemon):
    made = make_daemon(configuration(drivers=[{"driver": "lifx", "discover": True}]))
    made.until_published()
    return made


class App:
    """aiolifx, speaking with one device."""

    def __init__(self, address):
        self.address = address

    async def __aenter__(self):
        loop = asyncio.get_running_loop()
        mac = ":".join(SERIAL[place:place + 2] for place in range(0, 12, 2))
        self.light = Light(loop, mac, self.address, 56700)
        await loop.create_datagram_endpoint(lambda: self.light, remote_addr=(self.address, 56700))
        return self

    async def __aexit__(self, *_):
        self.light.transport.close()

    async def ask(self, call, *arguments, **options):
        answer = asyncio.get_running_loop().create_future()
        call(*arguments, callb=lambda _, message: answer.done() or answer.set_result(message), **options)
        message = await asyncio.wait_for(answer, 5)
        assert message is not None, "the emulator answers"
        return message

    async def state(self):
        message = await self.ask(self.light.get_color)
        return [message.power_level > 0, *message.color]


def wait_for_light(daemon, reachable=True, timeout=20, key=KEY):
    return until(
        lambda: (light := daemon.lights.get(key)) and light["reachable"] == reachable and light, timeout,
        f"{key} is there with reachable {reachable}", interval=0.1)


async def test_found_commanded_and_changed_from_outside(daemon, make_emulator, lan):
    await asyncio.to_thread(make_emulator, lan.phone)
    light = await asyncio.to_thread(wait_for_light, daemon)
    for serial in ("d073d5000002", "d073d5000003"):
        await asyncio.to_thread(wait_for_light, daemon, key=f"lifx/{serial}")
    assert len(daemon.lights) == 3, "a switch in the wall is no light"
    assert light["name"] == "Den"
    async with Phone() as phone, App(lan.phone.address) as app:
        pairing = await phone.pair(daemon.status["deviceId"], daemon.setup_code)
        aid, iids = named(await pairing.list_accessories_and_characteristics(), "Den")

        async def write(**values):
            writes = [(aid, iids[globals()[name]], value) for name, value in values.items()]
            assert await pairing.put_characteristics(writes) == {}

        await write(ON=True)
        assert (await app.state())[0] is True
        await write(BRIGHTNESS=40)
        assert (await app.state())[3] == round(65535 * 0.4)
        await write(HUE=30.0, SATURATION=80.0)
        assert (await app.state())[1:3] == [round(65536 / 12), round(65535 * 0.8)]
        await write(ON=False)
        assert (await app.state())[0] is False

        await app.ask(app.light.set_color, [21845, 65535, 13107, 3500])
        await app.ask(app.light.set_power, "on")
        changed = time.monotonic()
        want = {ON: True, BRIGHTNESS: 20, HUE: 120, SATURATION: 100}

        async def shown():
            read = await pairing.get_characteristics([(aid, iids[kind]) for kind in want])
            return [entry["value"] for entry in read.values()] == list(want.values())

        while not await shown():
            assert time.monotonic() - changed < 15, "what was changed from outside is shown"
            await asyncio.sleep(0.1)

        assert await pairing.put_characteristics([(aid, iids[BRIGHTNESS], 50)]) == {}
        assert (await app.state())[1:4] == [21845, 65535, 32768]


def test_unplugged_and_back_with_another_address(daemon, make_emulator, lan):
    first = make_emulator(lan.phone)
    aid = wait_for_light(daemon)["aid"]
    first.stop()
    wait_for_light(daemon, reachable=False)
    with lan.add_host("lamp", "10.77.0.9") as other:
        second = make_emulator(other)
        assert wait_for_light(daemon)["aid"] == aid
        second.stop()
        wait_for_light(daemon, reachable=False)
    first.start()
    assert wait_for_light(daemon, timeout=40)["aid"] == aid
    assert len(daemon.lights) == 3


async def test_with_one_message_in_ten_lost_all_commands_arrive(daemon, make_emulator, lan):
    lossy = {str(kind): 0.1 for kind in (2, 3, 14, 15, 32, 33, 45, 51, 53, 101, 102, 107, 117)}
    await asyncio.to_thread(make_emulator, lan.phone, drop_packets=lossy)
    await asyncio.to_thread(wait_for_light, daemon, timeout=60)
    async with Phone() as phone:
        pairing = await phone.pair(daemon.status["deviceId"], daemon.setup_code)
        aid, iids = named(await pairing.list_accessories_and_characteristics(), "Den")
        times = []
        for turn in range(100):
            start = time.monotonic()
            result = await pairing.put_characteristics([(aid, iids[ON], True), (aid, iids[BRIGHTNESS], turn + 1)])
            times.append(time.monotonic() - start)
            assert result == {}, f"command {turn}: {result}"
        times.sort()
        print(f"100 commands with 10 % loss: median {times[50] * 1000:.0f} ms, longest {times[-1] * 1000:.0f} ms")


def test_restarts(daemon, make_emulator, lan):
    emulator = make_emulator(lan.phone)
    aid = wait_for_light(daemon)["aid"]
    for _ in range(10):
        emulator.stop()
        emulator.start()
    # What is shown may be older than the last of them: only the light that is there now can obey.
    until(lambda: daemon.cli("lights", "set", KEY, "on=true", check=False).returncode == 0, 20, "it obeys")
    assert wait_for_light(daemon)["aid"] == aid
    assert len(daemon.lights) == 3
