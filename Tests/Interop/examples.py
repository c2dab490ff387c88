"""Runs an accessory of Examples/ as a program."""

import os
import re
import signal

from controllers import eventually
from daemon import program
from lan import until


class Example:
    def __init__(self, host, directory, name, *arguments):
        self.host, self.name, self.process = host, name, None
        self.arguments = [directory / "state", *arguments]
        self.output = directory / "output"

    def start(self):
        environment = {key: value for key, value in os.environ.items() if key != "DBUS_SYSTEM_BUS_ADDRESS"}
        with open(self.output, "wb") as output:
            self.process = self.host.popen(
                program(self.name), *self.arguments, stdout=output, stderr=output, env=environment)
        return self

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        assert self.process.wait(15) == 0, self.output.read_text()

    @property
    def code(self):
        return until(
            lambda: re.search(r"setup code: (\d{3}-\d{2}-\d{3})", self.output.read_text()), 10, "a setup code").group(1)


async def device(phone, model):
    """Return the device id that the only accessory of a model announces by mDNS."""
    def found():
        return next((txt["id"] for txt in phone.latest.texts.values() if txt.get("md") == model), None)

    await eventually(found, 20, f"{model} is seen")
    return found()


def short(type):
    """Return the short form of a HAP type."""
    return type.split("-")[0].lstrip("0")


def places(accessories):
    """Return the location of each characteristic by its short type; the last one if several have the same type."""
    return {
        short(characteristic["type"]): (accessory["aid"], characteristic["iid"])
        for accessory in accessories for service in accessory["services"] for characteristic in service["characteristics"]}
