"""A simulated Hue bridge with the resources of aiohue's models, a self-signed certificate, version 2 of the API, and events.

    hue_bridge.py '{"address": "10.99.0.2", "certificate": "cert.pem", "key": "key.pem", "keys": ["of an app"]}'

It prints lines of JSON: `port` once, then `keys`, each path that is `authorized` and each scene that is `recalled`. Lines of JSON on its standard input
change it: `{"press": true}` presses the link button for half a minute, `{"light": "Den", "on": {"on": true}}` changes a
light, `{"cut": true}` ends the event streams.
"""

import asyncio
import json
import secrets
import socket
import ssl
import sys
import time
import uuid

from aiohttp import web
from zeroconf.asyncio import AsyncServiceInfo, AsyncZeroconf

BRIDGE = "001788fffe123456"
GAMUT = {"red": {"x": 0.6915, "y": 0.3083}, "green": {"x": 0.17, "y": 0.7}, "blue": {"x": 0.1532, "y": 0.0475}}
LIGHTS = {"Den": "color", "Hall": "white", "Desk": "temperature", "Plug": "plug"}


def name_id(*parts):
    return str(uuid.uuid5(uuid.NAMESPACE_URL, "/".join(parts)))


def report(**event):
    print(json.dumps(event), flush=True)


class Bridge:
    def __init__(self, keys):
        self.keys = set(keys)
        self.pressed_until = 0
        self.resources = {}
        self.streams = set()
        for name, kind in LIGHTS.items():
            self.add_light(name, kind)
        self.add("bridge", "bridge", {
            "bridge_id": BRIDGE, "time_zone": {"time_zone": "Europe/Berlin"},
            "owner": {"rid": name_id("device", "bridge"), "rtype": "device"}})
        self.add("device", "bridge", {
            "product_data": {
                "model_id": "BSB002", "manufacturer_name": "Signify Netherlands B.V.", "product_name": "Hue Bridge",
                "product_archetype": "bridge_v2", "certified": True, "software_version": "1.60.1960149090"},
            "metadata": {"name": "Hue Bridge", "archetype": "bridge_v2"},
            "services": [{"rid": self.id("bridge", "bridge"), "rtype": "bridge"}]})
        room = self.add("room", "Attic", {
            "metadata": {"name": "Attic", "archetype": "attic"}, "services": [],
            "children": [{"rid": self.id("device", "Den"), "rtype": "device"}]})
        self.add("scene", "Relax", {
            "metadata": {"name": "Relax"}, "group": {"rid": room, "rtype": "room"}, "palette": None, "speed": 0.5,
            "auto_dynamic": False, "status": {"active": "inactive"},
            "actions": [{"target": {"rid": self.id("light", "Den"), "rtype": "light"},
                         "action": {"on": {"on": True}, "dimming": {"brightness": 30.0}}}]})

    def id(self, kind, name):
        return name_id(kind, name)

    def add(self, kind, name, value):
        identifier = self.id(kind, name)
        self.resources[identifier] = {"id": identifier, "type": kind, **value}
        return identifier

    def add_light(self, name, kind):
        device = self.id("device", name)
        self.add("device", name, {
            "product_data": {
                "model_id": "LCA001", "manufacturer_name": "Signify Netherlands B.V.", "product_name": f"Hue {kind} lamp",
                "product_archetype": "sultan_bulb", "certified": True, "software_version": "1.104.2"},
            "metadata": {"name": name, "archetype": "sultan_bulb"},
            "services": [{"rid": self.id("light", name), "rtype": "light"},
                         {"rid": self.id("zigbee_connectivity", name), "rtype": "zigbee_connectivity"}]})
        self.add("zigbee_connectivity", name, {
            "owner": {"rid": device, "rtype": "device"}, "status": "connected", "mac_address": "00:17:88:01:0b:12:34:56"})
        light = {
            "owner": {"rid": device, "rtype": "device"}, "on": {"on": False}, "mode": "normal", "dynamics": {
                "status": "none", "status_values": ["none"], "speed": 0.0, "speed_valid": False},
            "metadata": {"name": name, "archetype": "plug" if kind == "plug" else "sultan_bulb", "function": "mixed"}}
        if kind != "plug":
            light |= {"dimming": {"brightness": 100.0, "min_dim_level": 0.2}, "dimming_delta": {}}
        if kind in ("color", "temperature"):
            schema = {"mirek_minimum": 153, "mirek_maximum": 454 if kind == "temperature" else 500}
            light["color_temperature"] = {"mirek": 366, "mirek_valid": True, "mirek_schema": schema}
        if kind == "color":
            light["color"] = {"xy": {"x": 0.4573, "y": 0.41}, "gamut": GAMUT, "gamut_type": "C"}
        self.add("light", name, light)

    # Changes and their events

    def emit(self, kind, *partial):
        event = {"creationtime": time.strftime("%Y-%m-%dT%H:%M:%SZ"), "id": str(uuid.uuid4()), "type": kind,
                 "data": list(partial)}
        text = f"id: {int(time.time())}:0\ndata: {json.dumps([event], separators=(',', ':'))}\n\n".encode()
        for queue in self.streams:
            queue.put_nowait(text)

    def change(self, identifier, change):
        """Change a light as a real bridge does, and send the differences as events."""
        resource, partial = self.resources[identifier], {}
        if "color_temperature" in change and "color_temperature" in resource:
            partial["color_temperature"] = {"mirek": change["color_temperature"]["mirek"], "mirek_valid": True}
            if "color" in resource:
                partial["color"] = {"xy": {"x": 0.4, "y": 0.39}}
        elif "color" in change and "color" in resource:
            partial["color"] = {"xy": change["color"]["xy"]}
            partial["color_temperature"] = {"mirek": None, "mirek_valid": False}
        if "on" in change:
            partial["on"] = {"on": change["on"]["on"]}
        if "dimming" in change and "dimming" in resource:
            # Bulbs have steps of 1/254.
            partial["dimming"] = {"brightness": round(max(1, round(change["dimming"]["brightness"] * 2.54)) / 2.54, 2)}
        different = {}
        for key, value in partial.items():
            if {**resource[key], **value} != resource[key]:
                resource[key] = {**resource[key], **value}
                different[key] = value
        if different:
            self.emit("update", {"id": identifier, "type": resource["type"], "owner": resource["owner"], **different})

    def receive(self, line):
        match line:
            case {"press": _}:
                self.pressed_until = time.monotonic() + 30
            case {"cut": _}:
                for queue in self.streams:
                    queue.put_nowait(None)
            case {"light": name, **change}:
                self.change(self.id("light", name), change)

    # HTTP

    def answer(self, data, status=200, errors=()):
        return web.json_response(
            {"errors": [{"description": error} for error in errors], "data": data}, status=status)

    @web.middleware
    async def guard(self, request, handler):
        if request.path.startswith("/api"):
            return await handler(request)
        if request.headers.get("hue-application-key") not in self.keys:
            return web.Response(status=403)
        report(authorized=request.path)
        return await handler(request)

    async def config(self, request):
        return web.json_response({
            "name": "Hue Bridge", "datastoreversion": "163", "swversion": "1960149090", "apiversion": "1.60.0",
            "mac": "00:17:88:12:34:56", "bridgeid": BRIDGE.upper(), "factorynew": False, "replacesbridgeid": None,
            "modelid": "BSB002", "starterkitid": ""})

    async def pair(self, request):
        assert (await request.json())["devicetype"]
        if time.monotonic() > self.pressed_until:
            return web.json_response(
                [{"error": {"type": 101, "address": "/api/", "description": "link button not pressed"}}])
        key = secrets.token_urlsafe(30)
        self.keys.add(key)
        report(keys=sorted(self.keys))
        return web.json_response([{"success": {"username": key}}])

    async def read(self, request):
        kind = request.match_info.get("type")
        return self.answer([value for value in self.resources.values() if kind in (None, value["type"])])

    async def put(self, request):
        kind, identifier, body = request.match_info["type"], request.match_info["id"], await request.json()
        resource = self.resources.get(identifier)
        if not resource or resource["type"] != kind:
            return self.answer([], 404, ["Not Found"])
        # A real bridge takes this long.
        await asyncio.sleep(0.05)
        if kind == "light":
            self.change(identifier, body)
        if kind == "scene" and body.get("recall", {}).get("action") == "active":
            report(recalled=resource["metadata"]["name"])
            for action in resource["actions"]:
                self.change(action["target"]["rid"], action["action"])
        return self.answer([{"rid": identifier, "rtype": kind}])

    async def events(self, request):
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream; charset=utf-8"})
        await response.prepare(request)
        await response.write(b": hi\n\n")
        queue = asyncio.Queue()
        self.streams.add(queue)
        try:
            while text := await queue.get():
                await response.write(text)
        finally:
            self.streams.discard(queue)
        return response


