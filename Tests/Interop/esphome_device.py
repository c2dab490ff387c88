"""A simulated device with ESPHome's native API, built from aioesphomeapi's messages, its Noise encryption and zeroconf.

    esphome_device.py '{"address": "10.99.0.2", "name": "den", "key": "BASE64 or nothing"}'

It listens on a free port, announces itself, and prints lines of JSON: `port` once, then `command`s. Lines of JSON on its
standard input change it: `{"light": "dim", "state": true}` switches it locally, `{"end": true}` switches it off without
a goodbye in mDNS.
"""

import asyncio
import base64
import json
import os
import socket
import sys

from aioesphomeapi import api_pb2 as api
from aioesphomeapi.core import MESSAGE_TYPE_TO_PROTO
from noise.connection import NoiseConnection
from zeroconf.asyncio import AsyncServiceInfo, AsyncZeroconf

NUMBERS = {message: number for number, message in MESSAGE_TYPE_TO_PROTO.items()}
LIGHTS = {
    "plain": [1], "dim": [3], "temper": [11], "cold_warm": [19], "color": [35], "color_white": [39], "locked": [7, 35],
    "color_temper": [11, 47], "color_cold_warm": [51],
}
MAC = "06:35:69:AB:F6:79"


def report(**event):
    print(json.dumps(event), flush=True)


class Device:
    def __init__(self, name, key):
        self.name, self.key = name, key
        self.connections = set()
        self.states = {
            "temperature": api.SensorStateResponse(key=101, state=20), "battery": api.SensorStateResponse(key=102, state=90),
            "motion": api.BinarySensorStateResponse(key=103), "door": api.BinarySensorStateResponse(key=104),
            "fan": api.FanStateResponse(key=105, speed_level=1), "blind": api.CoverStateResponse(key=107, position=0, tilt=1),
            "mode": api.SelectStateResponse(key=109, state="Eco")}
        for number, (light, modes) in enumerate(LIGHTS.items(), 1):
            self.states[light] = api.LightStateResponse(
                key=number, brightness=1, color_brightness=1, red=1, green=1, blue=1, white=1, color_mode=modes[0],
                color_temperature=153, cold_white=1, warm_white=1)

    async def serve(self, reader, writer):
        connection = Connection(self, reader, writer)
        self.connections.add(connection)
        try:
            await connection.run()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            self.connections.discard(connection)
            writer.close()

    def change(self, light, **values):
        state = self.states[light]
        for field, value in values.items():
            setattr(state, field, value)
        for connection in self.connections:
            if connection.is_subscribed:
                connection.send(state)


