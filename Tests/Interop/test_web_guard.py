"""Attacks on the page: other origins, names, wrong tokens and floods."""

import asyncio
import contextlib
import re
import resource
import socket
import stat
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from daemon import program
from home import HomeDaemon
from lan import PATIENCE, end, until
from python_kinds import CODE, DEVICE
from talker import Talker
from web import Page, browser, fetch

LAMP = """
name: Desk Lamp
code: 466-37-726
services:
  - type: Lightbulb
    characteristics:
      On: false
      Brightness: 30
"""


@pytest.fixture(scope="module")
def house(lan, tmp_path_factory):
    """The hub with one lamp of hapsim and the page on an address of the network."""
    directory = tmp_path_factory.mktemp("guard")
    with lan.add_host("guard", "10.77.0.32") as host:
        home = HomeDaemon(host, directory / "home").start()
        (directory / "lamp.yaml").write_text(LAMP)
        lamp = host.popen(program("hapsim"), directory / "lamp.yaml", "--state-directory", directory / "lamp")
        page = Page(host, home, directory / "page", "--name", "home.example", listen="0.0.0.0:0").start()
        try:
            home.cli("homes", "add", "Villa")
            until(lambda: home.add("466-37-726", "Desk Lamp", check=False).returncode == 0, 60,
                  "the lamp is added")
            yield House(host, home, page)
        finally:
            page.close()
            home.close()
            lamp.terminate()


class House:
    def __init__(self, host, home, page):
        self.host, self.home, self.page = host, home, page
        (lamp,) = home.cli("accessories", "--json")
        shown = home.cli("show", "Desk Lamp", "--json")
        self.accessory = lamp["id"]
        (self.service,) = [one["id"] for one in shown["services"] if "Lightbulb" in one.get("kind", one.get("typeName", "Lightbulb"))
                           and any(value["name"] == "on" for value in one["characteristics"])]
        (self.on,) = [value["id"] for one in shown["services"] for value in one["characteristics"] if value["name"] == "on"]
        port = page.address.rstrip("/").rsplit(":", 1)[1]
        self.local, self.outside = f"http://127.0.0.1:{port}", f"http://{host.address}:{port}"
        self.port = int(port)

    @property
    def values(self):
        return f"/services/{self.service}/values"

    def is_on(self):
        return self.home.cli("read", "Desk Lamp", "on").stdout.strip() == "yes"

    def switch(self, value, address=None, **options):
        return fetch(self.host, address or self.local, self.values, "POST", {self.on: value}, token=self.page.token, **options)


def answer(house, request, timeout=5):
    """Return the page's response to raw bytes."""
    def talk():
        with socket.create_connection(("127.0.0.1", house.port), timeout) as connection:
            connection.sendall(request)
            received = b""
            try:
                while chunk := connection.recv(65536):
                    received += chunk
            except (TimeoutError, ConnectionError):
                pass
            return received
    return house.host.run_async(asyncio.to_thread(talk), timeout=timeout + 10)


def test_network_and_proxied_visitors_need_a_token(house):
    for address, headers in ((house.outside, {}), (house.local, {"X-Forwarded-For": "192.0.2.1"})):
        status, fields, body = fetch(house.host, address, headers=headers)
        assert status == 303 and fields["location"] == "/enter" and "Desk Lamp" not in body
        status, _, body = fetch(house.host, address, "/live?page=/", headers=headers)
        assert status == 401 and "Desk Lamp" not in body
        status, _, body = fetch(house.host, address, house.values, "POST", {house.on: "true"}, headers=headers)
        assert status == 401
    assert not house.is_on()
    status, _, body = fetch(house.host, house.outside, token=house.page.token)
    assert status == 200 and "Desk Lamp" in body


def test_rejected_form_is_shown_again_only_on_a_page(house):
    process = house.page.process.pid
    for path in ("/live?page=/", "/live", "/assets/icons.svg", "/nowhere", "//example.org/"):
        status, fields, _ = fetch(house.host, house.local, "/services/nothing/values", "POST", {house.on: "true", "kept-page": path})
        assert status == 404 and fields["content-type"].startswith("text/html"), path
    assert house.page.process.poll() is None and house.page.process.pid == process
    assert fetch(house.host, house.local)[0] == 200


