"""A Shelly device of the first generation: the HTTP API with basic authentication, and CoIoT packets.

    shelly_gen1_device.py '{"address": "10.99.0.2", "kind": "dimmer"}'

`kind` is a key of KINDS, `password` protects it, and `silent` sends no packets. It prints lines of JSON: `port` once, then each
`request` for a change. Lines of JSON on its standard input are local changes of the status:
`{"lights": {"0": {"ison": true}}}`; a packet follows each.
"""

import asyncio
import base64
import json
import socket
import struct
import sys

from aiohttp import web
from zeroconf.asyncio import AsyncServiceInfo, AsyncZeroconf

MAC = "A4CF12F45301"
FIRMWARE = "20230913-112234/v1.14.0-gcb84623"
GROUP = ("224.0.1.187", 5683)
#: CoIoT: a status that a device publishes, and the answer to a request.
PUBLISH, CONTENT = 30, 69
DEVICE_ID = 3332

INPUT = {"input": 0, "event": "", "event_cnt": 0}
KINDS = {
    "dimmer": {
        "type": "SHDM-2", "settings": {"mode": "white", "transition": 1000, "lights": [{"name": None, "btn_type": "momentary"}]},
        "status": {
            "lights": [{"ison": False, "source": "http", "mode": "white", "brightness": 50, "transition": 0}],
            "inputs": [INPUT, INPUT]},
        "blocks": [("light_0", [("output", "S", ("lights", 0, "ison")), ("brightness", "S", ("lights", 0, "brightness"))])]},
    "bulb": {
        "type": "SHCB-1", "settings": {"mode": "white", "transition": 0, "lights": [{"name": None}]},
        "status": {"lights": [{
            "ison": False, "mode": "white", "red": 0, "green": 0, "blue": 0, "white": 0, "gain": 10, "temp": 3000,
            "brightness": 50, "effect": 0, "transition": 0}]},
        "blocks": [("light_0", [
            (name, "S", ("lights", 0, field)) for name, field in [
                ("output", "ison"), ("mode", "mode"), ("red", "red"), ("green", "green"), ("blue", "blue"), ("gain", "gain"),
                ("brightness", "brightness"), ("colorTemp", "temp")]])]},
    "relay": {
        "type": "SHSW-1",
        "settings": {"mode": "relay", "relays": [{"name": None, "appliance_type": "Lights", "btn_type": "toggle"}]},
        "status": {
            "relays": [{"ison": False, "has_timer": False, "source": "http"}], "inputs": [INPUT],
            "ext_temperature": {"0": {"hwID": "2843db970a000011", "tC": 23.06, "tF": 73.51}}, "ext_humidity": {}},
        "blocks": [("relay_0", [("output", "S", ("relays", 0, "ison"))]),
                   ("sensor_0", [("extTemp", "T", ("ext_temperature", "0", "tC"))])]},
    "roller": {
        "type": "SHSW-25",
        "settings": {"mode": "roller", "relays": [{}, {}], "rollers": [{"positioning": True, "button_type": "toggle"}]},
        "status": {
            "relays": [{"ison": False}, {"ison": False}], "inputs": [INPUT, INPUT],
            "rollers": [{"state": "stop", "current_pos": 0, "positioning": True, "calibrating": False, "last_direction": "close"}]},
        "blocks": [("roller_0", [("roller", "S", ("rollers", 0, "state")), ("rollerPos", "S", ("rollers", 0, "current_pos"))])]},
}
#: The parameters of each path, with the field and the range of each number.
NUMBERS = {
    "brightness": (0, 100), "gain": (0, 100), "red": (0, 255), "green": (0, 255), "blue": (0, 255), "white": (0, 255),
    "temp": (3000, 6500), "effect": (0, 3), "transition": (0, 5000)}


def report(**event):
    print(json.dumps(event), flush=True)


