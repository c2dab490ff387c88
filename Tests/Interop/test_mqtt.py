"""A lamp of ha-mqtt-discoverable on a real MQTT broker is shown as a light to aiohomekit."""

import asyncio
import subprocess
import sys
import time
from pathlib import Path

import pytest
from controllers import BRIGHTNESS, HUE, ON, SATURATION, Phone, eventually, named

from broker import Broker
from conftest import configuration
from lan import PATIENCE, open_to_all, until
from scripted_device import Script

#: Longer than the longest pause between two connection attempts to a broker, which is 60 s.
RECONNECTION = 75
LAMP = "mqtt/den-1-light"
NAME = "Den lamp Den"


class Lamp(Script):
    script = "mqtt_lamp.py"


@pytest.fixture
def make_lamp(lan, broker):
    made = []

    def make():
        made.append(Lamp(lan.bridge, broker.port))
        return made[-1]

    yield make
    for lamp in made:
        lamp.stop()


@pytest.fixture
def daemon(make_daemon, broker):
    drivers = [{"driver": "mqtt", "url": broker.url, "discovery": {"home-assistant": "homeassistant"}}]
    made = make_daemon(configuration(drivers=drivers))
    made.until_published()
    made.until(lambda status: [driver["state"] for driver in status["drivers"]] == ["running"])
    return made


def wait_for_lamp(daemon):
    until(lambda: daemon.lights.get(LAMP, {}).get("reachable"), 10, "the lamp is reachable", interval=0.1)


async def test_announced_lamp_appears_while_a_controller_is_connected(daemon, make_lamp, lan):
    async with Phone() as phone:
        pairing = await phone.pair(daemon.status["deviceId"], daemon.setup_code)
        assert len(await pairing.list_accessories_and_characteristics()) == 1
        protocol, number = pairing.connection.protocol, daemon.status["configurationNumber"]
        make_lamp()
        await asyncio.to_thread(wait_for_lamp, daemon)
        accessories = await pairing.list_accessories_and_characteristics()
        aid, _ = named(accessories, NAME)
        assert aid == daemon.lights[LAMP]["aid"]
        await asyncio.to_thread(daemon.until, lambda status: status["configurationNumber"] == number + 1)
        assert pairing.connection.protocol is protocol and pairing.is_connected, "the session stays open"
        await phone.record(daemon.status["deviceId"], lambda record: record.txt["c#"] == str(number + 1))


async def test_controller_controls_a_lamp(daemon, make_lamp, lan):
    lamp = make_lamp()
    wait_for_lamp(daemon)
    async with Phone() as phone:
        pairing = await phone.pair(daemon.status["deviceId"], daemon.setup_code)
        aid, iids = named(await pairing.list_accessories_and_characteristics(), NAME)
        for writes, expected in [
            ({ON: True}, {"state": "ON"}),
            ({BRIGHTNESS: 40}, {"brightness": 102}),
            ({HUE: 30.0, SATURATION: 80.0}, {"color": {"h": 30, "s": 80}}),
            ({ON: True, BRIGHTNESS: 100}, {"state": "ON", "brightness": 255}),
            ({ON: False}, {"state": "OFF"}),
        ]:
            count = len(lamp.events)
            assert await pairing.put_characteristics([(aid, iids[kind], value) for kind, value in writes.items()]) == {}
            await eventually(lambda: len(lamp.events) > count, 5, f"{writes} arrives")
            assert expected.items() <= lamp.events[count].items()
        read = await pairing.get_characteristics([(aid, iids[kind]) for kind in (ON, BRIGHTNESS, HUE, SATURATION)])
        assert [entry["value"] for entry in read.values()] == [False, 100, 30, 80]


@pytest.mark.alone
@pytest.mark.long
async def test_flooding_device_does_not_delay_others(daemon, make_lamp, lan, broker):
    make_lamp()
    wait_for_lamp(daemon)
    async with Phone() as phone:
        pairing = await phone.pair(daemon.status["deviceId"], daemon.setup_code)
        aid, iids = named(await pairing.list_accessories_and_characteristics(), NAME)

        async def times():
            reads, writes = [], []
            for turn in range(100):
                start = time.monotonic()
                await pairing.get_characteristics([(aid, iids[ON])])
                reads.append(time.monotonic() - start)
                start = time.monotonic()
                assert await pairing.put_characteristics([(aid, iids[BRIGHTNESS], turn % 100 + 1)]) == {}
                writes.append(time.monotonic() - start)
            return sorted(reads), sorted(writes)

        quiet = await times()
        noise = lan.bridge.popen(
            sys.executable, Path(__file__).with_name("mqtt_flood.py"), str(broker.port), stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, text=True)
        try:
            known = set()

            def noise_is_received():
                light = daemon.lights.get("mqtt/noise")
                known.add(light and light.get("brightness"))
                return len(known) > 3

            await asyncio.to_thread(until, noise_is_received, 10, "the flood is read")
            loud = await times()
        finally:
            count = int((await asyncio.to_thread(noise.communicate))[0])
        for name, before, after in zip(("read", "write"), quiet, loud):
            print(f"{name}: median {before[50] * 1000:.1f} ms quiet, {after[50] * 1000:.1f} ms with {count} messages; "
                  f"longest but one {before[98] * 1000:.1f} and {after[98] * 1000:.1f} ms, "
                  f"longest {before[-1] * 1000:.1f} and {after[-1] * 1000:.1f} ms")
            # A request that waits for the flood would take seconds.
            assert after[98] < 0.5 * PATIENCE, f"more than one {name} in a hundred takes {after[98]:.3f} s during the flood"
            assert after[-1] < 1.5 * PATIENCE, f"a {name} takes {after[-1]:.3f} s during the flood"


