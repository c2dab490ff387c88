"""Restarts peers repeatedly while a bridge is running, and checks that it finds them every time and leaks nothing.

Not part of `make test`, because it takes long:

    RESTARTS=100 .venv/bin/python -m pytest -q -s -o faulthandler_timeout=0 Tests/Interop/restarts.py [-k wled]

A restart succeeds if the bridge notices that the peer ended, finds it again as the same accessory, and can control it.
For each driver it prints the number of successes, the slowest return, and the bridge's memory and descriptors after the first
tenth and at the end. A broker that ends within ten seconds, as here, is retried with growing pauses of up to a minute; all
others return within seconds.
"""

import os
import re
import time
from pathlib import Path

import pytest
import test_esphome
import test_govee
import test_hue
import test_kasa
import test_lifx
import test_mqtt
import test_shelly
import test_wiz
import test_wled
import test_yeelight
from broker import Broker
from conftest import configuration
from lan import until

RESTARTS = int(os.environ.get("RESTARTS", 3))


class Restarted:
    """A peer, and the accessories of the bridge that depend on it."""

    def __init__(self, key, entry, start, stop):
        self.key, self.entry, self.start, self.stop = key, entry, start, stop


def mqtt_broker(lan, directory):
    broker = Broker(lan.bridge, directory).start()
    gateway = test_mqtt.Gateway(lan.bridge, broker.port)
    return Restarted("mqtt/g0", {"url": broker.url}, broker.start, broker.kill), [broker.stop, gateway.kill]


def mqtt_device(lan, directory):
    broker = Broker(lan.bridge, directory).start()
    made = [test_mqtt.Gateway(lan.bridge, broker.port)]

    def start():
        made[0] = test_mqtt.Gateway(lan.bridge, broker.port)

    return Restarted("mqtt/g0", {"url": broker.url}, start, lambda: made[0].kill()), [lambda: made[0].kill(), broker.stop]


def esphome(lan, _):
    device = test_esphome.Device(lan.phone)
    return Restarted(f"esphome/{test_esphome.MAC}/dim", {}, device.start, device.unplug), [device.close]


def wled(lan, _):
    device = test_wled.Device(lan.phone)
    return Restarted(test_wled.KEY, {}, device.start, device.stop), [device.close]


def shelly(lan, _):
    device = test_shelly.Device(lan.phone)
    return Restarted(test_shelly.name("light:0"), {}, device.start, device.stop), [device.close]


def yeelight(lan, _):
    device = test_yeelight.Device(lan.phone)
    return Restarted(test_yeelight.KEY, {}, device.start, device.stop), [device.close]


def hue(lan, directory):
    bridge = test_hue.OwnBridge(lan.phone, directory).start()
    made = Restarted("Den", {}, bridge.start, bridge.stop)
    made.press = bridge.press
    return made, [bridge.close]


def lifx(lan, directory):
    emulator = test_lifx.Emulator(lan.phone, directory).start()
    return Restarted(test_lifx.KEY, {}, emulator.start, emulator.stop), [emulator.stop]


def wiz(lan, _):
    bulb = test_wiz.Bulb(lan.phone)
    return Restarted(test_wiz.KEY, {}, bulb.start, bulb.stop), [bulb.stop]


def govee(lan, _):
    light = test_govee.Light(lan.phone)
    return Restarted(test_govee.KEY, {}, light.start, light.stop), [light.stop]


def kasa(lan, _):
    peer = test_kasa.Peer(lan.phone, "KL130(EU)_1.0_1.8.8")
    return Restarted(test_kasa.KEY, {}, peer.start, peer.stop), [peer.stop]


def figures(daemon):
    """Return the bridge's private memory in kB, and the number of its descriptors."""
    rollup = Path(f"/proc/{daemon.process.pid}/smaps_rollup").read_text()
    return int(re.search(r"^Private_Dirty: +(\d+) kB", rollup, re.M)[1]), len(os.listdir(f"/proc/{daemon.process.pid}/fd"))


@pytest.mark.parametrize(
    "make", [mqtt_broker, mqtt_device, esphome, wled, shelly, yeelight, hue, lifx, wiz, govee, kasa],
    ids=lambda make: make.__name__)
def test_peers_are_found_again_after_each_restart(make, make_daemon, lan, tmp_path):
    peer, ends = make(lan, tmp_path)
    try:
        driver = make.__name__.split("_")[0]
        daemon = make_daemon(configuration(drivers=[{"driver": driver, **peer.entry}]))
        if press := getattr(peer, "press", None):
            test_hue.warned(daemon, test_hue.PRESS)
            press()

        def light():
            return next((light for light in daemon.lights.values() if peer.key in (light["key"], light["name"])), {})

        def be(claim, timeout, **expected):
            until(lambda: expected.items() <= light().items(), timeout, f"{claim}: {expected}", interval=0.1)

        def command(level):
            return daemon.cli("lights", "set", light()["key"], "on=true", f"brightness={level}", check=False).returncode == 0

        be("it is found", 60, reachable=True)
        aid, slowest, before = light()["aid"], 0, None
        for number in range(RESTARTS):
            peer.stop()
            # If a peer uses only datagrams, the bridge notices its end when a query isn't answered.
            command(50)
            be(f"restart {number}: it is gone", 30, reachable=False)
            began = time.monotonic()
            peer.start()
            be(f"restart {number}: it is back", 60, reachable=True, aid=aid)
            slowest = max(slowest, time.monotonic() - began)
            # All peers support levels from 20.
            level = number % 80 + 20
            until(lambda: command(level), 10, f"restart {number}: it accepts a command", interval=0.1)
            be(f"restart {number}: it shows the new state", 15, on=True, brightness=level)
            after = figures(daemon)
            if number == RESTARTS // 10:
                before = after
            if number % 10 == 9 or number == RESTARTS - 1:
                first = before or after
                print(f"\n{make.__name__}: {number + 1} restarts, all back, the slowest after {slowest:.1f} s; "
                      f"{first[0]} kB and {first[1]} descriptors, then {after[0]} kB and {after[1]}", flush=True)
        assert after[1] <= before[1] + 3
        assert after[0] - before[0] < 3000
    finally:
        for end in ends:
            end()
