"""A HAP-python accessory that a description defines, for the project's home hub.

    python_device.py ADDRESS PORT STATE-FILE DESCRIPTION

The description is JSON: `id`, `name`, optionally the `ttl` of its records in seconds and the time in seconds during which
HAP-python collects `events`, and `services`. Each service has its `type`, which is a name in HAP-python's catalog or a UUID,
an optional `name`, and `values`. For a type of the catalog, these are the names of optional characteristics; for a UUID, a list
of objects with `type`, `description`, `format`, `permissions`, other properties of HAP-python, and `value`.

It prints `{"ready": DEVICE-ID}`, then each received write with its time on the monotonic clock. Each line of its standard input
is `[CHARACTERISTIC, VALUE]`, a value to report. `["fail", TRUE]` makes all reads of values fail until `["fail", FALSE]`. `[CHARACTERISTIC, VALUE, SECONDS]` makes it report other values for that time as
fast as possible, and finally this value.
"""

import asyncio
import json
import sys
import time
from uuid import UUID

from pyhap import accessory_driver, hap_protocol
from pyhap.accessory import Accessory
from pyhap.accessory_driver import AccessoryDriver
from pyhap.characteristic import Characteristic
from pyhap.hap_event import create_hap_event
from pyhap.service import Service

CODE = "031-45-154"


def say(**event):
    print(json.dumps(event), flush=True)


def payload(category, setup_id):
    """Return the content of the accessory's QR code."""
    number, text = category << 31 | 1 << 28 | int(CODE.replace("-", "")), ""
    for _ in range(9):
        number, digit = divmod(number, 36)
        text = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[digit] + text
    return f"X-HM://{text}{setup_id}"


def custom(description):
    """Return a service with manufacturer-specific characteristics."""
    service = Service(UUID(description["type"]), description["type"])
    for value in description["values"]:
        properties = {
            "Format": value["format"], "Permissions": value["permissions"],
            **{key: value[key] for key in ("minValue", "maxValue", "minStep", "ValidValues") if key in value},
        }
        made = Characteristic(value["description"], UUID(value["type"]), properties)
        if "value" in value:
            made.set_value(value["value"], should_notify=False)
        service.add_characteristic(made)
    return service


def shorten_records(seconds):
    """Shorten the TTL of the records, so that other hosts forget them after a few seconds."""
    made = accessory_driver.AccessoryMDNSServiceInfo.__init__

    def make(self, *arguments, **named):
        made(self, *arguments, **named)
        self.host_ttl = seconds

    accessory_driver.AccessoryMDNSServiceInfo.__init__ = make


def fail():
    raise OSError("the sensor doesn't answer")


async def flood(driver, characteristic, value, seconds):
    """Report values to all subscribers without pause, which HAP-python itself doesn't do."""
    place = {"aid": 1, "iid": characteristic.broker.iid_manager.get_iid(characteristic)}
    burst = b"".join(create_hap_event([{**place, "value": number % 50}]) for number in range(100))
    end, count = time.monotonic() + seconds, 0
    characteristic.value = value
    while time.monotonic() < end:
        for connection in list(driver.http_server.connections.values()):
            if connection.transport.get_write_buffer_size() < 1 << 20:
                connection.write(burst)
                count += 100
        await asyncio.sleep(0)
    for connection in list(driver.http_server.connections.values()):
        connection.write(create_hap_event([{**place, "value": value}]))
    say(flooded=count)


async def main(address, port, state, description):
    description = json.loads(description)
    driver = AccessoryDriver(
        address=address, port=int(port), persist_file=state, pincode=CODE.encode(), loop=asyncio.get_running_loop(),
        mac=description["id"])
    accessory = Accessory(driver, description["name"])
    accessory.category = description.get("category", 5)
    accessory.setup_message = lambda: None
    accessory.set_info_service("1.2.3", "Another Maker", "Meter 3", "A-1")
    places = {}
    for part in description["services"]:
        names = part.get("values", [])
        if names and isinstance(names[0], dict):
            service = custom(part)
            accessory.add_service(service)
        else:
            service = accessory.add_preload_service(
                part["type"], chars=names + (["Name"] if "name" in part else []), unique_id=str(len(places)))
            if "name" in part:
                service.configure_char("Name", value=part["name"])
        for characteristic in service.characteristics:
            name = characteristic.display_name
            places[name] = characteristic
            if "pw" in characteristic.properties["Permissions"]:
                characteristic.setter_callback = lambda value, name=name: say(wrote=[name, value], at=time.monotonic())
    hap_protocol.EVENT_COALESCE_TIME_WINDOW = description.get("events", hap_protocol.EVENT_COALESCE_TIME_WINDOW)
    driver.add_accessory(accessory)
    if ttl := description.get("ttl"):
        shorten_records(ttl)
    # Avahi 0.8 ignores a record if it has received the previous one less than a second ago.
    await asyncio.sleep(1.5)
    await driver.async_start()
    await asyncio.sleep(2)
    # The content of the label's QR code, for tests that scan it.
    say(ready=driver.state.mac, payload=payload(accessory.category, driver.state.setup_id))
    reader = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    while line := await reader.readline():
        name, value, *seconds = json.loads(line)
        if name == "fail":
            for characteristic in places.values():
                characteristic.getter_callback = fail if value else None
        elif seconds:
            await flood(driver, places[name], value, *seconds)
        else:
            places[name].set_value(value)
    await driver.async_stop()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
