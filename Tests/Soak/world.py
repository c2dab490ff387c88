"""The bridge and its environment on a simulated LAN, and the means to provoke failures."""

import http.client
import json
import queue
import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

from broker import Broker
from daemon import Daemon
from home import HomeDaemon
from lan import PretendLAN, end, until
from prometheus_client.parser import text_string_to_metric_families

HERE = Path(__file__).resolve().parent

SIMULATED = {"brightness": True, "color": True}
FLAKY = [
    {"id": "silent", "name": "Flaky silent", "fail": "silent"},
    {"id": "gone", "name": "Flaky gone", "fail": "unreachable"},
    {"id": "third", "name": "Flaky third", "fail": "every 3", "brightness": True},
    {"id": "late", "name": "Flaky late", "latency": "3s"},
    {"id": "slow", "name": "Flaky slow", "latency": "300ms", "brightness": True},
]
STEADY = [
    *({"id": f"watched{number}", "name": f"Watched {number}", **SIMULATED} for number in range(1, 7)),
    {"id": "watched7", "name": "Watched 7", **SIMULATED, "latency": "20ms"},
    *({"id": f"crowded{number}", "name": f"Crowded {number}", **SIMULATED} for number in range(1, 13)),
    {"id": "timed1", "name": "Timed 1"},
]
ANNEXE = [{"id": f"annexe{number}", "name": f"Annexe {number}", "brightness": True} for number in range(1, 6)]
LAMPS = 8


class Worker:
    """A program on a host that prints lines of JSON; its errors are added to `errors`."""

    def __init__(self, name, host, errors, log, *command, told=None):
        self.name, self.errors, self.lines = name, errors, queue.Queue()
        self.counts, self.leaving = {}, False
        self.process = host.popen(
            *command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=open(log, "ab"), text=True, bufsize=1)
        threading.Thread(target=self._listen, daemon=True).start()
        if told is not None:
            self.say(told)

    def _listen(self):
        for line in self.process.stdout:
            try:
                event = json.loads(line)
            except ValueError:
                event = {"error": f"unreadable: {line[:200]}", "about": self.name, "at": time.time(), "began": time.time()}
            if not isinstance(event, dict):
                self.lines.put(event)
            elif "error" in event:
                self.errors.append({"worker": self.name, **event})
            elif "counts" in event:
                self.counts = event["counts"]
            else:
                self.lines.put(event)
        self.lines.put(None)

    def say(self, value):
        self.process.stdin.write(json.dumps(value) + "\n")
        self.process.stdin.flush()

    def next(self, timeout=90):
        event = self.lines.get(timeout=timeout)
        assert event is not None, f"{self.name} has ended"
        return event

    def leave(self):
        self.leaving = True
        if self.process.poll() is None:
            self.process.stdin.write("leave\n")
            self.process.stdin.close()

    def has_died(self):
        return self.process.poll() is not None and not self.leaving

    def wait(self, timeout=60):
        try:
            return self.process.wait(timeout)
        except subprocess.TimeoutExpired:
            self.errors.append({"worker": self.name, "error": "it doesn't end on request", "about": self.name,
                                "at": time.time(), "began": time.time()})
            end(self.process)


