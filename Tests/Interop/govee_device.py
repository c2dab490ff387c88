"""A light of Govee's LAN interface, as Govee's guide describes it.

Usage: govee_device.py ADDRESS DEVICE SKU; a line of JSON on standard input changes the status.
"""

import asyncio
import json
import socket
import sys

GROUP, SCAN_PORT, ANSWER_PORT, COMMAND_PORT = "239.255.255.250", 4001, 4002, 4003


class Light(asyncio.DatagramProtocol):
    def __init__(self, address, device, sku):
        self.scan = {"ip": address, "device": device, "sku": sku, "wifiVersionSoft": "1.02.11"}
        self.status = {"onOff": 0, "brightness": 100, "color": {"r": 255, "g": 255, "b": 255}, "colorTemInKelvin": 0}

    def connection_made(self, transport):
        # The last socket receives the commands.
        self.transport = transport

    def datagram_received(self, data, source):
        message = json.loads(data)["msg"]
        value = message["data"].get("value")
        match message["cmd"]:
            case "scan": self.answer("scan", self.scan, source)
            case "devStatus": self.answer("devStatus", self.status, source)
            case "turn": self.status["onOff"] = value
            case "brightness": self.status["brightness"] = value
            case "colorwc":
                self.status.update(message["data"])

    def answer(self, command, data, source):
        text = json.dumps({"msg": {"cmd": command, "data": data}})
        self.transport.sendto(text.encode(), (source[0], ANSWER_PORT))


async def main(address, device, sku):
    light = Light(address, device, sku)
    loop = asyncio.get_running_loop()
    for port in (SCAN_PORT, COMMAND_PORT):
        one = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        one.bind(("", port))
        if port == SCAN_PORT:
            group = socket.inet_aton(GROUP) + socket.inet_aton(address)
            one.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, group)
        await loop.create_datagram_endpoint(lambda: light, sock=one)
    while line := await loop.run_in_executor(None, sys.stdin.readline):
        light.status.update(json.loads(line))


asyncio.run(main(*sys.argv[1:]))
