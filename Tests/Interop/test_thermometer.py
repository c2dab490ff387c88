"""Examples/Thermometer: a stand-alone accessory, not a bridge, that an independent controller pairs with."""

import os
import re
import signal

import pytest
from controllers import Phone, eventually
from daemon import program
from lan import end, until

CURRENT_TEMPERATURE, SENSOR = "11", "10"


class Thermometer:
    def __init__(self, host, directory):
        self.host, self.directory, self.process = host, directory, None
        self.sensor, self.output = directory / "temp", directory / "output"
        self.measure(19.5)

    def measure(self, celsius):
        # Whole or not at all: it is read at any moment.
        (self.directory / "new").write_text(f"{celsius * 1000:.0f}\n")
        os.replace(self.directory / "new", self.sensor)

    def start(self):
        environment = {key: value for key, value in os.environ.items() if key != "DBUS_SYSTEM_BUS_ADDRESS"}
        with open(self.output, "wb") as output:
            self.process = self.host.popen(
                program("thermometer"), self.directory / "state", self.sensor, stdout=output, stderr=output,
                env=environment)
        return self

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        assert self.process.wait(15) == 0, self.output.read_text()

    @property
    def code(self):
        return until(
            lambda: re.search(r"setup code: (\d{3}-\d{2}-\d{3})", self.output.read_text()), 10, "a setup code").group(1)


@pytest.fixture
def thermometer(lan, tmp_path):
    made = Thermometer(lan.bridge, tmp_path)
    yield made.start()
    end(made.process)


async def device(phone):
    """The device id of the only thermometer, as mDNS shows it."""
    def found():
        return next((txt["id"] for txt in phone.latest.texts.values() if txt.get("md") == "Thermometer"), None)

    await eventually(found, 10, "the thermometer is seen")
    return found()


async def test_a_thermometer_is_an_accessory_of_its_own(thermometer, lan):
    async with Phone() as phone:
        identity = await device(phone)
        record = await phone.record(identity)
        assert (record.txt["ci"], record.txt["sf"], record.txt["c#"]) == (SENSOR, "1", "1")
        pairing = await phone.pair(identity, thermometer.code)
        await phone.record(identity, lambda record: record.txt["sf"] == "0", timeout=3)

        accessories = await pairing.list_accessories_and_characteristics()
        assert [accessory["aid"] for accessory in accessories] == [1]
        place = next(
            (1, characteristic["iid"]) for service in accessories[0]["services"]
            for characteristic in service["characteristics"]
            if characteristic["type"].split("-")[0].lstrip("0") == CURRENT_TEMPERATURE)
        assert (await pairing.get_characteristics([place]))[place]["value"] == 19.5

        events = []
        pairing.dispatcher_connect(events.append)
        assert not await pairing.subscribe([place])
        thermometer.measure(21)
        await eventually(lambda: events and events[-1].get(place, {}).get("value") == 21, 5, "the event")

        data = dict(pairing.pairing_data)
        await pairing.close()
        thermometer.stop()
        thermometer.measure(22)
        thermometer.start()
        again = phone.load(data)
        await phone.record(identity, lambda record: record.txt["sf"] == "0")
        assert (await again.get_characteristics([place]))[place]["value"] == 22
        assert "setup code" not in thermometer.output.read_text()

        assert await again.remove_pairing(again.pairing_data["iOSPairingId"])
        await phone.record(identity, lambda record: record.txt["sf"] == "1", timeout=5)