def test_sign_in_link_uses_the_configured_name_or_the_hosts_address(house, tmp_path):
    assert house.page.address == f"http://home.example:{house.port}/", "under the configured name"
    page = Page(house.host, house.home, tmp_path / "page", listen="0.0.0.0:0")
    try:
        page.start(allowed=False)
        assert page.address.startswith(f"http://{house.host.address}:"), page.address
    finally:
        page.close()


def test_sign_in_link_uses_the_hosts_address_without_netlink(house, tmp_path):
    process = house.host.popen(
        sys.executable, Path(__file__).parent / "without_netlink.py", program("homeweb"), "--listen", "0.0.0.0:0",
        "--state-directory", tmp_path / "page", "--socket", house.home.socket, stderr=subprocess.DEVNULL)
    try:
        people = tmp_path / "page" / "people.json"
        until(lambda: people.exists() and f"http://{house.host.address}:" in people.read_text(), 10, "an address of the network")
        assert people.parent.stat().st_mode & 0o777 == 0o700 and people.stat().st_mode & 0o777 == 0o600
    finally:
        end(process)


def test_error_names_the_address_that_is_in_use(house, tmp_path):
    done = subprocess.run(house.host.inside(
        program("homeweb"), "--listen", f"127.0.0.1:{house.port}", "--state-directory", tmp_path / "page"),
        capture_output=True, text=True, timeout=20)
    assert done.returncode == 69 and f"can't listen on 127.0.0.1:{house.port}" in done.stderr, (done.returncode, done.stderr)


def test_token_is_exchanged_for_a_strict_http_only_cookie(house):
    token = house.page.token
    typed = " ".join(token.upper()[at:at + 5] for at in range(0, len(token), 5))
    status, fields, _ = fetch(house.host, house.outside, "/enter", "POST", {"token": typed})
    assert status == 303 and fields["location"] == "/"
    cookie = fields["set-cookie"].lower()
    assert "httponly" in cookie and "samesite=strict" in cookie and "path=/" in cookie
    assert token not in house.page.log
    # Each visit extends it by ninety days.
    _, visited, _ = fetch(house.host, house.outside, token=token)
    assert "max-age=7776000" in cookie and set(visited["set-cookie"].lower().split("; ")) == set(cookie.split("; "))


@pytest.mark.parametrize("name, status", [
    ("evil.example", 421), ("home.example.evil.example", 421), ("", 400), ("localhost", 200), ("127.0.0.1", 200),
    ("home.example", 200), ("HOME.EXAMPLE", 200), ("[::1]", 200), ("guard", 200), ("guard.local", 200),
])
def test_requests_with_other_host_names_are_rejected(house, name, status):
    got = fetch(house.host, house.local, headers={"Host": f"{name}:{house.port}" if name else ""}, token=house.page.token)
    assert got[0] in (status, 421) if not name else got[0] == status, got
    if status != 200:
        assert "Desk Lamp" not in got[2]


@pytest.mark.parametrize("origin", ["", "null", "http://evil.example", "https://127.0.0.1", "http://127.0.0.1:1", "http://127.0.0.1"])
def test_changes_from_other_origins_are_rejected(house, origin):
    assert house.switch("true", headers={"Origin": origin})[0] == 403
    assert not house.is_on()


def test_people_are_invited_and_removed(house, tmp_path):
    def web(*words):
        return house.home.cli("web", "--state-directory", house.page.state_directory, *words, "--json")

    guest = web("--invite", "Anna", "--guest")
    assert guest["role"] == "guest" and guest["link"].endswith("enter#" + guest["token"])
    token = guest["token"]
    status, _, body = fetch(house.host, house.outside, token=token)
    assert status == 200 and "Desk Lamp" in body and 'href="/add"' not in body
    for value in ("true", "false"):
        assert fetch(house.host, house.outside, house.values, "POST", {house.on: value}, token=token)[0] == 303
        assert house.is_on() == (value == "true")
    _, _, history = fetch(house.host, house.outside, "/activity", token=house.page.token)
    assert "by Anna" in history
    for path in ("/rooms", "/names", "/add", "/privacy", "/bridge", "/bridge/1.svg", f"/accessories/{house.accessory}/remove"):
        assert fetch(house.host, house.outside, path, token=token)[0] in (403, 404), path
    with browser(house.host, tmp_path) as chromium:
        # The link also works in a tab that shows the form already.
        visitor = chromium.open(house.outside, "/enter")
        visitor.page.evaluate("link => location.assign(link)", f"{house.outside}/enter#{token}")
        visitor.until_text("Desk Lamp")
        assert token not in visitor.page.url
        house.home.cli("web", "--state-directory", house.page.state_directory, "--withdraw", "Anna")
        visitor.until_text("Sign in", timeout=5)
    assert fetch(house.host, house.outside, token=token)[0] == 303
    old = house.page.token
    assert web("--new-token")["token"] == house.page.token != old
    assert fetch(house.host, house.outside, token=old)[0] == 303