class Connection:
    def __init__(self, device, reader, writer):
        self.device, self.reader, self.writer = device, reader, writer
        self.noise = None
        self.is_subscribed = False

    async def run(self):
        if self.device.key and not await self.shake_hands():
            return
        while True:
            message = await (self.read_sealed() if self.noise else self.read_plain())
            if message is not None:
                self.answer(message)

    # Frames

    async def shake_hands(self):
        if (await self.reader.readexactly(3))[0] != 1:
            # Like the firmware, reject it with a frame that plain clients interpret as a request to encrypt.
            self.write_frame(b"\x01Bad indicator byte")
            return False
        self.write_frame(b"\x01" + self.device.name.encode() + b"\0" + MAC.replace(":", "").lower().encode() + b"\0")
        hello = await self.read_frame()
        noise = NoiseConnection.from_name(b"Noise_NNpsk0_25519_ChaChaPoly_SHA256")
        noise.set_as_responder()
        noise.set_psks(base64.b64decode(self.device.key))
        noise.set_prologue(b"NoiseAPIInit\x00\x00")
        noise.start_handshake()
        try:
            noise.read_message(hello[1:])
        except Exception:  # the library's error for a different key
            self.write_frame(b"\x01Handshake MAC failure")
            return False
        self.write_frame(b"\x00" + noise.write_message())
        self.noise = noise
        return True

    async def read_frame(self):
        head = await self.reader.readexactly(3)
        assert head[0] == 1, "an encrypted frame"
        return await self.reader.readexactly(int.from_bytes(head[1:], "big"))

    def write_frame(self, content):
        self.writer.write(b"\x01" + len(content).to_bytes(2, "big") + content)

    async def read_sealed(self):
        content = self.noise.decrypt(await self.read_frame())
        length = int.from_bytes(content[2:4], "big")
        assert length == len(content) - 4, "the length that firmware checks"
        return self.parse(int.from_bytes(content[:2], "big"), content[4:])

    async def read_plain(self):
        if await self.reader.readexactly(1) != b"\0":
            # Like the firmware, reject it.
            self.writer.write(b"\0Bad indicator byte")
            raise ConnectionResetError
        length, number = await self.read_varint(), await self.read_varint()
        return self.parse(number, await self.reader.readexactly(length))

    async def read_varint(self):
        value = shift = 0
        while True:
            byte = (await self.reader.readexactly(1))[0]
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    @staticmethod
    def parse(number, body):
        kind = MESSAGE_TYPE_TO_PROTO.get(number)
        return kind and kind.FromString(bytes(body))

    @staticmethod
    def varint(value):
        out = b""
        while value >= 0x80:
            out += bytes([value & 0x7F | 0x80])
            value >>= 7
        return out + bytes([value])

    def send(self, message):
        body, number = message.SerializeToString(), NUMBERS[type(message)]
        if self.noise:
            self.write_frame(self.noise.encrypt(number.to_bytes(2, "big") + len(body).to_bytes(2, "big") + body))
        else:
            self.writer.write(b"\0" + self.varint(len(body)) + self.varint(number) + body)

    # Messages

    def answer(self, message):
        device = self.device
        match type(message).__name__:
            case "HelloRequest":
                self.send(api.HelloResponse(api_version_major=1, api_version_minor=14, name=device.name))
            case "DeviceInfoRequest":
                self.send(api.DeviceInfoResponse(
                    name=device.name, friendly_name=device.name.title(), mac_address=MAC, esphome_version="2026.6.5",
                    model="host", manufacturer="Host"))
            case "ListEntitiesRequest":
                for number, (light, modes) in enumerate(LIGHTS.items(), 1):
                    self.send(api.ListEntitiesLightResponse(
                        key=number, name=light.replace("_", " ").title(), supported_color_modes=modes, min_mireds=153,
                        max_mireds=500))
                self.send(api.ListEntitiesSensorResponse(key=99, name="Uptime"))
                self.send(api.ListEntitiesSensorResponse(
                    key=101, name="Temperature", device_class="temperature", unit_of_measurement="°C"))
                self.send(api.ListEntitiesSensorResponse(
                    key=102, name="Battery", device_class="battery", unit_of_measurement="%", entity_category=2))
                for key, name in (103, "motion"), (104, "door"):
                    self.send(api.ListEntitiesBinarySensorResponse(key=key, name=name.title(), device_class=name))
                self.send(api.ListEntitiesFanResponse(
                    key=105, name="Fan", supports_oscillation=True, supports_speed=True, supports_direction=True,
                    supported_speed_count=3, supported_preset_modes=["Auto", "Sleep", "Nature"]))
                self.send(api.ListEntitiesCoverResponse(
                    key=107, name="Blind", supports_position=True, supports_tilt=True, supports_stop=True,
                    device_class="blind"))
                self.send(api.ListEntitiesCoverResponse(key=108, name="Car", supports_position=True, device_class="garage"))
                self.send(api.ListEntitiesSelectResponse(key=109, name="Mode", options=["Eco", "Boost"]))
                self.send(api.ListEntitiesDoneResponse())
            case "SubscribeStatesRequest":
                self.is_subscribed = True
                for state in device.states.values():
                    self.send(state)
            case "PingRequest":
                self.send(api.PingResponse())
            case "LightCommandRequest":
                self.obey(message)
            case "FanCommandRequest":
                fields = ("state", "oscillating", "direction", "speed_level", "preset_mode")
                values = {field: getattr(message, field) for field in fields if getattr(message, f"has_{field}")}
                report(command="fan", **values)
                # As in the firmware, a speed ends the preset.
                self.device.change("fan", **({"preset_mode": ""} if "speed_level" in values else {}), **values)

            case "SelectCommandRequest":
                report(command="mode", key=message.key, state=message.state)
                device.change("mode", state=message.state)
            case "CoverCommandRequest":
                values = {field: getattr(message, field) for field in ("position", "tilt") if getattr(message, f"has_{field}")}
                if message.stop:
                    values["stop"] = True
                report(command="blind", **values)
                # Start the motor. The test ends the movement.
                now = device.states["blind"].position
                operation = 1 if values.get("position", now) > now else 2 if values.get("position", now) < now else 0
                device.change("blind", current_operation=operation, **{k: v for k, v in values.items() if k == "tilt"})

    def obey(self, message):
        """Change the state as the firmware does, and notify all clients."""
        light = next(name for name, state in self.device.states.items() if state.key == message.key)
        values = {}
        for field in ("state", "brightness", "color_mode", "color_brightness", "white", "color_temperature", "cold_white",
                      "warm_white"):
            if getattr(message, f"has_{field}"):
                values[field] = getattr(message, field)
        if message.has_rgb:
            values |= {"red": message.red, "green": message.green, "blue": message.blue}
        report(command=light, **values, **({"transition": message.transition_length} if message.has_transition_length else {}))
        self.device.change(light, **values)


async def main(address, name="den", key=None):
    device = Device(name, key)
    server = await asyncio.start_server(device.serve, address, 0)
    port = server.sockets[0].getsockname()[1]
    zeroconf = AsyncZeroconf(interfaces=[address])
    txt = {"version": "2026.6.5", "mac": MAC.replace(":", "").lower(), "friendly_name": name.title(), "board": "host"}
    if key:
        txt["api_encryption"] = "Noise_NNpsk0_25519_ChaChaPoly_SHA256"
    info = AsyncServiceInfo(
        "_esphomelib._tcp.local.", f"{name}._esphomelib._tcp.local.", port=port, properties=txt, server=f"{name}.local.",
        addresses=[socket.inet_aton(address)])
    await (await zeroconf.async_register_service(info))
    report(port=port)
    lines = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(lines), sys.stdin)
    while line := await lines.readline():
        change = json.loads(line)
        if change.pop("end", False):
            os._exit(0)
        if light := change.pop("light", None):
            device.change(light, **change)
    await zeroconf.async_close()


if __name__ == "__main__":
    asyncio.run(main(**json.loads(sys.argv[1])))
