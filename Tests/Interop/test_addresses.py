"""Devices on hosts with several addresses are found at the one that works.

Combinations: one, two and four addresses in every order. An address that doesn't work is `absent` (no host has it),
`refusing` (no process listens there), `silent` (a firewall drops everything) or `wrong` (another device answers there).
All combinations are tried at once, each device on separate addresses.
"""

import itertools
import statistics
import time
from pathlib import Path

import pytest
from conftest import configuration
from home import villa
from lan import PATIENCE, until
from scripted_device import ScriptedDevice

USELESS = ["absent", "refusing", "silent", "wrong"]
#: The longest time until a device is found, in seconds.
LIMIT = 3
CODE = "031-45-154"


def constellations():
    yield ["right"]
    for useless in USELESS:
        yield from ([useless, "right"], ["right", useless])
    trios = itertools.cycle(itertools.combinations(USELESS, 3))
    for order, trio in zip(itertools.permutations(range(4)), trios):
        yield [("right", *trio)[place] for place in order]


ALL = list(constellations())
#: The same for accessories, whose setup takes longer.
SOME = [["right"], *([useless, "right"] for useless in USELESS), *ALL[-2:]]


class SeveralDevices(ScriptedDevice):
    script = "several_devices.py"


class Neighborhood:
    """A device for each combination, on the host `phone`."""

    def __init__(self, host, driver, wanted, directory):
        self.host = host
        self.devices = []
        for number, kinds in enumerate(wanted, 1):
            places = {f"10.78.{number}.{place}": kind for place, kind in enumerate(kinds, 1)}
            self.devices.append({
                "mac": f"aabbccddee{number:02x}", "addresses": list(places), "kinds": kinds,
                "right": next(address for address, kind in places.items() if kind == "right"),
                "wrong": [address for address, kind in places.items() if kind == "wrong"]})
        self._known = [
            address for device in self.devices for address, kind in zip(device["addresses"], device["kinds"])
            if kind != "absent"]
        silent = [
            address for device in self.devices for address, kind in zip(device["addresses"], device["kinds"])
            if kind == "silent"]
        self._batch("add")
        rules = directory / "rules.nft"
        rules.write_text(
            "table ip silent {\nchain input {\ntype filter hook input priority 0;\n"
            f"ip daddr {{ {', '.join(silent)} }} tcp dport 1024-65535 drop\n}}\n}}\n")
        host.run("nft", "-f", rules)
        self.script = SeveralDevices(
            host, driver=driver, state=str(directory),
            devices=[{key: value for key, value in device.items() if key != "kinds"} for device in self.devices])

    def _batch(self, verb):
        path = Path(self.host.directory) / f"{self.host.name}-addresses"
        path.write_text("".join(f"addr {verb} {address}/32 dev eth0\n" for address in self._known))
        self.host.run("ip", "-batch", path)

    def close(self):
        self.script.close()
        self.host.run("nft", "delete", "table", "ip", "silent")
        self._batch("del")


@pytest.fixture
def make_neighborhood(lan, tmp_path):
    made = []

    def make(driver, wanted):
        made.append(Neighborhood(lan.phone, driver, wanted, tmp_path))
        return made[-1]

    yield make
    for neighborhood in made:
        neighborhood.close()


def times(found, devices, names, limit):
    """Return the time until each device is found."""
    began, taken = time.monotonic(), {}
    missing = dict(zip(names, devices))

    def look():
        for name in found() & missing.keys():
            taken[name] = time.monotonic() - began
            del missing[name]
        return not missing

    until(look, limit, f"found: {[(name, device['kinds']) for name, device in missing.items()]}", interval=0.05)
    return list(taken.values())


def report(title, taken):
    print(f"{title}: median {statistics.median(taken):.2f} s, worst {max(taken):.2f} s of {len(taken)}")
    assert max(taken) <= LIMIT * PATIENCE


KEYS = {"wled": "wled/{}", "esphome": "esphome/{}/dim", "shelly": "shelly/{}/light:0"}


def add(home, device):
    """Add an accessory; a hub that has just started can't search yet."""
    def tried():
        added = home.add(CODE, device, "--json", check=False)
        if isinstance(added, list):
            return True
        assert '"code":57' in added.stderr, f"{device}: {added.stderr}\n{home.log[-3000:]}"
        return False

    until(tried, 60, "the hub can search")


def find_lights(driver, runs, make_neighborhood, make_daemon):
    """Start a bridge several times, and check that it finds all lights in time, without remaining warnings."""
    neighborhood = make_neighborhood(driver, ALL)
    names = [KEYS[driver].format(device["mac"]).lower() for device in neighborhood.devices]
    taken = []
    for _ in range(runs):
        daemon = make_daemon(configuration(drivers=[{"driver": driver}]))
        taken += times(
            lambda: {key.lower() for key, light in daemon.lights.items() if light["reachable"]}, neighborhood.devices,
            names, 20)
        daemon.until(lambda status: not status["warnings"], claim="there are no more warnings")
        daemon.terminate()
    report(f"{driver}, {runs} runs of {len(ALL)} constellations", taken)


def find_accessories(wanted, runs, make_neighborhood, lan, directory):
    """Add accessories, restart the hub several times, and check that it finds all of them in time."""
    neighborhood = make_neighborhood("hap", wanted)
    names = [f"Shelf {device['mac'][-2:]}" for device in neighborhood.devices]
    with villa(lan, directory / "hub") as home:
        for device in neighborhood.devices:
            add(home, ":".join(device["mac"][place:place + 2].upper() for place in range(0, 12, 2)))

        def found():
            return {one["name"] for one in home.cli("accessories", "--json") if one["isReachable"]}

        taken = []
        for _ in range(runs):
            home.terminate()
            home.start()
            taken += times(found, neighborhood.devices, names, 20)
    report(f"the hub, {runs} runs of {len(wanted)} constellations", taken)


@pytest.mark.parametrize("driver", ["wled", "esphome"])
def test_lights_are_found_at_their_working_address(driver, make_neighborhood, make_daemon):
    find_lights(driver, 1, make_neighborhood, make_daemon)


def test_hub_finds_accessories_at_their_working_address_after_a_start(make_neighborhood, lan, tmp_path):
    find_accessories(SOME, 1, make_neighborhood, lan, tmp_path)


@pytest.mark.long
@pytest.mark.alone
@pytest.mark.parametrize("driver", KEYS)
def test_lights_are_found_after_each_of_twenty_starts(driver, make_neighborhood, make_daemon):
    find_lights(driver, 20, make_neighborhood, make_daemon)


@pytest.mark.long
@pytest.mark.alone
def test_accessories_are_found_after_each_of_twenty_starts(make_neighborhood, lan, tmp_path):
    find_accessories(ALL, 20, make_neighborhood, lan, tmp_path)