class Device(asyncio.DatagramProtocol):
    def __init__(self, kind, password, silent):
        facts = json.loads(json.dumps(KINDS[kind]))
        self.type, self.password, self.silent = facts["type"], password, silent
        self.id = f"shellytest-{MAC}"
        self.settings = {
            "device": {"type": self.type, "mac": MAC, "hostname": self.id, "num_outputs": 1}, "name": "Hall", "fw": FIRMWARE,
            "login": {"enabled": bool(password), "unprotected": False, "username": "admin"},
            "coiot": {"enabled": True, "update_period": 15, "peer": ""}, **facts["settings"]}
        self.status = {"mac": MAC, "cfg_changed_cnt": 0, "uptime": 60, "has_update": False, **facts["status"]}
        self.blocks = facts["blocks"]
        self.serial = 0

    def routes(self):
        return [
            web.get("/shelly", self.info), web.get("/settings", self.answer(lambda: self.settings)),
            web.get("/status", self.answer(lambda: self.status)), web.get("/cit/d", self.answer(self.description)),
            web.get("/{kind:light|relay|roller}/{number}", self.change)]

    async def info(self, request):
        return web.json_response({
            "type": self.type, "mac": MAC, "auth": bool(self.password), "fw": FIRMWARE, "longid": 1, "num_outputs": 1})

    def check(self, request):
        if self.password:
            wanted = base64.b64encode(f"admin:{self.password}".encode()).decode()
            if request.headers.get("Authorization") != f"Basic {wanted}":
                raise web.HTTPUnauthorized(headers={"WWW-Authenticate": f'Basic realm="{self.id}"'})

    def answer(self, content):
        async def handle(request):
            self.check(request)
            response = web.json_response(content())
            # These devices close the connection after each response.
            response.force_close()
            return response

        return handle

    async def change(self, request):
        self.check(request)
        path, given = request.path, dict(request.query)
        report(request=request.path_qs)
        kind, number = request.match_info["kind"], int(request.match_info["number"])
        known = self.status.get(f"{kind}s", [])
        if number >= len(known) or (kind == "relay" and self.settings.get("mode") == "roller"):
            raise web.HTTPNotFound(text="Not Found")
        change = {}
        for name, value in given.items():
            if name == "turn" and kind != "roller" and value in ("on", "off"):
                change["ison"] = value == "on"
            elif kind == "light" and name in NUMBERS and name in known[number]:
                low, high = NUMBERS[name]
                if not value.isdigit() or not low <= int(value) <= high:
                    raise web.HTTPBadRequest(text=f"Bad {name}!")
                if name != "transition":
                    change[name] = int(value)
            elif kind == "light" and name == "mode" and value in ("color", "white") and "gain" in known[number]:
                change["mode"] = value
            elif kind == "roller" and name == "go":
                change.update(self.move(known[number], value, given))
            elif not (kind == "roller" and name == "roller_pos"):
                raise web.HTTPBadRequest(text=f"Bad {name} for {path}!")
        known[number].update(change)
        self.publish()
        return web.json_response(known[number])

    @staticmethod
    def move(roller, go, given):
        match go:
            case "stop":
                return {"state": "stop"}
            case "open" | "close":
                return {"state": go, "last_direction": go}
            case "to_pos" if roller["positioning"] and 0 <= int(given["roller_pos"]) <= 100:
                way = "open" if int(given["roller_pos"]) > roller["current_pos"] else "close"
                return {"state": way, "last_direction": way}
        raise web.HTTPBadRequest(text="Bad go!")

    # CoIoT

    def description(self):
        blocks = [{"I": index + 1, "D": name} for index, (name, _) in enumerate(self.blocks)]
        sensors = [
            {"I": 1001 + index * 100 + place, "T": kind, "D": name, "R": "0/1", "L": index + 1, **({"U": "C"} if kind == "T" else {})}
            for index, (_, values) in enumerate(self.blocks) for place, (name, kind, _) in enumerate(values)]
        return {"blk": blocks, "sen": sensors}

    def message(self, code):
        values = []
        for index, (_, parts) in enumerate(self.blocks):
            for place, (_, _, path) in enumerate(parts):
                value = self.status
                for step in path:
                    value = value[step]
                values.append([0, 1001 + index * 100 + place, int(value) if isinstance(value, bool) else value])
        self.serial += 1
        name = f"{self.type}#{MAC}#2".encode()
        # An option with a delta of two bytes and a length of one.
        option = bytes([0xED]) + struct.pack("!HB", DEVICE_ID - 269, len(name) - 13) + name
        return struct.pack("!BBH", 0x50, code, self.serial & 0xFFFF) + option + b"\xff" + json.dumps({"G": values}).encode()

    def connection_made(self, transport):
        self.transport = transport

    def datagram_received(self, data, source):
        if b"\xb3cit\x01s" in data:
            self.transport.sendto(self.message(CONTENT), source)

    def publish(self):
        if not self.silent:
            self.transport.sendto(self.message(PUBLISH), GROUP)

    def receive(self, line):
        for part, changes in line.items():
            for place, change in changes.items():
                known = self.status[part]
                known[int(place) if isinstance(known, list) else place].update(change)
        self.publish()


async def main(address, kind, password=None, silent=False, port=80):
    device = Device(kind, password, silent)
    loop = asyncio.get_running_loop()
    await loop.create_datagram_endpoint(lambda: device, local_addr=(address, GROUP[1]))
    application = web.Application()
    application.add_routes(device.routes())
    runner = web.AppRunner(application, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, address, port, reuse_address=True)
    await site.start()
    port = site._server.sockets[0].getsockname()[1]
    zeroconf = AsyncZeroconf(interfaces=[address])

    async def announce(name):
        await (await zeroconf.async_register_service(AsyncServiceInfo(
            "_http._tcp.local.", f"{name}._http._tcp.local.", port=port, server=f"{device.id}.local.",
            properties={"id": name, "fw_id": FIRMWARE}, addresses=[socket.inet_aton(address)])))

    await announce(device.id)
    await announce("Printer")
    report(port=port)
    lines = asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(lines), sys.stdin)
    while line := await lines.readline():
        device.receive(json.loads(line))
    await zeroconf.async_close()


if __name__ == "__main__":
    asyncio.run(main(**json.loads(sys.argv[1])))
