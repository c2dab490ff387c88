"""Many devices at once, each on a host that announces several addresses, only one of which works.

    several_devices.py '{"driver": "wled", "address": "10.77.0.2", "state": "/tmp/x", "devices": [
        {"mac": "aabbccddee01", "addresses": ["10.78.1.1", "10.78.1.2"], "right": "10.78.1.2", "wrong": ["10.78.1.1"]}]}'

At the addresses in `wrong` another device of the same kind answers on the same port; for `hap`, a web server. It prints
`{"port": NUMBER}` when everything is announced.
"""

import asyncio
import json
import logging
import socket
import sys
from pathlib import Path

import esphome_device
import shelly_device
import wled_device
from aiohttp import web
from pyhap.accessory import Accessory
from pyhap.accessory_driver import AccessoryDriver
from zeroconf.asyncio import AsyncServiceInfo, AsyncZeroconf


async def serve(routes, address, port):
    application = web.Application()
    application.add_routes(routes)
    runner = web.AppRunner(application, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, address, port, reuse_address=True).start()


class WLED:
    type = "_wled._tcp.local."

    @staticmethod
    async def start(address, port, mac):
        device = wled_device.Device(kind=1)
        device.info["mac"], device.info["name"] = mac, f"Shelf {mac[-2:]}"
        await serve([web.get("/json/si", device.get), web.get("/ws", device.socket)], address, port)

    @staticmethod
    def announcement(mac):
        return f"wled-{mac}", {"mac": mac}


class Shelly:
    type = "_shelly._tcp.local."

    @staticmethod
    async def start(address, port, mac):
        device = shelly_device.Device({"light:0": {}}, mac=mac.upper())
        device.configuration["sys"]["device"]["name"] = f"Shelf {mac[-2:]}"
        await serve(device.routes(), address, port)

    @staticmethod
    def announcement(mac):
        return f"shellytest-{mac}", {"gen": "3", "app": "DimmerG3", "ver": "1.7.1"}


class ESPHome:
    type = "_esphomelib._tcp.local."

    class Connection(esphome_device.Connection):
        """A device with one light."""

        def answer(self, message):
            api = esphome_device.api
            match type(message).__name__:
                case "DeviceInfoRequest":
                    mac = self.device.mac.upper()
                    self.send(api.DeviceInfoResponse(
                        name=self.device.name, esphome_version="2026.6.5", model="host", manufacturer="Host",
                        mac_address=":".join(mac[place:place + 2] for place in range(0, 12, 2))))
                case "ListEntitiesRequest":
                    self.send(api.ListEntitiesLightResponse(key=2, name="Dim", supported_color_modes=[3]))
                    self.send(api.ListEntitiesDoneResponse())
                case _:
                    super().answer(message)

    @classmethod
    async def start(cls, address, port, mac):
        device = esphome_device.Device(f"den-{mac}", None)
        device.mac, device.states = mac, {"dim": device.states["dim"]}

        async def carry(reader, writer):
            connection = cls.Connection(device, reader, writer)
            device.connections.add(connection)
            try:
                await connection.run()
            except (asyncio.IncompleteReadError, ConnectionError):
                pass
            finally:
                writer.close()

        await asyncio.start_server(carry, address, port)

    @staticmethod
    def announcement(mac):
        return f"den-{mac}", {"mac": mac, "version": "2026.6.5"}


def free_port():
    with socket.socket() as probe:
        probe.bind(("0.0.0.0", 0))
        return probe.getsockname()[1]


async def start_accessory(device, port, state, zeroconf):
    """Start a HAP-python accessory, which announces all addresses itself. Another server answers at the wrong ones."""
    driver = AccessoryDriver(
        address=device["right"], listen_address=device["right"], advertised_address=device["addresses"], port=port,
        persist_file=str(Path(state) / device["mac"]), pincode=b"031-45-154", loop=asyncio.get_running_loop(),
        mac=":".join(device["mac"][place:place + 2].upper() for place in range(0, 12, 2)),
        async_zeroconf_instance=zeroconf)
    accessory = Accessory(driver, f"Shelf {device['mac'][-2:]}")
    accessory.category = 5
    accessory.setup_message = lambda: None
    accessory.add_preload_service("Lightbulb")
    driver.add_accessory(accessory)
    for address in device["wrong"]:
        await serve([], address, port)
    await driver.async_start()


async def main(driver, address, devices, state=None):
    logging.disable()
    zeroconf, port = AsyncZeroconf(interfaces=[address]), free_port()
    kind = {"wled": WLED, "esphome": ESPHome, "shelly": Shelly}.get(driver)
    registrations = []
    for device in devices:
        if not kind:
            await start_accessory(device, port, state, zeroconf)
            continue
        await kind.start(device["right"], port, device["mac"])
        for address in device["wrong"]:
            await kind.start(address, port, "ff" + device["mac"][2:])
        name, properties = kind.announcement(device["mac"])
        registrations.append(await zeroconf.async_register_service(AsyncServiceInfo(
            kind.type, f"{name}.{kind.type}", port=port, properties=properties, server=f"{name}.local.",
            parsed_addresses=device["addresses"]), cooperating_responders=True))
    await asyncio.gather(*registrations)
    # Avahi 0.8 ignores a record if it has received the previous one less than a second ago.
    await asyncio.sleep(1)
    print(json.dumps({"port": port}), flush=True)
    lines = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(lines), sys.stdin)
    await lines.read()
    await zeroconf.async_close()


asyncio.run(main(**json.loads(sys.argv[1])))
