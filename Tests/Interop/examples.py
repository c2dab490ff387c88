"""An accessory of Examples/ as a program: its setup code, its output, its end."""

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
    """The device id of the only accessory of a model, as mDNS shows it."""
    def found():
        return next((txt["id"] for txt in phone.latest.texts.values() if txt.get("md") == model), None)

    await eventually(found, 20, f"{model} is seen")
    return found()


def short(type):
    """The short form of a type of HAP."""
    return type.split("-")[0].lstrip("0")


def places(accessories):
    """The place of each characteristic, by the short form of its type; the last of several."""
    return {
        short(characteristic["type"]): (accessory["aid"], characteristic["iid"])
        for accessory in accessories for service in accessory["services"] for characteristic in service["characteristics"]}
