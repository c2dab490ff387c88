"""Accessories of Apple's HomeKitADK in a home.

Needs ADK=/folder of the kit's programs Lightbulb.MbedTLS and Lock.MbedTLS (the kit's OpenSSL variant fails with OpenSSL 3). Without
ADK, conftest skips this file.
"""

import base64
import contextlib
import hashlib
import os
import subprocess

import pytest
from home import villa
from lan import end, until

ADK = os.environ.get("ADK")
CODE, SETUP_ID = "111-22-333", "ABCD"
#: The 3072-bit group of RFC 5054, which SRP uses.
N = int.from_bytes(base64.b64decode(
    "///////////JD9qiIWjCNMTGYouA3BzRKQJOCIpnzHQCC76mOxObIlFKCHmONATd75UZs806QxswKwpt8l8UN0/hNW1tUcJF5IW1dmJefsb0TELppjft"
    "awv/XLb0Brft7jhr+1qJn6WunyQRfEsf5kkoZlHs5Fs9wgB8uKFjvwWY2kg2HFXTmmkWP6j9JM9fg2VdI9yjrZYcYvNWIIVSu57VKQdwlpZtZww1Tkq8"
    "mATxdGwIyhghfDKQXkYuNs474553LBgOhgObJ4Oi7Aeij7XFXfBvTFLJ3ivL9pVYFxg5lUl86pVq5RXSJhiY+gUQFXKOWoqqxC2tMxcNBFB6M6hVIavf"
    "HLpk7PuFBFjb7wqK6nFXXQYMfbOXD4Wm4eTHq/WujNsJM9cejJTgSiVhnc7j0iYa0u5r8S/6BtmKCGTYdgJzPshqZFIfKxgXeyAMu+EXV3phXWx3CYjA"
    "utlG4gjiT6B05asxQ9tb/OD9EI5LgtEgqTrSyv//////////"))


class Accessory:
    """A program of the kit on a host. Like a manufactured device, it has a verifier of its setup code instead of the code."""

    def __init__(self, host, directory, name):
        store = directory / ".HomeKitStore"
        store.mkdir(parents=True)
        salt = bytes(range(16))
        x = hashlib.sha512(salt + hashlib.sha512(f"Pair-Setup:{CODE}".encode()).digest()).digest()
        verifier = pow(5, int.from_bytes(x), N).to_bytes(384)
        (store / "40.10").write_bytes(salt + verifier)
        (store / "40.11").write_bytes(SETUP_ID.encode() + b"\0")
        self.host, self.directory, self.name = host, directory, name
        self.start()

    def start(self):
        """Start the program, and retry: it ends at once while Avahi is still choosing the host's name."""
        until(self._registers, 20, "it is registered with Avahi", interval=0.5)

    def _registers(self):
        before = len(self.log)
        with open(self.directory / "log", "ab") as log:
            self.process = self.host.popen(
                "env", "-C", self.directory, f"{ADK}/{self.name}.MbedTLS", stdout=log, stderr=subprocess.STDOUT)
        until(lambda: "txtRecord[7]" in self.log[before:] or self.process.poll() is not None, 5, "it registers")
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(1)
        return self.process.poll() is None

    @property
    def log(self):
        path = self.directory / "log"
        return path.read_text(errors="replace") if path.exists() else ""

    def close(self):
        end(self.process)


@pytest.fixture
def home(lan, tmp_path):
    with villa(lan, tmp_path / "home") as made:
        yield made


@pytest.fixture(params=["Lightbulb", "Lock"])
def accessory(lan, tmp_path, request):
    made = Accessory(lan.bridge, tmp_path / request.param, request.param)
    yield made
    made.close()


def read(home, target, word):
    return home.cli("read", target, word, "--json")[0]["value"]


def test_adk_accessory_is_added_controlled_restarted_and_removed(home, accessory):
    added = until(
        lambda: isinstance(done := home.add(CODE, "Acme", "--json", check=False), list) and done,
        60, "it is added", interval=1)
    name = added[0]["name"]
    print(home.cli("show", name).stdout)
    if accessory.name == "Lightbulb":
        for state in (True, False):
            home.cli("write", name, f"on={'true' if state else 'false'}")
            assert read(home, name, "on") is state
    else:
        home.cli("write", name, "lock-target-state=secured")
        # The sample has no bolt, so the current state doesn't follow.
        assert read(home, name, "lock-target-state") == 1
    accessory.close()
    until(lambda: home.cli("read", name, "name", check=False).returncode != 0, 30, "it is unreachable")
    accessory.start()
    until(lambda: home.cli("read", name, "name", check=False).returncode == 0, 60, "it is reachable again", interval=0.5)
    removed = home.cli("remove", name, "--yes")
    assert "reset" not in removed.stdout + removed.stderr, removed
    # The accessory is unpaired and advertises that.
    again = until(
        lambda: isinstance(done := home.add(CODE, "Acme", "--json", check=False), list) and done,
        60, "it is added again", interval=1)
    assert again[0]["name"] == name
