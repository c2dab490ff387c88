"""Independent controllers: aiohomekit with its own mDNS stack, for use on the host `phone`."""

import asyncio
import contextlib
import time
import uuid

from aiohomekit.characteristic_cache import CharacteristicCacheMemory
from aiohomekit.controller.ip.controller import IpController
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from lan import PATIENCE
from zeroconf import DNSText, IPVersion, RecordUpdateListener, ServiceStateChange
from zeroconf.asyncio import AsyncServiceBrowser, AsyncServiceInfo, AsyncZeroconf

HAP = "_hap._tcp.local."

# Short forms of Apple-defined types.
ACCESSORY_INFORMATION = "3E"
NAME, ON, BRIGHTNESS, HUE, SATURATION, COLOR_TEMPERATURE = "23", "25", "8", "13", "2F", "CE"


class LatestTexts(RecordUpdateListener):
    """The TXT record of each service as it was last received.

    The cache isn't suitable: it can keep an old record next to the new one for a second (RFC 6762, 10.2), and python-zeroconf
    then uses either.
    """

    def __init__(self):
        self.texts = {}

    def async_update_records(self, zc, now, records):
        for update in records:
            if isinstance(update.new, DNSText) and update.new.ttl > 0:
                self.texts[update.new.name] = decoded(update.new.text)


def decoded(text):
    """Return the strings of a TXT record in the order in which they were sent."""
    strings = {}
    while text:
        key, _, value = text[1:1 + text[0]].decode().partition("=")
        strings[key] = value
        text = text[1 + text[0]:]
    return strings


class Record:
    """A resolved service."""

    def __init__(self, info, txt):
        self.instance = info.name.removesuffix("." + HAP)
        self.port = info.port
        self.host = info.server
        self.addresses = info.parsed_scoped_addresses(IPVersion.All)
        self.txt = txt

    def __repr__(self):
        return f"{self.instance!r} at {self.host} {self.addresses} port {self.port}: {self.txt}"


class Phone:
    """A controller with a browser that records added and removed services."""

    async def __aenter__(self):
        self.changes = []
        self.zeroconf = AsyncZeroconf()
        self.latest = LatestTexts()
        self.zeroconf.zeroconf.add_listener(self.latest, None)
        self.browser = AsyncServiceBrowser(self.zeroconf.zeroconf, [HAP], handlers=[self._changed])
        self.ip = IpController(CharacteristicCacheMemory(), self.zeroconf)
        await self.ip.async_start()
        return self

    async def __aexit__(self, *_):
        for pairing in list(self.ip.pairings.values()):
            # Closing fails if the bridge has removed the pairing.
            with contextlib.suppress(Exception):
                await pairing.close()
        await self.ip.async_stop()
        await self.browser.async_cancel()
        await self.zeroconf.async_close()

    def _changed(self, zeroconf, service_type, name, state_change):
        self.changes.append((time.monotonic(), state_change, name.removesuffix("." + HAP)))

    def removals(self, instance):
        return [change for change in self.changes if change[1:] == (ServiceStateChange.Removed, instance)]

    # Browsing

    async def record(self, device_id, condition=lambda record: True, timeout=10):
        """Wait until the record with this device id meets the condition, and return it."""
        deadline, last = time.monotonic() + timeout * PATIENCE, None
        while time.monotonic() < deadline:
            # Added: a goodbye is received only after the PTR record. The record is a second late if the bridge's own Avahi has
            # sent the same query before, because hosts don't repeat recent queries (RFC 6762, 7.3).
            for instance in {change[2] for change in self.changes if change[1] is ServiceStateChange.Added}:
                info = AsyncServiceInfo(HAP, f"{instance}.{HAP}")
                if not info.load_from_cache(self.zeroconf.zeroconf):
                    await info.async_request(self.zeroconf.zeroconf, 1000)
                txt = self.latest.texts.get(info.name, {})
                if not info.port or txt.get("id") != device_id:
                    continue
                last = Record(info, txt)
                if condition(last):
                    return last
            await asyncio.sleep(0.05)
        raise AssertionError(f"no such record of {device_id} within {timeout} s; the last one is {last}")

    async def gone(self, instance, timeout=5):
        """Wait until a goodbye removes the service."""
        deadline = time.monotonic() + timeout * PATIENCE
        while not self.removals(instance):
            assert time.monotonic() < deadline, f"{instance} wasn't removed within {timeout} s: {self.changes}"
            await asyncio.sleep(0.02)

    # Pairing

    async def pair(self, device_id, code, alias="phone"):
        """Find the bridge only by browsing, and pair with it."""
        discovery = await self.ip.async_find(device_id)
        finish = await discovery.async_start_pairing(alias)
        return await finish(code)

    def load(self, data, alias="phone"):
        """Return the same pairing on a separate connection."""
        return self.ip.load_pairing(alias, dict(data))


def identity():
    """Return the identifier and the long-term keys of another controller, in hexadecimal."""
    key = Ed25519PrivateKey.generate()
    secret, public = key.private_bytes_raw().hex(), key.public_key().public_bytes_raw().hex()
    return {"id": str(uuid.uuid4()).upper(), "secret": secret, "public": public}


def pairing_data(of, identity):
    """Return the pairing data of another controller, which an admin has added."""
    return {
        **of, "iOSPairingId": identity["id"], "iOSDeviceLTSK": identity["secret"], "iOSDeviceLTPK": identity["public"],
    }


# The attribute database


def short(kind):
    return kind.split("-")[0].lstrip("0") or "0"


def shape(accessories):
    """Return the database without values. It must stay the same across restarts and failures."""
    return {
        (accessory["aid"], service["iid"], short(service["type"]), characteristic["iid"], short(characteristic["type"]))
        for accessory in accessories
        for service in accessory["services"]
        for characteristic in service["characteristics"]
    }


def named(accessories, name):
    """Return the accessory with this name as (aid, {characteristic type: iid}), without Accessory Information."""
    for accessory in accessories:
        values, iids = {}, {}
        for service in accessory["services"]:
            for characteristic in service["characteristics"]:
                if short(service["type"]) == ACCESSORY_INFORMATION:
                    values[short(characteristic["type"])] = characteristic.get("value")
                else:
                    iids[short(characteristic["type"])] = characteristic["iid"]
        if values[NAME] == name:
            return accessory["aid"], iids
    raise AssertionError(f"no accessory is called {name}")


async def eventually(condition, timeout, claim):
    deadline = time.monotonic() + timeout * PATIENCE
    while not condition():
        assert time.monotonic() < deadline, f"not within {timeout} s: {claim}"
        await asyncio.sleep(0.01)
