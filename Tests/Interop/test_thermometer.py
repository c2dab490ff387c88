"""An independent controller pairs with Examples/Thermometer, an accessory without a bridge."""

import os

import pytest
from controllers import Phone, eventually
from examples import Example, device, places
from lan import end

CURRENT_TEMPERATURE, SENSOR = "11", "10"


class Thermometer(Example):
    def __init__(self, host, directory):
        self.sensor = directory / "temp"
        super().__init__(host, directory, "thermometer", self.sensor)
        self.measure(19.5)

    def measure(self, celsius):
        # Replace the file atomically, because it may be read at any time.
        new = self.sensor.with_suffix(".new")
        new.write_text(f"{celsius * 1000:.0f}\n")
        os.replace(new, self.sensor)


@pytest.fixture
def thermometer(lan, tmp_path):
    made = Thermometer(lan.bridge, tmp_path)
    yield made.start()
    end(made.process)


async def test_thermometer_is_a_standalone_accessory(thermometer, lan):
    async with Phone() as phone:
        identity = await device(phone, "Thermometer")
        record = await phone.record(identity)
        assert (record.txt["ci"], record.txt["sf"], record.txt["c#"]) == (SENSOR, "1", "1")
        pairing = await phone.pair(identity, thermometer.code)
        await phone.record(identity, lambda record: record.txt["sf"] == "0", timeout=3)

        accessories = await pairing.list_accessories_and_characteristics()
        assert [accessory["aid"] for accessory in accessories] == [1]
        place = places(accessories)[CURRENT_TEMPERATURE]
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
