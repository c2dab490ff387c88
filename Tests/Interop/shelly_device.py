"""A second-generation Shelly device: GET /shelly, and remote procedure calls over a WebSocket at /rpc.

    shelly_device.py '{"address": "10.99.0.2", "outputs": {"light:0": {}}}'

`outputs` are its components with their configuration, `bluetooth` are its dynamic components, `password` protects it. It prints
lines of JSON: `port` once, then each `call`. Lines of JSON on its standard input are local changes:
`{"light:0": {"output": true}}`; `{"stale": true}` expires all nonces, `{"event": {"component": "bthomedevice:200", ...}}` is an
event.
"""

import asyncio
import hashlib
import json
import secrets
import socket
import sys

from aiohttp import web
from zeroconf.asyncio import AsyncServiceInfo, AsyncZeroconf

MAC = "A8032ABE54DC"
START = {
    "light": {"output": False, "brightness": 50},
    "rgb": {"output": False, "brightness": 50, "rgb": [255, 255, 255]},
    "rgbw": {"output": False, "brightness": 50, "rgb": [255, 255, 255], "white": 0},
    "cct": {"output": False, "brightness": 50, "ct": 3000},
    "rgbcct": {"output": False, "brightness": 50, "mode": "cct", "ct": 3000, "rgb": [255, 255, 255]},
    "cover": {"state": "closed", "pos_control": True, "current_pos": 0, "target_pos": None, "slat_pos": 0},
}


def report(**event):
    print(json.dumps(event), flush=True)


def digest(text):
    return hashlib.sha256(text.encode()).hexdigest()


class Refused(Exception):
    def __init__(self, code, message):
        self.code, self.message = code, message


