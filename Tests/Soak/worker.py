"""The common code of the soak's workers, which read their task from one line and print their results as lines.

A worker prints `{"error": ..., "about": ..., "at": ...}` for each error, and `{"counts": {...}}` when it ends. It ends at the end
of its standard input, or when it reads the line `leave` there.
"""

import json
import sys
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "Interop"))

import hap  # noqa: E402
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey  # noqa: E402

_lock = threading.Lock()
_counts = {}
#: Set when the worker must end.
leaving = threading.Event()


def say(**event):
    with _lock:
        print(json.dumps(event), flush=True)


def error(text, about="", began=None):
    """Report an error and its subject: the name of a light or of a job."""
    now = time.time()
    count("errors")
    say(error=str(text)[:400], about=about, at=now, began=began or now)


def count(name, number=1):
    with _lock:
        _counts[name] = _counts.get(name, 0) + number


def instructions():
    """Return the task from the first line of standard input; the only other line is the request to end."""
    told = json.loads(sys.stdin.readline())

    def listen():
        for line in sys.stdin:
            if line.strip() == "leave":
                break
        leaving.set()

    threading.Thread(target=listen, daemon=True).start()
    return told


def credentials(told):
    """Return the worker's identity, and the bridge's id and public key, for hap.py."""
    me = hap.Identity()
    me.id, me.key = told["identity"]["id"].encode(), Ed25519PrivateKey.from_private_bytes(
        bytes.fromhex(told["identity"]["secret"]))
    return me, hap.Accessory(told["id"].encode(), bytes.fromhex(told["public"]))


def finish(**more):
    with _lock:
        counts = dict(_counts)
    say(counts={**counts, **more})


class Delays:
    """Durations of an operation."""

    def __init__(self):
        self.seconds = []

    def add(self, seconds):
        self.seconds.append(seconds)

    def summary(self, name):
        if not self.seconds:
            return {}
        ordered = sorted(self.seconds)
        at = lambda share: round(ordered[min(int(len(ordered) * share), len(ordered) - 1)] * 1000, 1)  # noqa: E731
        return {f"{name}_p50_ms": at(0.5), f"{name}_p99_ms": at(0.99), f"{name}_max_ms": at(1)}
