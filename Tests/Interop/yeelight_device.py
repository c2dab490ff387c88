"""A Yeelight device: answers searches at UDP 1982 and takes lines of JSON at TCP 55443, as its maker's specification says.

    yeelight_device.py '{"address": "10.99.0.2", "model": "color"}'

It prints a line of JSON for what happens: `port` once, then each `call`, and `exceeded` when a connection has had its 60 a minute.
Lines of JSON on its standard input are changes by somebody at the device: `{"power": "on"}`, told as it tells them; `{"hang": true}`
answers nothing. The model `ceiling4` has a background light, whose methods and properties begin with `bg_`.
"""

import asyncio
import json
import socket
import struct
import sys
import time

KINDS = {
    "color": "get_prop set_default set_power toggle set_bright set_scene set_ct_abx set_rgb set_hsv set_name",
    "ct_bulb": "get_prop set_default set_power toggle set_bright set_scene set_ct_abx set_name",
    "mono": "get_prop set_default set_power toggle set_bright set_scene set_name",
    "ceiling4": "get_prop set_default set_power toggle set_bright set_scene set_ct_abx set_name bg_set_power bg_toggle "
                "bg_set_bright bg_set_scene bg_set_ct_abx bg_set_rgb bg_set_hsv dev_toggle",
}
WHITES = {"color": (1700, 6500), "ct_bulb": (2700, 6500), "ceiling4": (2700, 6500), "background": (1700, 6500)}
#: As the specification has them.
QUOTA, MOST_CONNECTIONS = 60, 4


def tell(**event):
    print(json.dumps(event), flush=True)


class Refused(Exception):
    pass


class Device(asyncio.DatagramProtocol):
    def __init__(self, address, model, id, port):
        self.address, self.model, self.id, self.port = address, model, id, port
        self.writers = []
        self.hang = False
        self.props = {
            "power": "off", "bright": "50", "color_mode": "2", "ct": "4000", "rgb": "16711680", "hue": "0", "sat": "100",
            "name": ""}
        if model == "ceiling4":
            for name in ("rgb", "hue", "sat"):
                del self.props[name]
            self.props |= {
                "main_power": "off", "bg_power": "off", "bg_bright": "50", "bg_lmode": "2", "bg_ct": "4000",
                "bg_rgb": "16711680", "bg_hue": "0", "bg_sat": "100"}

    # The search

    def connection_made(self, transport):
        self.transport = transport

    def datagram_received(self, data, source):
        if self.hang or not data.startswith(b"M-SEARCH") or b"wifi_bulb" not in data:
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
        times = []
        try:
            while line := await reader.readline():
                if self.hang:
                    continue
                assert line.endswith(b"\r\n"), line
                call = json.loads(line)
                tell(call=call)
                now = time.monotonic()
                times = [*(then for then in times if now - then < 60), now]
                try:
                    if len(times) > QUOTA:
                        tell(exceeded=len(times))
                        raise Refused(-1, "client quota exceeded")
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
        prefix = "bg_" if method.startswith("bg_") else ""
        method = method.removeprefix("bg_")
        if method == "set_power":
            self.fade(params[1], params[2])
            self.power(prefix, params[0])
        elif method == "set_scene":
            kind, *values = params
            self.power(prefix, "on")
            self.color(prefix, {"ct": "set_ct_abx", "hsv": "set_hsv"}[kind], values[:-1])
            self.bright(prefix, values[-1])
        else:
            if self.props[prefix + "power" if prefix else self.own_power] == "off":
                raise Refused(-1, "general error")
            self.fade(*params[-2:])
            if method == "set_bright":
                self.bright(prefix, params[0])
            else:
                self.color(prefix, method, params[:-2])
        return ["ok"]

    @property
    def own_power(self):
        return "main_power" if "main_power" in self.props else "power"

    def power(self, prefix, value):
        self.change(**{prefix + "power" if prefix else self.own_power: value})

    def fade(self, effect, duration):
        if effect not in ("sudden", "smooth") or effect == "smooth" and duration < 30:
            raise Refused(-5001, "invalid params")

    def bright(self, prefix, value):
        if type(value) is not int or not 1 <= value <= 100:
            raise Refused(-5001, "invalid params")
        self.change(**{prefix + "bright": value})

    def color(self, prefix, method, values):
        whites = WHITES["background" if prefix else self.model]
        match method, values:
            case "set_ct_abx", [int(kelvin)] if whites[0] <= kelvin <= whites[1]:
                new = {"mode": 2, "ct": kelvin}
            case "set_hsv", [int(hue), int(saturation)] if 0 <= hue <= 359 and 0 <= saturation <= 100:
                new = {"mode": 3, "hue": hue, "sat": saturation}
            case "set_rgb", [int(rgb)] if 0 <= rgb <= 0xFFFFFF:
                new = {"mode": 1, "rgb": rgb}
            case _:
                raise Refused(-5001, "invalid params")
        mode = "bg_lmode" if prefix else "color_mode"
        self.change(**{mode if name == "mode" else prefix + name: value for name, value in new.items()})

    def change(self, **values):
        if "main_power" in self.props:
            # Its power is that of any of its lamps.
            both = {name: values.get(name, self.props[name]) for name in ("main_power", "bg_power")}
            values["power"] = "on" if "on" in both.values() else "off"
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
    tell(port=port)
    lines = asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(lines), sys.stdin)
    while line := await lines.readline():
        match json.loads(line):
            case {"hang": hang}:
                device.hang = hang
            case change:
                device.change(**change)
    server.close()


asyncio.run(main(**json.loads(sys.argv[1])))