def test_silent_broker_is_reported_and_does_not_delay_the_shutdown(make_daemon, lan):
    # A known neighbor that doesn't exist neither accepts nor refuses a connection.
    lan.bridge.run("ip", "neigh", "replace", "10.77.0.99", "lladdr", "02:00:00:00:00:99", "dev", "eth0")
    daemon = make_daemon(configuration(drivers=[{"driver": "mqtt", "url": "mqtt://10.77.0.99"}]))
    daemon.until(lambda status: "no answer yet" in status["drivers"][0]["state"], 20)
    code, seconds = daemon.terminate()
    assert code == 0 and seconds < 5 * PATIENCE


class Gateway(Script):
    script = "mqtt_gateway.py"

    def __init__(self, host, port, **options):
        super().__init__(host, port, *(word for name, value in options.items() for word in (f"--{name}", value)))


@pytest.fixture
def make_gateway(lan):
    made = []

    def make(broker, **options):
        made.append(Gateway(lan.bridge, broker.port, **options))

    yield make
    for gateway in made:
        gateway.stop()


def wait_for_gateway(daemon, lights, driver, timeout=15, **expected):
    def are_there():
        found = [light for key, light in daemon.lights.items() if key.startswith(f"{driver}/g")]
        return len(found) == lights and all(expected.items() <= light.items() for light in found)

    until(are_there, timeout, f"{lights} lights with {expected}", interval=0.1)


def test_bridge_uses_two_brokers_including_one_with_tls_and_a_password(make_daemon, make_gateway, broker, lan, tmp_path):
    safe = tmp_path / "safe"
    safe.mkdir(mode=0o755)
    for command in [
        "openssl req -x509 -nodes -newkey rsa:2048 -days 2 -keyout ca.key -out ca.pem -subj /CN=Authority",
        "openssl req -x509 -nodes -newkey rsa:2048 -days 2 -CA ca.pem -CAkey ca.key -keyout key.pem -out cert.pem "
        "-subj /CN=localhost -addext subjectAltName=DNS:localhost -addext basicConstraints=CA:FALSE",
        "mosquitto_passwd -b -c users anna right",
    ]:
        subprocess.run(command.split(), cwd=safe, check=True, capture_output=True)
    open_to_all(safe)
    for path in safe.iterdir():
        path.chmod(0o644)
    guarded = Broker(lan.bridge, safe)
    guarded.configuration.write_text(
        f"listener {guarded.port} 0.0.0.0\nallow_anonymous false\npassword_file {safe}/users\n"
        f"cafile {safe}/ca.pem\ncertfile {safe}/cert.pem\nkeyfile {safe}/key.pem\n")
    guarded.start()
    try:
        password = tmp_path / "password"
        password.write_text("right\n")
        password.chmod(0o600)
        daemon = make_daemon(configuration(drivers=[
            {"driver": "mqtt", "id": "open", "url": broker.url},
            {"driver": "mqtt", "id": "guarded", "url": f"mqtts://localhost:{guarded.port}", "user": "anna",
             "password-file": str(password), "ca-file": str(safe / "ca.pem")},
        ]))
        make_gateway(broker, lights=2)
        make_gateway(guarded, lights=2, user="anna", password="right", ca=safe / "ca.pem")
        for driver in ("open", "guarded"):
            wait_for_gateway(daemon, 2, driver, reachable=True, room="Hall")
        before = {key: light["aid"] for key, light in daemon.lights.items()}
        assert len(set(before.values())) == 4, "equal ids on two brokers are different lights"
        daemon.cli("lights", "set", "guarded/g1", "on=true", "brightness=40")
        until(lambda: daemon.lights["guarded/g1"].get("brightness") == 40, 5, "the light reports its state")
        assert [key for key, light in daemon.lights.items() if light["on"]] == ["guarded/g1"]
        # A lost broker makes only its own lights unreachable.
        guarded.kill()
        wait_for_gateway(daemon, 2, "guarded", reachable=False)
        wait_for_gateway(daemon, 2, "open", reachable=True)
        guarded.start()
        wait_for_gateway(daemon, 2, "guarded", timeout=RECONNECTION, reachable=True)
        assert {key: light["aid"] for key, light in daemon.lights.items()} == before
        assert "right" not in daemon.log
    finally:
        guarded.stop()