async def main(address, certificate, key, keys, port=443):
    bridge = Bridge(keys)
    application = web.Application(middlewares=[bridge.guard])
    application.add_routes([
        web.get("/api/config", bridge.config), web.post("/api", bridge.pair),
        web.get("/clip/v2/resource", bridge.read), web.get("/clip/v2/resource/{type}", bridge.read),
        web.put("/clip/v2/resource/{type}/{id}", bridge.put), web.get("/eventstream/clip/v2", bridge.events)])
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificate, key)
    runner = web.AppRunner(application, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, address, port, ssl_context=context, reuse_address=True)
    await site.start()
    port = site._server.sockets[0].getsockname()[1]
    zeroconf = AsyncZeroconf(interfaces=[address])
    await (await zeroconf.async_register_service(AsyncServiceInfo(
        "_hue._tcp.local.", f"Hue Bridge - {BRIDGE[-6:].upper()}._hue._tcp.local.", port=port,
        properties={"bridgeid": BRIDGE, "modelid": "BSB002"}, server=f"{BRIDGE}.local.",
        addresses=[socket.inet_aton(address)])))
    report(port=port)
    loop = asyncio.get_running_loop()
    lines = asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(lines), sys.stdin)
    while line := await lines.readline():
        bridge.receive(json.loads(line))
    await zeroconf.async_close()


asyncio.run(main(**json.loads(sys.argv[1])))