class World:
    def __init__(self, directory):
        self.directory = directory
        self.errors, self.workers = [], []
        self.temporary, self.is_flaky_there, self.announces = 0, True, False
        self.lan = PretendLAN()
        try:
            self._build()
        except BaseException:
            self.close()
            raise

    def _build(self):
        host = self.lan.bridge
        self.broker = Broker(host, self.directory).start()
        script = "import socket; s = socket.create_server(('127.0.0.1', 0)); print(s.getsockname()[1])"
        self.metrics_port = int(host.run("python3", "-c", script).stdout)
        for name in ("bridge", "annexe", "home"):
            (self.directory / name).mkdir()
        self.bridge = Daemon(host, self.directory / "bridge", self.configuration())
        self.annexe = Daemon(host, self.directory / "annexe", {
            "bridge": {"name": "Annexe", "port": "auto"}, "drivers": [{"driver": "simulated", "lights": ANNEXE}]})
        self._home_host = self.lan.add_host("home", "10.77.0.3")
        self.home_host = self._home_host.__enter__()
        self.home = HomeDaemon(self.home_host, self.directory / "home")
        self.lamps = self.start_worker("lamps", host, "lamps.py", {"port": self.broker.port, "lamps": LAMPS, "pause": 0.5})
        self.lamps.next()
        # Start the daemons only after Avahi has claimed the host's name: earlier, they would log an unexplained warning.
        for known in (host, self.home_host):
            until(lambda: "Server startup complete" in known.avahi_log.read_text(), 20, f"{known.name} has its name", 0.2)
        for daemon in (self.bridge, self.annexe, self.home):
            daemon.start()
        self.bridge.until_stable(30)
        self.annexe.until_stable(30)
        until(lambda: sum(key.startswith("mqtt/") for key in self.bridge.lights) == LAMPS, 20, "all lamps are there", 0.2)

    def configuration(self):
        drivers = [
            {"driver": "simulated", "id": "steady", "lights": STEADY},
            {"driver": "mqtt", "url": self.broker.url, "discovery": {"home-assistant": "homeassistant"},
             "announce": self.announces},
            {"driver": "simulated", "id": "passing", "lights": [
                {"id": f"passing{number}", "name": f"Passing {number}", **SIMULATED}
                for number in range(1, 1 + self.temporary)]},
        ]
        if self.is_flaky_there:
            drivers.append({"driver": "simulated", "id": "flaky", "lights": FLAKY})
        return {"bridge": {"name": "Soak", "port": "auto"}, "drivers": drivers,
                "metrics": {"listen": f"127.0.0.1:{self.metrics_port}"}}

    def start_worker(self, name, host, script, told):
        worker = Worker(
            name, host, self.errors, self.directory / f"{name}.log", sys.executable, HERE / script, told=told)
        self.workers.append(worker)
        return worker

    # Provocations

    def kill_broker(self):
        self.broker.kill()

    def stop_broker_reading(self, seconds):
        """Stop the broker for the given number of seconds."""
        self.broker.process.send_signal(signal.SIGSTOP)
        try:
            time.sleep(seconds)
        finally:
            self.broker.process.send_signal(signal.SIGCONT)

    def start_broker(self):
        self.broker.start()

    def restart_avahi(self):
        self.lan.bridge.stop_avahi()
        time.sleep(2)
        self.lan.bridge.start_avahi()

    def restart_bus(self):
        self.lan.bridge.stop_avahi()
        self.lan.bridge.stop_bus()
        time.sleep(2)
        self.lan.bridge.start_avahi()

    def restart_annexe(self):
        """Restart the annexe's daemon, normally or after kill -9."""
        if random.random() < 0.5:
            self.annexe.restart()
        else:
            self.annexe.kill()
            self.annexe.start()

    def reload(self, temporary=None, flaky=None, announces=None):
        self.temporary = self.temporary if temporary is None else temporary
        self.is_flaky_there = self.is_flaky_there if flaky is None else flaky
        self.announces = self.announces if announces is None else announces
        self.bridge.configure(self.configuration())
        self.bridge.cli("reload", "--json")

    def flap(self):
        for _ in range(4):
            self.reload(flaky=False)
            time.sleep(0.5)
            self.reload(flaky=True)
            time.sleep(0.5)

    def change_mqtt(self):
        """Replace the MQTT driver twice, by changing its configuration."""
        for _ in range(2):
            self.reload(announces=not self.announces)
            time.sleep(2)

    def move_lamps(self, what, numbers):
        for number in numbers:
            self.lamps.say({"do": what, "lamp": number})

    def back_up(self):
        path = self.directory / "copy"
        path.unlink(missing_ok=True)
        self.bridge.cli("backup", path)

    def blink(self, reachable):
        """Make a light unreachable or reachable."""
        self.bridge.cli("simulate", "steady/watched7", f"reachable={str(reachable).lower()}")

    # Figures

    def complain(self, text, worker="soak", about="soak", began=None):
        """Add an error that a worker hasn't reported."""
        now = time.time()
        self.errors.append({"worker": worker, "error": text[:400], "about": about, "began": began or now, "at": now})

    def metrics(self):
        async def get():
            connection = http.client.HTTPConnection("127.0.0.1", self.metrics_port, timeout=10)
            connection.request("GET", "/metrics")
            return connection.getresponse().read().decode()

        samples = {}
        for family in text_string_to_metric_families(self.lan.bridge.run_async(get())):
            for sample in family.samples:
                labels = ",".join(f"{name}={value}" for name, value in sorted(sample.labels.items()) if name != "le")
                if not sample.name.endswith("_bucket"):
                    samples[f"{sample.name}{{{labels}}}" if labels else sample.name] = sample.value
        return samples

    def close(self):
        for worker in self.workers:
            end(worker.process)
        for name in ("bridge", "annexe", "home"):
            if daemon := getattr(self, name, None):
                daemon.close()
        if broker := getattr(self, "broker", None):
            broker.stop()
        if hasattr(self, "home_host"):
            self._home_host.__exit__(None, None, None)
        self.lan.close()
