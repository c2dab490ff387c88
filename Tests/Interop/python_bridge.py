"""A HAP-python bridge with a lamp, a thermometer, a lock and a button, for the project's controller.

    python_bridge.py ADDRESS PORT STATE-FILE

It prints `{"ready": DEVICE-ID}`, then each received write. Each line of its standard input is
`[ACCESSORY, CHARACTERISTIC, VALUE]`, a value to report.
"""

import asyncio
import json
import sys

from pyhap.accessory import Accessory, Bridge
from pyhap.accessory_driver import AccessoryDriver
from pyhap.const import CATEGORY_LIGHTBULB, CATEGORY_SENSOR

CODE = b"031-45-154"


def say(**event):
    print(json.dumps(event), flush=True)


def make(driver, name, service, characteristics, category):
    accessory = Accessory(driver, name)
    accessory.category = category
    accessory.set_info_service("1.2.3", "Another maker", "Python", f"{name}-1")
    added = accessory.add_preload_service(service, chars=characteristics)
    found = {}
    for characteristic in added.characteristics:
        short = characteristic.display_name
        found[short] = characteristic
        if "pw" in characteristic.properties["Permissions"]:
            characteristic.setter_callback = lambda value, short=short: say(wrote=[name, short, value])
    return accessory, found


async def main(address, port, state):
    driver = AccessoryDriver(
        address=address, port=int(port), persist_file=state, pincode=CODE, loop=asyncio.get_running_loop(),
        mac="5A:11:C0:DE:00:01")
    bridge = Bridge(driver, "Python Bridge")
    bridge.setup_message = lambda: None
    places = {}
    for name, service, characteristics, category in [
        ("Lamp", "Lightbulb", ["On", "Brightness"], CATEGORY_LIGHTBULB),
        ("Thermometer", "TemperatureSensor", ["CurrentTemperature"], CATEGORY_SENSOR),
        ("Latch", "LockMechanism", [], CATEGORY_SENSOR),
        ("Button", "StatelessProgrammableSwitch", [], CATEGORY_SENSOR),
    ]:
        accessory, found = make(driver, name, service, characteristics, category)
        # The manufacturer-specific lock accepts only timed writes.
        if name == "Latch":
            found["LockTargetState"].properties["Permissions"] = ["pr", "pw", "ev", "tw"]
        places[name] = found
        bridge.add_accessory(accessory)
    driver.add_accessory(bridge)
    # Avahi 0.8 ignores a record if it has received the previous one less than a second ago, for example when this bridge
    # replaces a killed one, or when pairing has changed the record.
    await asyncio.sleep(1.5)
    await driver.async_start()
    await asyncio.sleep(2)
    say(ready=driver.state.mac)
    reader = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    while line := await reader.readline():
        name, characteristic, value = json.loads(line)
        places[name][characteristic].set_value(value)
    await driver.async_stop()


asyncio.run(main(*sys.argv[1:]))
