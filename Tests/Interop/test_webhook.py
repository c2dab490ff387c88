"""The webhook for notifications of automations, with an HTTP server that answers, fails, hangs and floods."""

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest
from home import hub, make_home  # noqa: F401 (fixtures)
from lan import PATIENCE, until
from talker import Talker

RECEIVER = Path(__file__).parent / "webhook_receiver.py"


class Receiver(Talker):
    """The server, on the host of the hub."""

    def __init__(self, host, directory, *certificate, port=0):
        super().__init__(host, directory / "receiver.log", sys.executable, RECEIVER, port, *certificate)
        self.port = self.until(lambda line: "port" in line)["port"]

    def behave(self, *behaviors):
        self.say(behaviors)
        self.until(lambda line: "behaviors" in line)

    def request(self, timeout=20):
        """Return the next request."""
        return self.until(lambda line: "path" in line, timeout)


@pytest.fixture
def make_receiver(hub, tmp_path):
    """Start servers."""
    made = []

    def make(*certificate, port=0):
        made.append(Receiver(hub, tmp_path, *certificate, port=port))
        return made[-1]

    yield make
    for receiver in made:
        receiver.close()


def secret(directory, name, text):
    path = directory / name
    path.write_text(text + "\n")
    path.chmod(0o600)
    return path


@pytest.fixture
def make_sender(make_home):
    """Start a hub with the given section, and an automation that sends a text."""
    def make(section):
        home = make_home(json.dumps({"notify-webhook": section}))
        home.cli("homes", "add", "My House")
        home.cli("automations", "add", "Window", "--every", "2h", "--notify", "The \"window\" is open")
        return home

    return make


def send(home):
    home.cli("automations", "run", "Window")


def failures(home):
    return [line for line in home.log.splitlines() if "notify webhook failed" in line]


def test_text_is_delivered_once_as_json_and_no_secret_is_logged(make_receiver, make_sender, tmp_path):
    receiver = make_receiver()
    url = secret(tmp_path, "url", f"http://localhost:{receiver.port}/hook/s3cret-path?key=s3cret-key")
    token = secret(tmp_path, "token", "s3cret-token")
    home = make_sender({"url-file": str(url), "token-file": str(token)})
    send(home)
    request = receiver.request()
    assert request["path"] == "/hook/s3cret-path?key=s3cret-key"
    assert request["headers"]["Authorization"] == "Bearer s3cret-token"
    assert request["headers"]["Host"] == f"localhost:{receiver.port}"
    assert request["headers"]["Content-Type"] == "application/json"
    body = json.loads(request["body"])
    assert abs(time.mktime(time.strptime(body.pop("time")[:19], "%Y-%m-%dT%H:%M:%S")) - time.timezone - time.time()) < 60
    assert body == {"home": "My House", "automation": "Window", "text": "The \"window\" is open"}
    # A changed secret applies to the next text. A restart doesn't send earlier texts again.
    secret(tmp_path, "token", "s3cret-other")
    home.terminate()
    home.start()
    send(home)
    assert receiver.request()["headers"]["Authorization"] == "Bearer s3cret-other"
    # A text that is permanently refused is sent once.
    receiver.behave("404")
    send(home)
    receiver.request()
    until(lambda: failures(home), 10, "the failure is logged")
    assert "status 404" in failures(home)[0] and "host=localhost" in failures(home)[0]
    token.chmod(0o644)
    send(home)
    until(lambda: len(failures(home)) == 2, 10, "the open file is reported")
    assert "token-file" in failures(home)[1] and "chmod o=" in failures(home)[1]
    token.chmod(0o600)
    send(home)
    assert receiver.request()["behavior"] == "200", "the refused texts aren't sent again"
    home.terminate()
    assert "s3cret" not in home.log


