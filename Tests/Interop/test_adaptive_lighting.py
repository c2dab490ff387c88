"""A home hub's adaptive lighting curve, written by an independent controller."""

import asyncio
import base64
import struct

from conftest import configuration
from controllers import BRIGHTNESS, COLOR_TEMPERATURE, ON, Phone, eventually, named
from lan import until

CONTROL, COUNT, SUPPORTED = "143", "24B", "144"


def tlv(*items):
    written = b""
    for kind, value in items:
        parts = [value[start:start + 255] for start in range(0, len(value), 255)] or [b""]
        written += b"".join(bytes([kind, len(part)]) + part for part in parts)
    return written


def number(value):
    return struct.pack("<Q", value).rstrip(b"\0") or b"\0"


def curve(iids, mireds, hours=24):
    """Return a curve for a day between two color temperatures, 10 mired cooler at full brightness."""
    def entry(mired, milliseconds):
        return 1, tlv((1, struct.pack("<f", -0.1)), (2, struct.pack("<f", mired)), (3, number(milliseconds)))

    points = tlv(
        entry(mireds[0], 0), (0, b""), entry(mireds[1], hours * 3_600_000), (2, number(iids[BRIGHTNESS])),
        (3, tlv((1, struct.pack("<I", 10)), (2, struct.pack("<I", 100)))))
    configuration = tlv(
        (1, number(iids[COLOR_TEMPERATURE])), (2, tlv((1, bytes(range(16))), (2, struct.pack("<Q", 1)))), (3, b"\1"),
        (5, points), (6, struct.pack("<H", 60000)), (8, struct.pack("<I", 600000)))
    return tlv((2, tlv((1, configuration))))


async def test_light_follows_the_curve_stays_off_when_off_and_keeps_the_curve_after_a_restart(make_daemon):
    daemon = make_daemon(configuration(lights=[
        {"id": "lamp", "name": "Lamp", "brightness": True, "color": True, "temperature": True}]))
    daemon.until_published()

    def white():
        return daemon.lights["simulated/lamp"].get("temperature")

    async with Phone() as phone:
        pairing = await phone.pair(daemon.status["deviceId"], daemon.setup_code)
        aid, iids = named(await pairing.list_accessories_and_characteristics(), "Lamp")
        assert {CONTROL, COUNT, SUPPORTED} <= set(iids)
        await pairing.put_characteristics([(aid, iids[ON], True), (aid, iids[BRIGHTNESS], 100)])
        events = {}
        pairing.dispatcher_connect(events.update)
        await pairing.subscribe([(aid, iids[COUNT])])

        async def write(value):
            entry = {"aid": aid, "iid": iids[CONTROL], "value": base64.b64encode(value).decode(), "r": True}
            answer = await pairing.connection.put_json("/characteristics", {"characteristics": [entry]})
            return answer["characteristics"][0]

        answer = await write(curve(iids, (310, 310)))
        assert answer["status"] == 0 and base64.b64decode(answer["value"])[0] == 2, answer
        await asyncio.to_thread(until, lambda: white() == 300, 5, "the light has the color temperature of the hour")
        await eventually(lambda: events.get((aid, iids[COUNT]), {}).get("value") == 1, 5, "the first value is sent as an event")
        # The light is warmer when dimmed, and stays off when it is off.
        await pairing.put_characteristics([(aid, iids[BRIGHTNESS], 50)])
        await asyncio.to_thread(until, lambda: white() == 305, 5, "a dimmed light is warmer")
        await pairing.put_characteristics([(aid, iids[ON], False)])
        await write(curve(iids, (410, 410)))
        assert daemon.lights["simulated/lamp"]["on"] is False and white() == 305
        data = dict(pairing.pairing_data)
    daemon.restart()
    daemon.until_published()
    async with Phone() as phone:
        pairing = phone.load(data)
        await pairing.list_accessories_and_characteristics()
        assert (await pairing.get_characteristics([(aid, iids[COUNT])]))[aid, iids[COUNT]]["value"] == 1
        await pairing.put_characteristics([(aid, iids[ON], True)])
        await asyncio.to_thread(until, lambda: white() == 405, 5, "switched on, it has the color temperature of the hour")
        await pairing.put_characteristics([(aid, iids[COLOR_TEMPERATURE], 200)])
        assert (await pairing.get_characteristics([(aid, iids[COUNT])]))[aid, iids[COUNT]]["value"] == 0
        assert white() == 200
