"""A Yeelight device that answers searches at UDP 1982 and accepts JSON lines at TCP 55443, as in the specification.

    yeelight_device.py '{"address": "10.99.0.2", "model": "color"}'

It prints `{"port": NUMBER}` when it listens. Lines of JSON on its standard input are local changes:
`{"power": "on"}`.
"""

import asyncio
import json
import socket
import struct
import sys

KINDS = {
    "color": "get_prop set_default set_power toggle set_bright set_scene set_ct_abx set_rgb set_hsv set_name",
    "ct_bulb": "get_prop set_default set_power toggle set_bright set_scene set_ct_abx set_name",
    "mono": "get_prop set_default set_power toggle set_bright set_scene set_name",
}
WHITES = {"color": (1700, 6500), "ct_bulb": (2700, 6500)}
#: The maximum number of connections in the specification.
MOST_CONNECTIONS = 4


class Refused(Exception):
    pass


class Device(asyncio.DatagramProtocol):
    def __init__(self, address, model, id, port):
        self.address, self.model, self.id, self.port = address, model, id, port
        self.writers = []
        self.props = {
            "power": "off", "bright": "50", "color_mode": "2", "ct": "4000", "rgb": "16711680", "hue": "0", "sat": "100",
            "name": ""}

    # The search

    def connection_made(self, transport):
        self.transport = transport

    def datagram_received(self, data, source):
        if not data.startswith(b"M-SEARCH") or b"wifi_bulb" not in data:
            return
        lines = [
            "HTTP/1.1 200 OK", "Cache-Control: max-age=3600", "Date: ", "Ext: ",
            f"Location: yeelight://{self.address}:{self.port}", "Server: POSIX UPnP/1.0 YGLC/1", f"id: {self.id}",
            f"model: {self.model}", "fw_ver: 18", f"support: {KINDS[self.model]}",
            *(f"{name}: {value}" for name, value in self.props.items())]
        self.transport.sendto(("\r\n".join(lines) + "\r\n").encode(), source)

    # Commands

    async def serve(self, reader, writer):
        if len(self.writers) >= MOST_CONNECTIONS:
            writer.close()
            return
        self.writers.append(writer)
        try:
            while line := await reader.readline():
                assert line.endswith(b"\r\n"), line
                call = json.loads(line)
                try:
                    answer = {"result": self.call(call["method"], call["params"])}
                except Refused as refused:
                    code, message = refused.args
                    answer = {"error": {"code": code, "message": message}}
                self.send(writer, {"id": call["id"], **answer})
        except ConnectionError:
            pass
        finally:
            self.writers.remove(writer)
            writer.close()

    def send(self, writer, message):
        writer.write((json.dumps(message) + "\r\n").encode())

    def call(self, method, params):
        if method not in KINDS[self.model].split():
            raise Refused(-1, "method not supported")
        if method == "get_prop":
            return [self.props.get(name, "") for name in params]
        if method == "set_power":
            self.fade(params[1], params[2])
            self.change(power=params[0])
        elif method == "set_scene":
            kind, *values = params
            self.change(power="on")
            self.color({"ct": "set_ct_abx", "hsv": "set_hsv"}[kind], values[:-1])
            self.bright(values[-1])
        else:
            if self.props["power"] == "off":
                raise Refused(-1, "general error")
            self.fade(*params[-2:])
            if method == "set_bright":
                self.bright(params[0])
            else:
                self.color(method, params[:-2])
        return ["ok"]

    def fade(self, effect, duration):
        if effect not in ("sudden", "smooth") or effect == "smooth" and duration < 30:
            raise Refused(-5001, "invalid params")

    def bright(self, value):
        if type(value) is not int or not 1 <= value <= 100:
            raise Refused(-5001, "invalid params")
        self.change(bright=value)

    def color(self, method, values):
        match method, values:
            case "set_ct_abx", [int(kelvin)] if WHITES[self.model][0] <= kelvin <= WHITES[self.model][1]:
                self.change(color_mode=2, ct=kelvin)
            case "set_hsv", [int(hue), int(saturation)] if 0 <= hue <= 359 and 0 <= saturation <= 100:
                self.change(color_mode=3, hue=hue, sat=saturation)
            case "set_rgb", [int(rgb)] if 0 <= rgb <= 0xFFFFFF:
                self.change(color_mode=1, rgb=rgb)
            case _:
                raise Refused(-5001, "invalid params")

    def change(self, **values):
        new = {name: str(value) for name, value in values.items() if self.props[name] != str(value)}
        self.props.update(new)
        if new:
            for writer in self.writers:
                self.send(writer, {"method": "props", "params": new})


async def main(address, model="color", id="0x0000000002eb9f61", port=55443):
    device = Device(address, model, id, port)
    loop = asyncio.get_running_loop()
    server = await asyncio.start_server(device.serve, address, port, reuse_address=True)
    listener = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(("", 1982))
    group = struct.pack("4s4s", socket.inet_aton("239.255.255.250"), socket.inet_aton(address))
    listener.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, group)
    listener.setblocking(False)
    await loop.create_datagram_endpoint(lambda: device, sock=listener)
    print(json.dumps({"port": port}), flush=True)
    lines = asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(lines), sys.stdin)
    while line := await lines.readline():
        device.change(**json.loads(line))
    server.close()


asyncio.run(main(**json.loads(sys.argv[1])))
