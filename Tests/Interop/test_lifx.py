"""LIFX devices of lifx-emulator are shown as lights to aiohomekit.

The emulator runs on the host `phone`; aiolifx is the other app, which changes lights and reads their state.
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
    """lifx-emulator on a host, with the same devices at each start."""

    def __init__(self, host, directory, devices=None):
        self.host = host
        self.process = None
        self.file = directory / f"lifx-{host.name}.yaml"
        settings = {"bind": host.address, "port": 56700, "devices": devices or DEVICES}
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
def emulator(lan, tmp_path):
    made = Emulator(lan.phone, tmp_path).start()
    yield made
    made.stop()


@pytest.fixture
def daemon(make_daemon):
    made = make_daemon(configuration(drivers=[{"driver": "lifx", "discover": True}]))
    made.until_published()
    return made


class App:
    """aiolifx, connected to one device."""

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


async def test_discovers_and_controls_a_light_and_reports_external_changes(daemon, emulator, lan):
    def reachable():
        return [key for key, light in sorted(daemon.lights.items()) if light["reachable"]]

    wanted = [KEY, "lifx/d073d5000002", "lifx/d073d5000003"]
    await asyncio.to_thread(until, lambda: reachable() == wanted, 20, "three lights, without the wall switch")
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
            assert time.monotonic() - changed < 15, "an external change is shown"
            await asyncio.sleep(0.1)

        assert await pairing.put_characteristics([(aid, iids[BRIGHTNESS], 50)]) == {}
        assert (await app.state())[1:4] == [21845, 65535, 32768]