def test_malformed_requests_are_rejected_without_harm(house):
    host = f"Host: 127.0.0.1:{house.port}\r\n".encode()
    for path in ("/assets/../../../../etc/passwd", "/assets/%2e%2e/%2e%2e/etc/passwd", "/assets/..%2f..%2fetc%2fpasswd", "/../etc/passwd",
                 "/assets/style.css/..", "/services/%00", "/%ff%fe", "/services/" + "a" * 4000, "/?home=%zz", "//", "/.", "/services/../more"):
        status, _, body = fetch(house.host, house.local, path)
        assert status < 500 and "root:" not in body, (path, status)
    form = b"Content-Type: application/x-www-form-urlencoded\r\nOrigin: " + house.local.encode() + b"\r\n"
    values = house.values.encode()
    requests = [
        b"GET / HTTP/1.1\r\n" + host + b"X: " + b"a" * 100_000 + b"\r\n\r\n",
        b"GET / HTTP/1.1\r\n" + host + b"".join(b"X-%d: a\r\n" % number for number in range(5000)) + b"\r\n",
        b"POST " + values + b" HTTP/1.1\r\n" + host + form + b"Content-Length: 200000\r\n\r\n" + b"a" * 200_000,
        b"POST " + values + b" HTTP/1.1\r\n" + host + form + b"Transfer-Encoding: chunked\r\n\r\nZZ\r\nx\r\n0\r\n\r\n",
        b"POST " + values + b" HTTP/1.1\r\n" + host + form + b"Content-Length: 4\r\n\r\n\xff\xfe=\x00",
        b"POST " + values + b" HTTP/1.1\r\n" + host + form + b"Content-Length: 60000\r\n\r\n" + b"a=b&" * 15_000,
        b"POST " + values + b" HTTP/1.1\r\n" + host + b"Origin: " + house.local.encode() + b"\r\nContent-Type: text/plain\r\nContent-Length: 3\r\n\r\na=b",
        b"GET /\r\n\r\n", b"\x16\x03\x01\x02\x00\x01\x00", b"\x00" * 1000, b"GET / HTTP/9.9\r\n\r\n", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"GET / HTTP/1.1\r\n\r\n", b"GET http://evil.example/ HTTP/1.1\r\n" + host + b"\r\n",
    ]
    for request in requests:
        received = answer(house, request, timeout=2)
        first = received.split(b"\r\n", 1)[0]
        assert not first or b" 4" in first or b" 200" in first or b" 303" in first, (request[:80], first)
    assert not house.is_on()
    assert fetch(house.host, house.local)[0] == 200
    assert house.page.process.poll() is None and "request failed" not in house.page.log


def test_response_to_head_has_no_body(house):
    for path in ("/", "/enter", "/nothing", "/assets/script.js"):
        received = answer(house, (f"HEAD {path} HTTP/1.1\r\nHost: 127.0.0.1:{house.port}\r\nConnection: close\r\n"
                                  f"Cookie: lamplighter={house.page.token}\r\n\r\n").encode())
        assert received.startswith(b"HTTP/1.1 ") and received.endswith(b"\r\n\r\n") and received.count(b"\r\n\r\n") == 1, path


