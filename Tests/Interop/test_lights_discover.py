"""lamplighter devices discover finds simulated devices, and its configuration entries add their lights."""

import sys

import pytest
import yaml
from conftest import configuration
from lan import end, until
from test_esphome import KEY, MAC, Device
from test_lifx import DEVICES, Emulator
from test_wiz import Bulb


ANNOUNCE = """
import socket, sys, time
from zeroconf import ServiceInfo, Zeroconf
address, kind, name, port = sys.argv[1:]
Zeroconf(interfaces=[address]).register_service(ServiceInfo(
    f"{kind}.local.", f"{name}.{kind}.local.", int(port), server="things.local.", addresses=[socket.inet_aton(address)]))
time.sleep(3600)
"""


@pytest.fixture
def announce(lan):
    """Announce a service by mDNS on the host `phone`."""
    made = []
    yield lambda *words: made.append(lan.phone.popen(sys.executable, "-c", ANNOUNCE, lan.phone.address, *words))
    for process in made:
        end(process)


@pytest.fixture
def network(lan, tmp_path, announce):
    """The host `phone` with an encrypted ESPHome device, two LIFX lights, a wall switch, a WiZ bulb and announcements."""
    made = [Emulator(lan.phone, tmp_path, devices=[DEVICES[0], DEVICES[1], DEVICES[3]]).start(), Bulb(lan.phone)]
    device = Device(lan.phone, name="den", key=KEY)
    announce("_mqtt._tcp", "Cellar", "1884")
    announce("_nanoleafapi._tcp", "Shapes", "16021")
    yield device
    device.close()
    for peer in made:
        peer.stop()


def discover(daemon):
    found = daemon.cli("lights", "discover", "--json")
    return found, {(source["driver"], source["name"]): source for source in found["found"]}


def test_printed_configuration_entries_add_the_discovered_lights(make_daemon, network, lan, tmp_path):
    daemon = make_daemon(configuration())
    # Avahi announces a new service with a delay.
    listing, found = until(
        lambda: (result := discover(daemon)) and len(result[1]) == 6 and result, 20, "six light systems are found")
    address = lan.phone.address
    expected = {
        ("esphome", "den"): f"{address}:{network.port}", ("lifx", "Den"): f"{address}:56700",
        ("lifx", "Hall"): f"{address}:56700", ("mqtt", "Cellar"): f"{address}:1884",
        ("nanoleaf", "Shapes"): f"{address}:16021", ("wiz", "WiZ light 033D"): f"{address}:38899",
    }
    assert {key: source["address"] for key, source in found.items()} == expected
    assert {key for key, source in found.items() if source["state"] != "new"} == {("nanoleaf", "Shapes")}
    assert found["nanoleaf", "Shapes"]["state"] == "unsupported"
    assert listing["problems"] == []

    # The YAML output has the same entries as the JSON.
    text = daemon.cli("lights", "discover").stdout
    written = yaml.safe_load(text[text.index("drivers:"):])["drivers"]
    assert written == [entry["keys"] for entry in listing["entries"]]
    assert written == [
        {"driver": "esphome", "devices": {"den": {"key-file": "/etc/lamplighter/den.key"}}}, {"driver": "lifx"},
        {"driver": "mqtt", "url": f"mqtt://{address}:1884"}, {"driver": "wiz"},
    ]

    # The ESPHome device isn't usable without its key.
    settings = configuration()
    settings["drivers"] += [{"driver": "esphome"}, *written[1:]]
    daemon.configure(settings)
    daemon.cli("reload")
    listing, found = discover(daemon)
    assert {key: source["state"] for key, source in found.items() if source["state"] != "configured"} == {
        ("esphome", "den"): "incomplete", ("nanoleaf", "Shapes"): "unsupported"}
    entry, = listing["entries"]
    assert (entry["id"], entry["keys"]) == ("esphome", {"devices": written[0]["devices"]})
    assert [field["label"] for field in entry["secrets"]] == ["Encryption key of den"]

    key_file = tmp_path / "den.key"
    key_file.write_text(KEY + "\n")
    key_file.chmod(0o600)
    written[0]["devices"]["den"]["key-file"] = str(key_file)
    settings["drivers"][1] = written[0]
    daemon.configure(settings)
    daemon.cli("reload")
    keys = {f"esphome/{MAC}/dim", "lifx/d073d5000001", "lifx/d073d5000002", "wiz/a8bb5006033d"}
    until(lambda: keys <= {key for key, light in daemon.lights.items() if light["reachable"]}, 20, "their lights are added")
    listing, found = discover(daemon)
    assert {source["state"] for key, source in found.items() if key[0] != "nanoleaf"} == {"configured"}
    assert listing["entries"] == []


def test_local_broker_is_found(make_daemon, lan, tmp_path):
    settings = tmp_path / "mosquitto.conf"
    settings.write_text("listener 1883 127.0.0.1\nallow_anonymous true\n")
    process = lan.bridge.popen("mosquitto", "-c", settings)
    try:
        daemon = make_daemon(configuration())
        found = until(lambda: discover(daemon)[1].get(("mqtt", "this computer")), 20, "the broker is found")
        assert (found["address"], found["state"]) == ("127.0.0.1:1883", "new")
    finally:
        end(process)
