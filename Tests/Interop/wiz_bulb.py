"""A WiZ bulb based on pywizlight's fake one, which also reports changes to the registered client and has one color mode.

Usage: wiz_bulb.py ADDRESS [MODULE FIRMWARE]; a line of JSON on standard input is a local change.
"""

import asyncio
import json
import sys

from pywizlight.protocol import WizProtocol
from pywizlight.tests import fake_bulb

PORT, PUSH_PORT = 38899, 38900
# Discard the requests that the fake bulb prints, because the output is for events.
fake_bulb.print = lambda *_: None


class Bulb(fake_bulb.BulbUDPRequestHandler):
    listener = None

    def handle(self, resp, addr):
        request = json.loads(resp)
        if request["method"] == "registration" and request["params"]["register"]:
            self.listener = request["params"]["phoneIp"]
        super().handle(resp, addr)

    def setPilot(self, json_data):
        self.change(json_data["params"])
        return b'{"method":"setPilot","env":"pro","result":{"success":true}}'

    def change(self, params):
        pilot = self.pilot_state["result"]
        for one, other in [("temp", "rgbcw"), ("r", ["temp"])]:
            if one in params:
                for name in other:
                    pilot.pop(name, None)
        pilot.update(params)
        if self.listener:
            message = {"method": "syncPilot", "env": "pro", "params": pilot}
            self.transport.sendto(json.dumps(message).encode(), (self.listener, PUSH_PORT))


async def main(address, module="ESP01_SHRGB_03", firmware="1.25.0"):
    bulb = Bulb()
    bulb.sys_config = fake_bulb.get_initial_sys_config(module, firmware)
    bulb.model_config = fake_bulb.get_initial_model_config(module, firmware)
    bulb.user_config = fake_bulb.get_initial_user_config(module, firmware)
    mac = bulb.sys_config["result"]["mac"]
    bulb.pilot_state = fake_bulb.get_initial_pilot()
    bulb.pilot_state["result"]["mac"] = mac
    bulb.registration = {"method": "registration", "env": "pro", "result": {"mac": mac, "success": True}}
    loop = asyncio.get_running_loop()
    bulb.transport, _ = await loop.create_datagram_endpoint(
        lambda: WizProtocol(on_response=bulb.handle), local_addr=("0.0.0.0", PORT), allow_broadcast=True)
    # Announce the bulb, as a real one does when it gets power.
    beat = {"method": "firstBeat", "env": "pro", "params": {"mac": mac}}
    bulb.transport.sendto(json.dumps(beat).encode(), (address.rsplit(".", 1)[0] + ".255", PUSH_PORT))
    while line := await loop.run_in_executor(None, sys.stdin.readline):
        bulb.change(json.loads(line))


asyncio.run(main(*sys.argv[1:]))