def test_configured_body_and_header_are_sent(make_receiver, make_sender, tmp_path):
    receiver = make_receiver()
    home = make_sender({
        "url": f"http://127.0.0.1:{receiver.port}/message", "token-header": "X-Gotify-Key",
        "token-file": str(secret(tmp_path, "token", "app-token")),
        "body": {"title": "{home}: {automation}", "message": "{text}", "priority": 5}})
    send(home)
    request = receiver.request()
    assert request["headers"]["X-Gotify-Key"] == "app-token" and "Authorization" not in request["headers"]
    assert json.loads(request["body"]) == {
        "title": "My House: Window", "message": "The \"window\" is open", "priority": 5}


def test_failed_delivery_is_retried_and_never_blocks_the_hub(make_receiver, make_sender):
    receiver = make_receiver()
    home = make_sender({"url": f"http://127.0.0.1:{receiver.port}/x"})
    receiver.behave("503", "hang up", "nonsense", "200")
    send(home)
    assert [receiver.request(30)["behavior"] for _ in range(4)] == ["503", "hang up", "nonsense", "200"]
    assert not failures(home)
    # The hub reads neither a long body nor a long head.
    receiver.behave("endless", "200")
    send(home)
    receiver.until(lambda line: line["behavior"] == "flood refused")
    receiver.behave("endless head", "200")
    send(home)
    receiver.until(lambda line: line["behavior"] == "flood refused")
    receiver.request()
    assert not failures(home)
    # A redirect isn't followed, because that would send the token to another server.
    receiver.behave("302")
    send(home)
    assert receiver.request()["path"] == "/x"
    until(lambda: failures(home), 10, "the redirection is reported")
    assert "it redirects" in failures(home)[0]
    # Automations and commands don't wait for a receiver that doesn't answer.
    receiver.behave("hang")
    send(home)
    receiver.request()
    started = time.monotonic()
    home.cli("automations", "add", "Many", "--every", "2h", *["--notify", "Text"] * 23)
    home.cli("automations", "run", "Many")
    until(lambda: "ran" in home.cli("automations", "history", "Many").stdout, 5, "the run is over")
    assert time.monotonic() - started < 10 * PATIENCE
    until(lambda: "notifications dropped" in home.log, 30, "dropped texts are reported")
    assert "count=3" in home.log
    assert [receiver.request(30)["behavior"] for _ in range(21)] == ["200"] * 21, "the first text and 20 pending texts"
    # A receiver that is unavailable gets the text once it is available again.
    receiver.close()
    send(home)
    again = make_receiver(port=receiver.port)
    again.request(30)
    # The hub's shutdown doesn't wait for it either.
    again.behave("hang")
    send(home)
    again.request()
    started = time.monotonic()
    assert home.terminate() == 0
    assert time.monotonic() - started < 5 * PATIENCE


def certify(directory, name):
    subprocess.run(
        ["openssl", "req", "-x509", "-nodes", "-newkey", "rsa:2048", "-days", "2", "-subj", "/CN=Receiver",
         "-addext", f"subjectAltName={name}", "-keyout", directory / "key.pem", "-out", directory / "certificate.pem"],
        check=True, capture_output=True)
    return directory / "certificate.pem", directory / "key.pem"


@pytest.mark.parametrize(
    ("name", "host", "is_known", "reason"),
    [
        ("DNS:localhost", "localhost", True, None), ("IP:127.0.0.1", "127.0.0.1", True, None),
        ("DNS:other.example", "localhost", True, "certificate is for a different host"),
        ("DNS:localhost", "localhost", False, "certificate isn't trusted"),
    ])
def test_certificate_is_verified(make_receiver, make_sender, tmp_path, name, host, is_known, reason):
    certificate, key = certify(tmp_path, name)
    receiver = make_receiver(certificate, key)
    section = {"url": f"https://{host}:{receiver.port}/x"} | ({"ca-file": str(certificate)} if is_known else {})
    home = make_sender(section)
    send(home)
    if reason is None:
        assert receiver.request()["path"] == "/x"
        return
    until(lambda: failures(home), 100, "the failure is reported")
    assert reason in failures(home)[0], failures(home)
    assert not any("path" in line for line in receiver.received), "nothing is sent before the certificate is verified"
