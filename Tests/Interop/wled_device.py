"""A WLED device: the JSON API and the WebSocket, with the keys that the Python package wled requires.

    wled_device.py '{"address": "10.99.0.2", "kind": 7}'

`kind` has the capabilities of its LEDs (1 color, 2 white, 4 temperature). It prints lines of JSON: `port` once, then each `post`
and each `websocket` that opens. Lines of JSON on its standard input are external changes: `{"on": false}` as in the JSON API,
`{"cut": true}` closes the WebSockets before a change in the same line, `{"refuse": true}` opens no more of them,
`{"hang": true}` answers nothing.
"""

import asyncio
import json
import socket
import sys

from aiohttp import WSCloseCode, web
from zeroconf.asyncio import AsyncServiceInfo, AsyncZeroconf

MAC = "aabbccddeeff"
#: The limit on an ESP32. One more connection closes another one.
MOST_SOCKETS = 4


def report(**event):
    print(json.dumps(event), flush=True)


class Device:
    def __init__(self, kind):
        self.sockets = []
        self.hang = self.refuse = False
        self.busy = 0
        self.state = {
            "on": False, "bri": 128, "transition": 7, "ps": -1, "pl": -1, "lor": 0, "mainseg": 0,
            "nl": {"on": False, "dur": 60, "mode": 1, "tbri": 0, "rem": -1},
            "udpn": {"send": False, "recv": True, "sgrp": 1, "rgrp": 1},
            "seg": [{
                "id": 0, "start": 0, "stop": 30, "len": 30, "grp": 1, "spc": 0, "of": 0, "on": True, "frz": False,
                "bri": 255, "cct": 127, "set": 0, "n": "Part 0",
                "col": [[255, 160, 0] + [0] * (kind >> 1 & 1)] + [[0, 0, 0]] * 2, "fx": 9, "sx": 128, "ix": 128, "pal": 0,
                "c1": 128, "c2": 128, "c3": 16, "sel": True, "rev": False, "mi": False, "o1": False, "o2": False,
                "o3": False, "si": 0, "m12": 0}]}
        self.info = {
            "ver": "0.15.3", "vid": 2508020, "cn": "Kōsen", "release": "ESP32", "leds": {
                "count": 30, "pwr": 0, "fps": 0, "maxpwr": 0, "maxseg": 32, "bootps": 0, "seglc": [kind],
                "lc": kind, "rgbw": bool(kind & 2), "wv": 1 if kind & 2 else 0, "cct": kind & 4},
            "str": False, "name": "Shelf", "udpport": 21324, "live": False, "liveseg": -1, "lm": "", "lip": "", "ws": 0,
            "fxcount": 187, "palcount": 71, "cpalcount": 0, "fs": {"u": 20, "t": 983, "pmt": 0}, "ndc": 0,
            "arch": "esp32", "core": "v3.3.6", "lwip": 0, "freeheap": 164804, "uptime": 79769, "opt": 79, "brand": "WLED",
            "product": "FOSS", "mac": MAC, "ip": ""}

    def both(self):
        return {"state": self.state, "info": {**self.info, "ws": len(self.sockets)}}

    async def change(self, change):
        """Change the state as the firmware does."""
        state = self.state
        if change.get("bri", 0) > 0:
            state["bri"] = change["bri"]
        state["on"] = change.get("on", state["on"] or change.get("bri", 0) > 0)
        for part in change.get("seg", []):
            segment = state["seg"][part.get("id", state["mainseg"])]
            for key in ("on", "bri", "fx", "cct"):
                segment[key] = part.get(key, segment[key])
            for index, color in enumerate(part.get("col", [])):
                segment["col"][index] = color
        for client in list(self.sockets):
            await client.send_json(self.both())

    async def get(self, request):
        if self.hang:
            await asyncio.sleep(3600)
        # The firmware's server closes the connection after each response.
        return web.json_response(self.both(), headers={"Connection": "close"})

    async def catalog(self, request):
        whole = {**self.both(), "effects": ["Solid"] * 187, "palettes": ["Default"] * 71}
        return web.json_response({"json": whole}.get(request.path.strip("/"), whole), headers={"Connection": "close"})

    async def post(self, request):
        if self.hang:
            await asyncio.sleep(3600)
        self.busy += 1
        change = await request.json()
        report(post=change, busy=self.busy)
        await asyncio.sleep(0.02)
        await self.change(change)
        self.busy -= 1
        answer = self.state if change.get("v") else {"success": True}
        return web.json_response(answer, headers={"Connection": "close"})

    async def socket(self, request):
        if self.refuse:
            return web.Response(status=503)
        client = web.WebSocketResponse()
        await client.prepare(request)
        if len(self.sockets) >= MOST_SOCKETS:
            await self.sockets.pop(0).close(code=WSCloseCode.TRY_AGAIN_LATER)
        self.sockets.append(client)
        report(websocket=len(self.sockets))
        try:
            await client.send_json(self.both())
            async for message in client:
                await self.change(json.loads(message.data))
        finally:
            if client in self.sockets:
                self.sockets.remove(client)
        return client

    async def receive(self, line):
        match line:
            case {"cut": _, **change}:
                cut, self.sockets = self.sockets, []
                await self.change(change)
                for client in cut:
                    await client.close()
            case {"refuse": refuse}:
                self.refuse = refuse
            case {"hang": hang}:
                self.hang = hang
            case change:
                await self.change(change)


async def main(address, kind=1, port=80):
    device = Device(kind)
    application = web.Application()
    application.add_routes([
        web.get("/json/si", device.get), web.get("/json", device.catalog), web.get("/json/{part}", device.catalog),
        web.get("/presets.json", lambda request: web.json_response({"0": {}})), web.post("/json/state", device.post),
        web.get("/ws", device.socket)])
    runner = web.AppRunner(application, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, address, port, reuse_address=True)
    await site.start()
    port = site._server.sockets[0].getsockname()[1]
    zeroconf = AsyncZeroconf(interfaces=[address])
    await (await zeroconf.async_register_service(AsyncServiceInfo(
        "_wled._tcp.local.", "wled-shelf._wled._tcp.local.", port=port, properties={"mac": MAC},
        server="wled-shelf.local.", addresses=[socket.inet_aton(address)])))
    report(port=port)
    loop = asyncio.get_running_loop()
    lines = asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(lines), sys.stdin)
    while line := await lines.readline():
        await device.receive(json.loads(line))
    await zeroconf.async_close()


if __name__ == "__main__":
    asyncio.run(main(**json.loads(sys.argv[1])))
