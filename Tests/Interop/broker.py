"""A real MQTT broker."""

import socket
import threading

from lan import end, until
from paho.mqtt import publish


class Broker:
    """mosquitto on a free port of a host. Programs on that host connect to 127.0.0.1, others to the host's address."""

    def __init__(self, host, directory):
        self.host = host
        self.directory = directory
        self.process = None
        self.port = self._free_port()
        self.configuration = directory / "mosquitto.conf"
        self.configuration.write_text(f"listener {self.port} 0.0.0.0\nallow_anonymous true\nset_tcp_nodelay true\n")

    @property
    def url(self):
        return f"mqtt://127.0.0.1:{self.port}"

    def start(self):
        with open(self.directory / "mosquitto.log", "ab") as log:
            self.process = self.host.popen("mosquitto", "-c", self.configuration, stdout=log, stderr=log)
        until(self._answers, 10, "mosquitto answers")
        return self

    def stop(self):
        if self.process:
            end(self.process)

    def kill(self):
        self.process.kill()
        self.process.wait()

    def restart(self):
        self.stop()
        return self.start()

    def publish(self, messages):
        """Publish retained messages; the keys are the topics."""
        self._on_network(lambda: publish.multiple(
            [{"topic": topic, "payload": payload, "retain": True} for topic, payload in messages.items()],
            hostname="127.0.0.1", port=self.port))

    def _free_port(self):
        return self._on_network(self._bind)

    def _answers(self):
        assert self.process.poll() is None, (self.directory / "mosquitto.log").read_text()
        return self._on_network(self._connect)

    def _bind(self):
        with socket.socket() as probe:
            probe.bind(("0.0.0.0", 0))
            return probe.getsockname()[1]

    def _connect(self):
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self.port)) == 0

    def _on_network(self, body):
        result = []

        def enter():
            self.host.enter_network()
            result.append(body())

        thread = threading.Thread(target=enter)
        thread.start()
        thread.join()
        return result[0]
