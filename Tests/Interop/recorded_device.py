"""Serves the recorded attribute database of a device unchanged with HAP-python.

    recorded_device.py ADDRESS PORT STATE-FILE DEVICE-ID DATABASE.json

It prints `{"ready": DEVICE-ID}`, then each value that is written: `{"aid": ..., "iid": ..., "value": ...}`.
"""

import asyncio
import json
import sys
from pathlib import Path

from pyhap.accessory import Accessory
from pyhap.accessory_driver import AccessoryDriver

CODE = "031-45-154"


def say(**event):
    print(json.dumps(event), flush=True)


class Recorded(AccessoryDriver):
    """HAP-python with the database and the values of another device."""

    def serve(self, accessories):
        self.recorded = accessories
        self.values = {
            (accessory["aid"], one["iid"]): one
            for accessory in accessories for service in accessory["services"] for one in service["characteristics"]}

    def get_accessories(self, include_value=True):
        return {"accessories": self.recorded}

    def get_characteristics(self, ids):
        answers = []
        for place in ids:
            aid, iid = (int(number) for number in place.split("."))
            one = self.values.get((aid, iid))
            status = -70409 if one is None else 0 if "pr" in one["perms"] else -70405
            answers.append({"aid": aid, "iid": iid, "status": status, **({"value": one.get("value")} if status == 0 else {})})
        return {"characteristics": answers}

    def set_characteristics(self, query, address):
        answers = []
        for item in query["characteristics"]:
            place = (item["aid"], item["iid"])
            one = self.values.get(place)
            status = -70409 if one is None else -70406 if "ev" in item and "ev" not in one["perms"] else 0
            answers.append({"aid": place[0], "iid": place[1], "status": status})
            if one and "value" in item:
                one["value"] = item["value"]
                say(aid=place[0], iid=place[1], value=item["value"])
        return {"characteristics": answers} if any(answer["status"] for answer in answers) else None


async def main():
    address, port, state, device, path = sys.argv[1:]
    recorded = json.loads(Path(path).read_text(encoding="utf-8"))
    driver = Recorded(
        address=address, port=int(port), persist_file=state, pincode=CODE.encode(), mac=device, loop=asyncio.get_running_loop())
    driver.serve(recorded["accessories"] if isinstance(recorded, dict) else recorded)
    shown = Accessory(driver, Path(path).stem[:20])
    shown.setup_message = lambda: None
    driver.add_accessory(shown)
    await driver.async_start()
    say(ready=device)
    await asyncio.Event().wait()


asyncio.run(main())