class Device:
    def __init__(self, outputs, password=None, mac=MAC, bluetooth=()):
        self.password = password
        self.mac, self.id = mac, f"shellytest-{mac.lower()}"
        self.sockets, self.nonces = [], set()
        self.configuration = {
            "sys": {"device": {"name": "Shelf", "mac": mac}, "ui_data": {"consumption_types": []}},
            "wifi": {"sta": {"ssid": "home"}},
            **{key: {"id": int(key.split(":")[1]), "name": None, **given} for key, given in outputs.items()}}
        self.status = {
            "sys": {"mac": mac}, "wifi": {"rssi": -60},
            **{key: {"id": int(key.split(":")[1]), "source": "init", **START[key.split(":")[0]]} for key in outputs}}
        self.bluetooth = bluetooth
        self.dynamic = {one["key"]: {"id": int(one["key"].split(":")[1]), **one["status"]} for one in bluetooth}
        if bluetooth:
            self.configuration["bthome"] = {}

    def routes(self):
        return [web.get("/shelly", self.info), web.get("/rpc", self.socket)]

    async def info(self, request):
        return web.json_response(self.identity())

    def identity(self):
        return {
            "name": "Shelf", "id": self.id, "mac": self.mac, "slot": 0, "model": "S3DM-0010WW", "gen": 3,
            "fw_id": "20250924-062729/1.7.1-gd336f31", "ver": "1.7.1", "app": "DimmerG3",
            "auth_en": bool(self.password), "auth_domain": self.id if self.password else None}

    async def socket(self, request):
        client = web.WebSocketResponse()
        await client.prepare(request)
        named = False
        try:
            async for message in client:
                call = json.loads(message.data)
                report(call=call)
                answer = {"id": call["id"], "src": self.id, "dst": call.get("src")}
                try:
                    if call["method"] != "Shelly.GetDeviceInfo":
                        self.check(call.get("auth"))
                    answer["result"] = await self.call(call["method"], call.get("params") or {})
                    # Clients get no events before they authenticate.
                    if "src" in call and not named:
                        named = True
                        self.sockets.append(client)
                except Refused as refused:
                    answer["error"] = {"code": refused.code, "message": refused.message}
                await client.send_json(answer)
        finally:
            if client in self.sockets:
                self.sockets.remove(client)
        return client

    def check(self, auth):
        if not self.password:
            return
        if auth and auth["nonce"] in self.nonces:
            owner = digest(f"admin:{self.id}:{self.password}")
            place = digest("dummy_method:dummy_uri")
            right = digest(f"{owner}:{auth['nonce']}:{auth['nc']}:{auth['cnonce']}:auth:{place}")
            if auth["response"] == right and auth["username"] == "admin" and auth["realm"] == self.id:
                return
        nonce = secrets.randbits(31)
        self.nonces.add(nonce)
        raise Refused(401, json.dumps(
            {"auth_type": "digest", "nonce": nonce, "nc": 1, "realm": self.id, "algorithm": "SHA-256"}))

    async def call(self, method, params):
        match method:
            case "Shelly.GetConfig":
                return self.configuration
            case "Shelly.GetStatus":
                return self.status
            case "Shelly.GetDeviceInfo":
                return self.identity()
            case "Shelly.GetComponents":
                # A page has up to four components.
                offset = params.get("offset", 0)
                page = [{**one, "status": self.dynamic[one["key"]]} for one in self.bluetooth[offset:offset + 4]]
                return {"components": page, "cfg_rev": 1, "offset": offset, "total": len(self.bluetooth)}
        space, _, verb = method.partition(".")
        key = f"{space.lower()}:{params.get('id')}"
        if space == "Cover" and key in self.configuration:
            return await self.move(key, verb, params)
        if verb != "Set" or key not in self.configuration:
            raise Refused(404, f"No handler for {method}")
        known = self.status[key]
        change = {name: params[name] for name in ("brightness", "rgb", "white", "ct", "mode") if name in params}
        if set(change) - set(known) or set(params) - {"id", "on", "transition_duration"} - set(change):
            raise Refused(-103, "Invalid argument")
        if not 0 <= change.get("brightness", 0) <= 100 or params.get("transition_duration", 1) < 0.5:
            raise Refused(-103, "Invalid argument 'brightness' or 'transition_duration'")
        if "on" in params:
            change["output"] = params["on"]
        await self.change(key, {**change, "source": "WS_in"})

    async def move(self, key, verb, params):
        known = self.status[key]
        match verb:
            case "Stop":
                change = {"state": "stopped", "target_pos": None}
            case "GoToPosition" if known["pos_control"] and "pos" in params:
                change = {"state": "opening" if params["pos"] > known["current_pos"] else "closing", "target_pos": params["pos"]}
            case "GoToPosition" if "slat_pos" in params:
                change = {"slat_pos": params["slat_pos"]}
            case "Open":
                change = {"state": "opening"}
            case "Close":
                change = {"state": "closing"}
            case _:
                raise Refused(-106, "Cover is not calibrated")
        await self.change(key, {**change, "source": "WS_in"})

    async def change(self, key, change):
        status = self.status.get(key) or self.dynamic[key]
        status.update(change)
        await self.notify("NotifyStatus", {"ts": 1.0, key: {"id": status["id"], **change}})

    async def notify(self, method, params):
        for client in list(self.sockets):
            await client.send_json({"src": self.id, "dst": "*", "method": method, "params": params})

    async def receive(self, line):
        match line:
            case {"stale": _}:
                self.nonces.clear()
            case {"event": event}:
                await self.notify("NotifyEvent", {"ts": 1.0, "events": [{"ts": 1.0, **event}]})
            case change:
                for key, values in change.items():
                    await self.change(key, values)


async def main(address, outputs, password=None, port=80, bluetooth=()):
    device = Device(outputs, password, bluetooth=bluetooth)
    application = web.Application()
    application.add_routes(device.routes())
    runner = web.AppRunner(application, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, address, port, reuse_address=True)
    await site.start()
    port = site._server.sockets[0].getsockname()[1]
    zeroconf = AsyncZeroconf(interfaces=[address])
    await (await zeroconf.async_register_service(AsyncServiceInfo(
        "_shelly._tcp.local.", f"{device.id}._shelly._tcp.local.", port=port, server=f"{device.id}.local.",
        properties={"gen": "3", "app": "DimmerG3", "ver": "1.7.1"}, addresses=[socket.inet_aton(address)])))
    report(port=port)
    loop = asyncio.get_running_loop()
    lines = asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(lines), sys.stdin)
    while line := await lines.readline():
        await device.receive(json.loads(line))
    await zeroconf.async_close()


if __name__ == "__main__":
    asyncio.run(main(**json.loads(sys.argv[1])))