@contextlib.contextmanager
def open_files(count):
    """Temporarily raise this process's limit of open files, which is usually 1024."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(count, hard)), hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@pytest.mark.long
@pytest.mark.alone
def test_ten_thousand_event_streams_block_no_visitor(house):
    pid = house.page.process.pid

    def descriptors():
        return len(list(Path(f"/proc/{pid}/fd").iterdir()))

    def memory():
        text = Path(f"/proc/{pid}/status").read_text()
        return int(text.split("VmRSS:")[1].split()[0]) / 1024

    before, memory_before = descriptors(), memory()
    times = []

    async def flood():
        listeners, statuses, silent = [], [], []
        try:
            for _ in range(200):
                reader, writer = await asyncio.open_connection("127.0.0.1", house.port)
                writer.write(f"GET /live?page=/ HTTP/1.1\r\nHost: 127.0.0.1:{house.port}\r\n\r\n".encode())
                statuses.append(int((await asyncio.wait_for(reader.read(64), 10)).split()[1]))
                listeners.append(writer)
            assert statuses.count(200) == 64 and statuses.count(503) == 136, {one: statuses.count(one) for one in set(statuses)}
            # A connection from another visitor replaces one of the visitor with the most connections.
            reader, writer = await asyncio.open_connection(house.host.address, house.port)
            listeners.append(writer)
            writer.write((f"GET /live?page=/ HTTP/1.1\r\nHost: {house.host.address}:{house.port}\r\n"
                          f"Cookie: lamplighter={house.page.token}\r\n\r\n").encode())
            assert b" 200 " in await asyncio.wait_for(reader.read(16), 10)
            for number in range(10_000):
                try:
                    silent.append((await asyncio.wait_for(asyncio.open_connection("127.0.0.1", house.port), 5))[1])
                except OSError:
                    break
                if number % 500 == 0:
                    began = asyncio.get_running_loop().time()
                    reader, writer = await asyncio.open_connection("127.0.0.1", house.port)
                    writer.write((f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{house.port}\r\nConnection: close\r\n"
                                  f"Cookie: lamplighter={house.page.token}\r\n\r\n").encode())
                    body = await asyncio.wait_for(reader.read(-1), 10)
                    assert b" 200 " in body[:20] and b"Desk Lamp" in body
                    times.append(asyncio.get_running_loop().time() - began)
                    writer.close()
            return len(silent)
        finally:
            for writer in listeners + silent:
                writer.close()

    with open_files(12_000):
        opened = house.host.run_async(flood(), timeout=120)
    assert opened > 9_000
    times.sort()
    print(f"with up to {opened} connections a page took {times[len(times) // 2] * 1000:.0f} ms, "
          f"the slowest of {len(times)} {times[-1] * 1000:.0f} ms")
    # A blocked visitor would wait until another connection times out.
    assert times[len(times) // 2] < 1 * PATIENCE and times[-1] < 5 * PATIENCE, times
    until(lambda: descriptors() <= before + 20, 20, f"{before} descriptors as before")
    assert memory() < memory_before + 60, (memory_before, memory())
    assert fetch(house.host, house.local)[0] == 200


@pytest.fixture(scope="module")
def encrypted(house, tmp_path_factory):
    """The page with a certificate."""
    directory = tmp_path_factory.mktemp("encrypted")
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=home.example", "-keyout",
         directory / "key.pem", "-out", directory / "cert.pem"], check=True, capture_output=True)
    page = Page(house.host, house.home, directory / "page", "--certificate", directory / "cert.pem", "--key", directory / "key.pem",
                "--require-token")
    try:
        yield page.start(allowed=False)
    finally:
        page.close()


@pytest.mark.parametrize("version, ciphers, isAccepted", [
    ("-tls1_3", "ALL", True), ("-tls1_2", "ECDHE+AESGCM", True), ("-tls1_2", "ECDHE+CHACHA20", True),
    ("-tls1_2", "ECDHE:!AESGCM:!CHACHA20", False), ("-tls1_2", "kRSA", False), ("-tls1_1", "ALL", False), ("-tls1", "ALL", False),
])
def test_tls_requires_version_1_2_and_forward_secrecy(house, encrypted, version, ciphers, isAccepted):
    done = subprocess.run(
        house.host.inside("openssl", "s_client", "-connect", encrypted.listen, version, "-cipher", f"{ciphers}:@SECLEVEL=0"),
        input=b"", capture_output=True, timeout=20)
    assert (done.returncode == 0) == isAccepted, (done.stdout[-500:], done.stderr[-500:])


def test_page_with_a_certificate_uses_https(house, encrypted, tmp_path):
    page = encrypted
    assert page.address.startswith("https://")
    command = house.host.inside(
        "curl", "-sik", "-H", f"Origin: {page.address.rstrip('/')}", "--data", f"token={page.token}", page.address + "enter")
    said = subprocess.run(command, capture_output=True, text=True).stdout.lower()
    assert " 303" in said and "secure" in said.split("set-cookie:")[1].split("\n")[0] and "strict-transport-security" in said
    said = subprocess.run(house.host.inside("curl", "-sik", page.address), capture_output=True, text=True).stdout.lower()
    assert " 303" in said and "location: /enter" in said, "also on this computer"
    (tmp_path / "cert.pem").write_text("nothing")
    (tmp_path / "key.pem").write_text("nothing")
    done = subprocess.run(house.host.inside(
        program("homeweb"), "--listen", "127.0.0.1:0", "--state-directory", tmp_path / "page", "--certificate", tmp_path / "cert.pem",
        "--key", tmp_path / "key.pem"), capture_output=True, text=True, timeout=20)
    assert done.returncode == 66 and "cert.pem" in done.stderr, (done.returncode, done.stderr)


def test_command_encrypts_the_page_with_its_own_certificate(house, tmp_path):
    page = Page(house.host, house.home, tmp_path / "page", "--require-token", listen=f"{house.host.address}:0").start(allowed=False)
    certificate = tmp_path / "page/https.pem"

    def command(option, code=0):
        done = subprocess.run(house.host.inside(
            program("homehub"), "web", option, "--state-directory", tmp_path / "page"), capture_output=True, text=True, timeout=30)
        assert done.returncode == code and not done.stdout, done
        if not code:
            assert "restart homeweb" in done.stderr
            page.terminate()
            page.start(allowed=False)
        return done.stderr

    def headers():
        trusted = ["--cacert", certificate] if certificate.exists() else []
        done = subprocess.run(house.host.inside("curl", "-siS", *trusted, page.address), capture_output=True, text=True, timeout=20)
        assert "location: /enter" in done.stdout.lower(), done
        return done.stdout.lower()

    try:
        with browser(house.host, tmp_path, "--ignore-certificate-errors") as chromium:
            visitor = chromium.open(page.address, f"/enter#{page.token}")
            for option, scheme in ("--https", "https"), ("--https", "https"), ("--no-https", "http"):
                visitor.until_text("Desk Lamp")
                former = certificate.read_text() if certificate.exists() else ""
                notes = command(option)
                assert page.address.startswith(f"{scheme}://{house.host.address}:")
                assert "strict-transport-security" not in headers(), "the page can return to HTTP"
                if option == "--https":
                    assert stat.S_IMODE(certificate.stat().st_mode) == 0o600 and certificate.read_text() != former
                    shown = subprocess.run(
                        ["openssl", "x509", "-in", certificate, "-noout", "-fingerprint", "-sha256"], capture_output=True, text=True)
                    assert shown.stdout.split("=")[1].strip() in notes
                visitor.address = page.address.rstrip("/")
                visitor.go(f"/enter#{page.token}")
            visitor.until_text("Desk Lamp")
        assert not certificate.exists()
        # Another certificate or a proxy encrypts the page.
        page.terminate()
        page.options += ["--name", "https://home.example"]
        page.start(allowed=False)
        assert "uses HTTPS with a proxy" in command("--https", 64)
    finally:
        page.close()


def test_damaged_people_file_admits_no_token(house):
    path = house.page.state_directory / "people.json"
    token, whole = house.page.token, path.read_text()
    path.write_text("{")
    try:
        assert fetch(house.host, house.outside, token=token)[0] == 303
        until(lambda: "people unreadable" in house.page.log, 5, "the log reports it")
        assert path.read_text() == "{"
    finally:
        path.write_text(whole)
    assert fetch(house.host, house.outside, token=token)[0] == 200


# These tests use a bridge that reports writes. The tests above count accessories.

@pytest.fixture(scope="module")
def bridge(house, lan, tmp_path_factory):
    directory = tmp_path_factory.mktemp("guard-bridge")
    made = Talker(
        lan.phone, directory / "bridge.log", sys.executable, Path(__file__).parent / "python_kinds.py", lan.phone.address,
        51846, directory / "bridge.state")
    try:
        made.until(lambda line: "ready" in line, 40)
        house.home.add(CODE, DEVICE)
        yield Bridge(house, made)
    finally:
        made.close()


class Bridge:
    def __init__(self, house, talker):
        self.house, self.talker, self.mark = house, talker, 20
        shown = house.home.cli("show", "The Lightbulb", "--json")
        (self.service, self.on, self.brightness), = [
            (one["id"], values["on"], values["brightness"]) for one in shown["services"]
            if "on" in (values := {value["name"]: value["id"] for value in one["characteristics"]})]
        self.accessory = shown["id"]
        self.values = f"/services/{self.service}/values"

    def received_nothing(self):
        """Check that the bridge receives no other write before ours."""
        self.mark += 1
        self.house.home.cli("write", "The Lightbulb", f"brightness={self.mark}")
        told = self.talker.until(lambda line: "wrote" in line)["wrote"]
        assert told[0] == "The Lightbulb" and told[2] == self.mark, told

    @property
    def changes(self):
        """Return the paths that only owners can use."""
        accessory, service, some = self.accessory, self.service, "00000000-0000-4000-8000-000000000000"
        return (
            [f"/accessories/{accessory}/{what}" for what in ("name", "room", "identify", "unblock", "pair", "remove")]
            + [f"/services/{service}/{what}" for what in ("name", "favorite", "kind")]
            + [f"/homes/{some}/{what}" for what in ("name", "rooms", "zones")]
            + [f"/rooms/{some}/name", f"/rooms/{some}/remove", f"/zones/{some}/rooms", f"/zones/{some}/remove"]
            + ["/homes", "/add", f"/add/{some}", "/privacy"])


def lists(house):
    return [house.home.cli(what, "--json") for what in ("homes", "rooms")] + [
        sorted(one["name"] for one in house.home.cli("accessories", "--json"))]


@pytest.mark.parametrize("is_same_site", [True, False])
def test_page_of_another_origin_can_neither_read_nor_write(house, bridge, lan, tmp_path, is_same_site):
    """Tests a page of the same host on another port, for which SameSite cookies are sent, and a page of another host."""
    attacker, changes = (house.host, []) if is_same_site else (lan.phone, bridge.changes)
    before, seen, target = lists(house), [], house.outside
    paths = ["/", "/rooms", "/names", "/activity", "/live?page=/", bridge.values + f"?{bridge.on}=true", *changes]
    forms = "".join(f'<form method=post action="{target}{path}" target=t{at}><input name="{bridge.on}" value=true>'
                    f'<input name=name value=Evil></form><iframe name=t{at}></iframe>'
                    for at, path in enumerate([bridge.values, *changes]))
    attack = f"""<!doctype html><title>evil</title>{forms}<iframe src="{target}/"></iframe>
{"".join(f'<img src="{target}{path}">' for path in paths)}
<script>
const say = (what) => fetch('/seen?' + encodeURIComponent(what));
for (const form of document.forms) form.submit();
const all = {paths!r}.map((path) => Promise.allSettled([
  fetch('{target}' + path, {{credentials: 'include'}}).then((r) => r.text()).then((text) => say('read ' + text)),
  fetch('{target}' + path, {{method: 'POST', mode: 'no-cors', credentials: 'include',
    headers: {{'Content-Type': 'application/x-www-form-urlencoded'}}, body: '{bridge.on}=true&name=Evil'}})]));
