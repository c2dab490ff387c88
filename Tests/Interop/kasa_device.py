"""A device of TP-Link's older protocol with the state, answers and cipher of python-kasa's test fixtures.

Usage: kasa_device.py SOURCE FIXTURE MAC NAME; SOURCE is the folder of python-kasa's source. A line of JSON on standard input
is a request from another controller. A fixture of the newer protocol answers only a search for such devices.
"""

import asyncio
import importlib.util
import json
import socket
import sys
from pathlib import Path

from kasa.transports.xortransport import XorEncryption

PORT, NEWER_PORT = 9999, 20002


def fake_transport(source):
    spec = importlib.util.spec_from_file_location("fakeprotocol_iot", source / "tests/fakeprotocol_iot.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.FakeIotTransport


class Older:
    def __init__(self, source, fixture, mac, name):
        info = json.loads((source / f"tests/fixtures/iot/{fixture}.json").read_text())
        system = info["system"]["get_sysinfo"]
        system["mic_mac" if "mic_mac" in system else "mac"] = mac
        system["alias"] = name
        for number, child in enumerate(system.get("children", []), 1):
            child["alias"] = f"{name} {number}"
        # The fixtures omit the state of a device while an effect runs.
        self.transport = fake_transport(source)(info, fixture)

    async def answer(self, text):
        return json.dumps(await self.transport.send(json.loads(text))).encode()


class Datagrams(asyncio.DatagramProtocol):
    def __init__(self, answer):
        self.answer = answer

    def connection_made(self, transport):
        self.transport = transport

    def datagram_received(self, data, source):
        asyncio.ensure_future(self.reply(data, source))

    async def reply(self, data, source):
        if answer := await self.answer(data):
            self.transport.sendto(answer, source)


async def main(source, fixture, mac, name):
    source = Path(source)
    loop = asyncio.get_running_loop()

    async def listen(answer, port):
        one = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        one.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
        # A socket that is bound to an address receives no broadcasts.
        one.bind(("", port))
        await loop.create_datagram_endpoint(lambda: Datagrams(answer), sock=one)

    if not (source / f"tests/fixtures/iot/{fixture}.json").exists():
        found = json.loads((source / f"tests/fixtures/smart/{fixture}.json").read_text())["discovery_result"]
        found["result"]["mac"] = mac

        async def introduce(_):
            return bytes.fromhex("020000010000000000000000463cb5d3") + json.dumps(found).encode()

        await listen(introduce, NEWER_PORT)
        return await asyncio.Event().wait()

    device = Older(source, fixture, mac, name)

    async def by_datagram(data):
        return XorEncryption.encrypt((await device.answer(XorEncryption.decrypt(data))).decode())[4:]

    async def by_stream(reader, writer):
        try:
            while True:
                length = int.from_bytes(await reader.readexactly(4), "big")
                text = XorEncryption.decrypt(await reader.readexactly(length))
                writer.write(XorEncryption.encrypt((await device.answer(text)).decode()))
        except asyncio.IncompleteReadError:
            writer.close()

    await listen(by_datagram, PORT)
    await asyncio.start_server(by_stream, None, PORT)
    while line := await loop.run_in_executor(None, sys.stdin.readline):
        await device.answer(line)


asyncio.run(main(*sys.argv[1:]))
