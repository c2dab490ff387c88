"""A HAP-python bridge with an accessory for each type of service in its catalog, and some accessories with several types.

    python_kinds.py ADDRESS PORT STATE-FILE

Every accessory has all characteristics of its types. It prints `{"ready": DEVICE-ID, "accessories": ...}` with the types of
each, then each received write, read and subscription. Each line of its standard input is `[ACCESSORY, TYPE, VALUE]`, a value
to report, `{"failing": [ACCESSORY, ...]}`, the accessories whose reads fail, or `"values"`, which prints all values.
"""

import asyncio
import json
import sys
from pathlib import Path

import pyhap
from pyhap.accessory import Accessory, Bridge
from pyhap.accessory_driver import AccessoryDriver

CODE = "031-45-154"
DEVICE = "5A:11:C0:DE:00:43"
KINDS = json.loads((Path(pyhap.__file__).parent / "resources/services.json").read_text())
# Accessories with several services. The first service is the main service, and all others are linked to it.
TOGETHER = {
    "Front Door": ["LockMechanism", "LockManagement", "Doorbell"],
    "Living Room TV": ["Television", "InputSource", "InputSource", "InputSource", "TelevisionSpeaker"],
    "Sprinklers": ["IrrigationSystem", "Valve", "Valve", "Faucet"],
    "Remote": ["ServiceLabel"] + ["StatelessProgrammableSwitch"] * 4 + ["BatteryService"],
}


def say(**event):
    print(json.dumps(event), flush=True)


def spelled(kind):
    """Return the name of an accessory with a single service type."""
    return "The " + "".join(f" {letter}" if letter.isupper() else letter for letter in kind).strip()


def make(driver, name, kinds, number):
    accessory = Accessory(driver, name)
    accessory.set_info_service("1.2.3", "Another Maker", "Python", f"K-{number}")
    found = []
    for index, kind in enumerate(kinds):
        optional = [part for part in KINDS[kind]["OptionalCharacteristics"] if part not in KINDS[kind]["RequiredCharacteristics"]]
        service = accessory.add_preload_service(kind, chars=optional, unique_id=str(index))
        service.is_primary_service = index == 0
        if index > 0:
            accessory.services[1].add_linked_service(service)
        for characteristic in service.characteristics:
            if characteristic.display_name == "Name":
                characteristic.set_value(name if len(kinds) == 1 else f"{kind} {index}", should_notify=False)
            found.append(characteristic)
            if "pw" in characteristic.properties["Permissions"]:
                iid = accessory.iid_manager.get_iid(characteristic)
                characteristic.setter_callback = lambda value, iid=iid: say(wrote=[name, iid, value])
    return accessory, found


#: A reachable device's answer to a read that it can't perform.
OUT_OF_RESOURCES = -70407


class Driver(AccessoryDriver):
    """Prints each read as [aid, iid]."""

    failing = frozenset()

    def get_characteristics(self, char_ids, *rest):
        say(read=[[int(part) for part in one.split(".")] for one in char_ids])
        answer = super().get_characteristics(char_ids, *rest)
        for one in answer["characteristics"]:
            if one["aid"] in self.failing:
                one["status"] = OUT_OF_RESOURCES
                del one["value"]
        return answer

    def async_subscribe_client_topic(self, client, topic, subscribe=True):
        say(subscribed=[int(part) for part in topic.split(".")], isOn=subscribe)
        return super().async_subscribe_client_topic(client, topic, subscribe)


async def main(address, port, state):
    driver = Driver(
        address=address, port=int(port), persist_file=state, pincode=CODE.encode(), loop=asyncio.get_running_loop(),
        mac=DEVICE)
    bridge = Bridge(driver, "Every Kind")
    bridge.setup_message = lambda: None
    bridge.set_info_service("1.2.3", "Another Maker", "Python", "K-0")
    made = {spelled(kind): [kind] for kind in KINDS if kind != "AccessoryInformation"} | TOGETHER
    places = {}
    for number, (name, kinds) in enumerate(made.items(), 1):
        accessory, found = make(driver, name, kinds, number)
        places[name] = (accessory, found)
        bridge.add_accessory(accessory)
    driver.add_accessory(bridge)
    # Avahi 0.8 ignores a record if it has received the previous one less than a second ago.
    await asyncio.sleep(1.5)
    await driver.async_start()
    await asyncio.sleep(2)
    say(ready=driver.state.mac, accessories=made)
    reader = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    while line := await reader.readline():
        asked = json.loads(line)
        if asked == "values":
            say(values={
                name: {str(accessory.iid_manager.get_iid(one)): one.get_value() for one in found}
                for name, (accessory, found) in places.items()})
            continue
        if isinstance(asked, dict):
            driver.failing = {places[name][0].aid for name in asked["failing"]}
            continue
        name, iid, value = asked
        accessory, found = places[name]
        (characteristic,) = [one for one in found if accessory.iid_manager.get_iid(one) == iid]
        characteristic.set_value(value)
    await driver.async_stop()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