const live = new EventSource('{target}/live?page=/', {{withCredentials: true}});
live.onopen = () => say('read stream');
const closed = new Promise((done) => live.onerror = done);
Promise.all([...all, closed]).then(() => say('over'));
</script>""".encode()

    class Evil(BaseHTTPRequestHandler):
        def do_GET(self):
            if self.path.startswith("/seen?"):
                seen.append(self.path[6:])
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(attack)

        def log_message(self, *_):
            pass

    async def serve():
        server = ThreadingHTTPServer((attacker.address, 0), Evil)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        return server

    server = attacker.run_async(serve())
    try:
        with browser(house.host, tmp_path) as chromium:
            visitor = chromium.open(target, "/enter")
            visitor.context.add_cookies([
                {"name": "lamplighter", "value": house.page.token, "url": target, "httpOnly": True, "sameSite": "Strict"}])
            visitor.go("/")
            visitor.until_text("The Lightbulb")
            evil = visitor.context.new_page()
            evil.goto(f"http://{attacker.address}:{server.server_address[1]}/", wait_until="commit")
            until(lambda: "over" in seen, 30, "the attack is over")
            # A refused frame shows the browser's own page.
            assert not any("Lightbulb" in frame.content() for frame in evil.frames[1:] if frame.url.startswith("http"))
    finally:
        server.shutdown()
    assert not any(one.startswith("read") for one in seen), seen
    bridge.received_nothing()
    assert lists(house) == before


def test_changes_are_rejected_for_methods_other_than_post(house, bridge):
    before = lists(house)
    body = f"{bridge.on}=true&name=Evil".encode()
    for path in [bridge.values, *bridge.changes]:
        for method in ("GET", "HEAD", "PUT", "DELETE"):
            head = (f"{method} {path}?{body.decode()} HTTP/1.1\r\nHost: 127.0.0.1:{house.port}\r\nOrigin: {house.local}\r\n"
                    "Content-Type: application/x-www-form-urlencoded\r\nConnection: close\r\n"
                    f"Cookie: lamplighter={house.page.token}\r\nContent-Length: {len(body)}\r\n\r\n")
            status = int(answer(house, head.encode() + body).split()[1])
            assert status in (200, 404, 405), (method, path, status)
    bridge.received_nothing()
    assert lists(house) == before


def test_guest_can_change_only_values(house, bridge):
    before = lists(house)
    state = house.page.state_directory
    token = house.home.cli("web", "--state-directory", state, "--invite", "Berta", "--guest", "--json")["token"]
    for path in bridge.changes:
        assert fetch(house.host, house.outside, path, "POST", {"name": "Other"}, token=token)[0] == 403, path
    bridge.received_nothing()
    assert fetch(house.host, house.outside, bridge.values, "POST", {bridge.on: "true"}, token=token)[0] == 303
    assert bridge.talker.until(lambda line: "wrote" in line)["wrote"][2] in (True, 1)
    assert lists(house) == before and token not in house.page.log
    house.home.cli("web", "--state-directory", state, "--withdraw", "Berta")
    assert fetch(house.host, house.outside, bridge.values, "POST", {bridge.on: "false"}, token=token)[0] == 401
    bridge.received_nothing()


def test_every_response_has_security_headers(house, bridge):
    kinds = [
        (200, "/live?page=/", {}), (303, "/enter", {}), (404, "/nothing", {}), (421, "/", {"headers": {"Host": "evil.example"}}),
        (403, bridge.values, {"method": "POST", "headers": {"Origin": "null"}}), (405, "/", {"method": "PUT"}),
        (415, bridge.values, {"method": "POST", "headers": {"Content-Type": "text/plain"}, "fields": {"a": "b"}}),
        (413, bridge.values, {"method": "POST", "fields": {"a": "b" * 70_000}}),
        (303, bridge.values, {"method": "POST", "fields": {bridge.on: "true", "back": "/\r\nSet-Cookie: a=b"}}),
        (404, "/assets/nothing", {}), (200, "/assets/script.js", {}),
    ]
    for expected, path, options in kinds:
        status, fields, _ = fetch(house.host, house.local, path, token=house.page.token, timeout=2, **options)
        assert status == expected, (path, options, status)
        assert "frame-ancestors 'none'" in fields["content-security-policy"], (path, status)
        assert "unsafe" not in fields["content-security-policy"] and fields["x-content-type-options"] == "nosniff"
        assert "set-cookie" not in fields
        if status in (200, 303, 404) and "assets" not in path:
            assert fields["cache-control"] == "no-store", path
    bridge.talker.until(lambda line: "wrote" in line)


def test_setup_answer_sent_twice_counts_once(house, tmp_path):
    (tmp_path / "second.yaml").write_text(LAMP.replace("Desk Lamp", "Floor Lamp"))
    lamp = house.host.popen(program("hapsim"), tmp_path / "second.yaml", "--state-directory", tmp_path / "second")
    try:
        status, fields, _ = fetch(house.host, house.local, "/add", "POST", {"home": ""})
        assert status == 303
        path = fields["location"]

        def shows(text):
            return text in fetch(house.host, house.local, path)[2]

        until(lambda: shows("Floor Lamp"), 20, "the lamp is found")
        (device,) = set(re.findall(r'value="((?:[0-9A-F]{2}:){5}[0-9A-F]{2})"', fetch(house.host, house.local, path)[2]))
        for _ in range(2):
            assert fetch(house.host, house.local, path, "POST", {"step": "search", "device": device})[0] == 303
        until(lambda: shows('value="code-'), 20, "the page requests the code")
        first = int(re.search(r'value="code-(\d+)"', fetch(house.host, house.local, path)[2])[1])
        wrong = {"step": f"code-{first}", "code": "466-37-727"}
        for _ in range(2):
            assert fetch(house.host, house.local, path, "POST", wrong)[0] == 303
        until(lambda: shows(f'value="code-{first - 1}"'), 20, "the page rejects the code")
        assert fetch(house.host, house.local, path, "POST", wrong)[0] == 303
        assert shows(f'value="code-{first - 1}"')
        assert fetch(house.host, house.local, path, "POST", {"cancel": "1"})[0] == 303
        assert "Floor Lamp" not in lists(house)[2]
    finally:
        end(lamp)


def test_oversized_and_invalid_pictures_are_rejected(house):
    def post(query, size, token=house.page.token):
        headers = f"POST /read-code{query} HTTP/1.1\r\nHost: 127.0.0.1:{house.port}\r\nOrigin: {house.local}\r\nConnection: close\r\n"
        return answer(house, f"{headers}Cookie: lamplighter={token}\r\nContent-Length: {size}\r\n\r\n".encode() + bytes(size)).split(b"\r\n", 1)[0]

    assert b" 200" in post("?width=100&height=100", 10_000)
    for query, size in (("", 0), ("?width=100&height=100", 9_999), ("?width=-1&height=-1", 1), ("?width=x&height=1", 16), ("?width=2000&height=16", 32_000),
                        ("?width=9223372036854775807&height=9223372036854775807", 1)):
        assert b" 400" in post(query, size), query
    assert b" 413" in post("?width=1200&height=1200", 2_000_000)
    assert b" 401" in post("?width=100&height=100", 10_000, "nothing")


def test_only_ten_wrong_tokens_are_checked_even_if_sent_at_once(house, lan):
    """All tokens come from a new address at once, because each request withholds its last byte."""
    async def guess():
        async def begin():
            reader, writer = await asyncio.open_connection(house.host.address, house.port)
            writer.write((f"POST /enter HTTP/1.1\r\nHost: {house.host.address}:{house.port}\r\nOrigin: {house.outside}\r\n"
                          "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 32\r\n"
                          "Connection: close\r\n\r\ntoken=" + "a" * 25).encode())
            await writer.drain()
            return reader, writer

        async def finish(reader, writer):
            writer.write(b"b")
            try:
                return int((await asyncio.wait_for(reader.read(64), 10)).split()[1])
            finally:
                writer.close()
        begun = await asyncio.gather(*(begin() for _ in range(100)))
        return await asyncio.gather(*(finish(*one) for one in begun))

    answers = lan.phone.run_async(guess())
    assert set(answers) == {403, 429} and answers.count(403) == 10, {one: answers.count(one) for one in set(answers)}
    # Visitors with a cookie and visitors from other addresses aren't affected.
    assert "Desk Lamp" in fetch(lan.phone, house.outside, token=house.page.token)[2]
    assert fetch(house.host, house.local, "/enter", "POST", {"token": house.page.token})[0] == 303
    assert "a" * 25 not in house.page.log


@pytest.mark.alone
def test_a_thousand_unfinished_forms_block_no_visitor(house):
    """Each form of an unauthenticated client consists of its head and one byte of its body."""
    async def hold():
        held = []
        try:
            for _ in range(1000):
                reader, writer = await asyncio.open_connection(house.host.address, house.port)
                held.append(writer)
                writer.write((f"POST /enter HTTP/1.1\r\nHost: {house.host.address}:{house.port}\r\nOrigin: {house.outside}\r\n"
                              "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 100\r\n\r\nt").encode())
            for _ in range(3):
                began = asyncio.get_running_loop().time()
                reader, writer = await asyncio.open_connection("127.0.0.1", house.port)
                held.append(writer)
                writer.write((f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{house.port}\r\nConnection: close\r\n"
                                  f"Cookie: lamplighter={house.page.token}\r\n\r\n").encode())
                body = await asyncio.wait_for(reader.read(-1), 9 * PATIENCE)
                assert b" 200 " in body[:20], body[:60]
                took = asyncio.get_running_loop().time() - began
                print(f"with a thousand forms a page took {took * 1000:.0f} ms")
                # The page waits 1.5 s for a lamp, and 10 s for a form: a visitor queued after the forms would wait for them.
                assert took < 8 * PATIENCE
        finally:
            for writer in held:
                writer.close()

    with open_files(2_000):
        house.host.run_async(hold())


def test_people_file_damaged_before_the_start_is_kept(house, tmp_path):
    state = tmp_path / "page"
    state.mkdir(mode=0o700)
    (state / "people.json").write_text("{")
    done = subprocess.run(house.host.inside(
        program("homeweb"), "--socket", house.home.socket, "--listen", "127.0.0.1:0", "--state-directory", state),
        capture_output=True, text=True, timeout=20)
    assert done.returncode == 65 and "damaged" in done.stderr, (done.returncode, done.stderr)
    assert (state / "people.json").read_text() == "{"
