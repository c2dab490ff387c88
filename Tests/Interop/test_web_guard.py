"""What others may do to the page, and what they may not: other pages, other names, wrong tokens, too many of them."""

import asyncio
import resource
import socket
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from daemon import program
from home import HomeDaemon
from lan import PATIENCE, until
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
    """The hub with one lamp of hapsim, and the page beside it on an address of the network."""
    directory = tmp_path_factory.mktemp("guard")
    with lan.add_host("guard", "10.77.0.32") as host:
        home = HomeDaemon(host, directory / "home").start()
        (directory / "lamp.yaml").write_text(LAMP)
        lamp = host.popen(program("hapsim"), directory / "lamp.yaml", "--state-directory", directory / "lamp")
        page = Page(host, home, directory / "page", "--name", "home.example", listen="0.0.0.0:0").start()
        try:
            home.cli("homes", "add", "Villa")
            until(lambda: home.cli("add", "--code", "466-37-726", "--yes", check=False, timeout=60).returncode == 0, 60,
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
    """What the page says to bytes that no browser sends."""
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


def test_the_network_needs_a_token_and_so_does_a_proxy(house):
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


def test_a_token_becomes_a_cookie_that_no_script_and_no_other_page_has(house):
    token = house.page.token
    typed = " ".join(token.upper()[at:at + 5] for at in range(0, len(token), 5))
    status, fields, _ = fetch(house.host, house.outside, "/enter", "POST", {"token": typed})
    assert status == 303 and fields["location"] == "/"
    cookie = fields["set-cookie"].lower()
    assert "httponly" in cookie and "samesite=strict" in cookie and "path=/" in cookie
    assert token not in house.page.log


def test_every_answer_says_what_browsers_may_do_with_it(house):
    for path in ("/", "/enter", "/assets/style.css", "/nothing", "/more", "/live?page=/nothing", f"/services/{house.service}"):
        _, fields, _ = fetch(house.host, house.outside, path, token=house.page.token)
        policy = fields["content-security-policy"]
        assert "default-src 'none'" in policy and "frame-ancestors 'none'" in policy and "unsafe" not in policy, path
        assert fields["x-content-type-options"] == "nosniff", path
        if "assets" not in path:
            assert fields["cache-control"] == "no-store", path


@pytest.mark.parametrize("name, status", [
    ("evil.example", 421), ("home.example.evil.example", 421), ("", 400), ("localhost", 200), ("127.0.0.1", 200),
    ("home.example", 200), ("HOME.EXAMPLE", 200), ("[::1]", 200), ("guard", 200), ("guard.local", 200),
])
def test_only_names_of_ours_are_answered(house, name, status):
    got = fetch(house.host, house.local, headers={"Host": f"{name}:{house.port}" if name else ""}, token=house.page.token)
    assert got[0] in (status, 421) if not name else got[0] == status, got
    if status != 200:
        assert "Desk Lamp" not in got[2]


@pytest.mark.parametrize("origin", ["", "null", "http://evil.example", "https://127.0.0.1", "http://127.0.0.1:1", "http://127.0.0.1"])
def test_a_change_comes_from_a_page_of_ours(house, origin):
    assert house.switch("true", headers={"Origin": origin})[0] == 403
    assert not house.is_on()


def test_no_other_way_of_asking_changes_anything(house):
    paths = [house.values, f"/accessories/{house.accessory}/remove", f"/accessories/{house.accessory}/identify", "/homes", "/add", "/leave"]
    for path in paths:
        for method in ("GET", "HEAD", "PUT", "DELETE", "PATCH", "OPTIONS"):
            if method == "HEAD":
                continue
            status, _, _ = fetch(house.host, house.local, f"{path}?{house.on}=true&name=Other", method,
                                 headers={"Origin": house.local}, token=house.page.token)
            assert status in (200, 404, 405), (path, method, status)
    assert not house.is_on() and len(house.home.cli("homes", "--json")) == 1 and len(house.home.cli("accessories", "--json")) == 1


def test_a_form_sent_twice_says_the_same(house):
    for value in ("true", "true", "false", "false"):
        assert house.switch(value)[0] == 303
        assert house.is_on() == (value == "true")


def test_a_page_of_another_origin_switches_and_sees_nothing(house, lan, tmp_path):
    """It is open in the browser of somebody who is let in here."""
    seen = []
    attack = f"""<!doctype html><title>evil</title>
<form id=f method=post action="{house.outside}{house.values}" target=t><input name="{house.on}" value=true></form>
<iframe name=t></iframe><iframe id=i src="{house.outside}/"></iframe>
<img src="{house.outside}{house.values}?{house.on}=true">
<script>
const say = (what) => fetch('/seen?' + encodeURIComponent(what));
document.getElementById('f').submit();
fetch('{house.outside}{house.values}', {{method: 'POST', mode: 'no-cors', credentials: 'include',
  headers: {{'Content-Type': 'application/x-www-form-urlencoded'}}, body: '{house.on}=true'}}).catch(() => 0);
fetch('{house.outside}/', {{credentials: 'include'}}).then((r) => r.text()).then(say).catch(() => say('closed'));
const live = new EventSource('{house.outside}/live?page=/', {{withCredentials: true}});
live.onmessage = (e) => say(e.data); live.addEventListener('main', (e) => say(e.data));
setTimeout(() => say('frame ' + (document.getElementById('i').contentDocument ? 'open' : 'shut')), 1000);
setTimeout(() => say('over'), 1500);
</script>"""

    class Evil(BaseHTTPRequestHandler):
        def do_GET(self):
            if self.path.startswith("/seen?"):
                seen.append(self.path[6:])
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(attack.encode())

        def log_message(self, *_):
            pass

    servers = []

    async def serve():
        servers.append(ThreadingHTTPServer(("10.77.0.32", 0), Evil))
        threading.Thread(target=servers[0].serve_forever, daemon=True).start()

    house.host.run_async(serve())
    try:
        with browser(house.host, tmp_path) as chromium:
            visitor = chromium.open(house.outside, f"/enter#{house.page.token}")
            visitor.until_text("Desk Lamp")
            visitor.go("/enter")
            visitor.until_text("Desk Lamp")
            evil = visitor.context.new_page()
            evil.goto(f"http://10.77.0.32:{servers[0].server_address[1]}/")
            until(lambda: "over" in seen, 20, "the attack is over")
            # Who is at the page itself is served as ever.
            visitor.go("/")
            assert "Desk Lamp" in visitor.text()
    finally:
        servers[0].shutdown()
    assert not house.is_on()
    assert not any("Lamp" in one or "open" in one for one in seen), seen


def test_a_thousand_wrong_tokens_let_no_one_in_and_keep_no_one_out(house):
    answers = [0] * 1000

    async def guess():
        limit = asyncio.Semaphore(20)

        async def one(number):
            async with limit:
                reader, writer = await asyncio.open_connection("10.77.0.32", house.port)
                body = f"token=aaaaaaaaaaaaaaaaaaaaaa{number:04d}".replace("0", "b").replace("1", "c").replace("8", "d")
                writer.write((f"POST /enter HTTP/1.1\r\nHost: 10.77.0.32:{house.port}\r\nOrigin: {house.outside}\r\n"
                              f"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {len(body)}\r\n"
                              f"Connection: close\r\n\r\n{body}").encode())
                answers[number] = int((await reader.read(64)).split()[1])
                writer.close()
        await asyncio.gather(*(one(number) for number in range(1000)))

    house.host.run_async(guess())
    # Those under way at once may be some more than ten.
    assert set(answers) == {403, 429} and answers.count(403) <= 10 + 20, {one: answers.count(one) for one in set(answers)}
    assert fetch(house.host, house.outside, "/enter", "POST", {"token": house.page.token})[0] == 429
    # Whoever has come in stays in, and another address is not concerned.
    assert "Desk Lamp" in fetch(house.host, house.outside, token=house.page.token)[2]
    assert fetch(house.host, house.local, "/enter", "POST", {"token": house.page.token})[0] == 303
    assert "aaaaaaaaaaaaaaaaaaaaaa" not in house.page.log


def test_people_are_invited_and_withdrawn_and_guests_change_nothing_but_values(house, tmp_path):
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
    _, _, history = fetch(house.host, house.outside, "/history", token=house.page.token)
    assert "by Anna" in history
    refused = [
        ("/homes", {"name": "Other"}), (f"/accessories/{house.accessory}/name", {"name": "Other"}),
        (f"/accessories/{house.accessory}/remove", {}), (f"/services/{house.service}/favourite", {"favourite": "1"}),
        ("/add", {}), ("/privacy", {"decision": "allow"}), (f"/services/{house.service}/name", {"name": "Other"}),
    ]
    for path, fields in refused:
        assert fetch(house.host, house.outside, path, "POST", fields or {"a": "b"}, token=token)[0] == 403, path
    for path in ("/rooms", "/names", "/add", "/privacy", "/bridge", "/bridge/1.svg", f"/accessories/{house.accessory}/remove"):
        assert fetch(house.host, house.outside, path, token=token)[0] in (403, 404), path
    with browser(house.host, tmp_path) as chromium:
        visitor = chromium.open(house.outside, f"/enter#{token}")
        # The wrong tokens of a moment ago count for this address, too, so the cookie is brought along.
        visitor.context.add_cookies([{"name": "lamplighter", "value": token, "url": house.outside}])
        visitor.go("/")
        visitor.until_text("Desk Lamp")
        house.home.cli("web", "--state-directory", house.page.state_directory, "--withdraw", "Anna")
        visitor.until_text("Come in", timeout=5)
    assert fetch(house.host, house.outside, token=token)[0] == 303
    old = house.page.token
    assert web("--new-token")["token"] == house.page.token != old
    assert fetch(house.host, house.outside, token=old)[0] == 303


def test_odd_requests_are_refused_and_do_no_harm(house):
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


def test_ten_thousand_listeners_keep_no_one_out(house):
    pid = house.page.process.pid

    def descriptors():
        return len(list(Path(f"/proc/{pid}/fd").iterdir()))

    def memory():
        text = Path(f"/proc/{pid}/status").read_text()
        return int(text.split("VmRSS:")[1].split()[0]) / 1024

    before, memory_before = descriptors(), memory()
    slowest = []

    async def flood():
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(12_000, hard), hard))
        listeners, statuses, silent = [], [], []
        try:
            for _ in range(200):
                reader, writer = await asyncio.open_connection("127.0.0.1", house.port)
                writer.write(f"GET /live?page=/ HTTP/1.1\r\nHost: 127.0.0.1:{house.port}\r\n\r\n".encode())
                statuses.append(int((await asyncio.wait_for(reader.read(64), 10)).split()[1]))
                listeners.append(writer)
            assert statuses.count(200) == 64 and statuses.count(503) == 136, {one: statuses.count(one) for one in set(statuses)}
            for number in range(10_000):
                try:
                    silent.append((await asyncio.wait_for(asyncio.open_connection("127.0.0.1", house.port), 5))[1])
                except OSError:
                    break
                if number % 500 == 0:
                    began = asyncio.get_running_loop().time()
                    reader, writer = await asyncio.open_connection("127.0.0.1", house.port)
                    writer.write(f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{house.port}\r\nConnection: close\r\n\r\n".encode())
                    body = await asyncio.wait_for(reader.read(-1), 10)
                    assert b" 200 " in body[:20] and b"Desk Lamp" in body
                    slowest.append(asyncio.get_running_loop().time() - began)
                    writer.close()
            return len(silent)
        finally:
            for writer in listeners + silent:
                writer.close()
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))

    opened = house.host.run_async(flood(), timeout=120)
    assert opened > 9_000
    assert max(slowest) < 1 * PATIENCE, slowest
    until(lambda: descriptors() <= before + 20, 20, f"{before} descriptors as before")
    assert memory() < memory_before + 60, (memory_before, memory())
    assert fetch(house.host, house.local)[0] == 200


def test_with_a_certificate_it_is_encrypted(house, tmp_path):
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj",
         "/CN=home.example", "-keyout", tmp_path / "key.pem", "-out", tmp_path / "cert.pem"], check=True, capture_output=True)
    page = Page(house.host, house.home, tmp_path / "page", "--certificate", tmp_path / "cert.pem", "--key", tmp_path / "key.pem",
                "--require-token")
    try:
        page.start(allowed=False)
        assert page.address.startswith("https://")
        command = house.host.inside(
            "curl", "-sik", "-H", f"Origin: {page.address.rstrip('/')}", "--data", f"token={page.token}", page.address + "enter")
        said = subprocess.run(command, capture_output=True, text=True).stdout.lower()
        assert " 303" in said and "secure" in said.split("set-cookie:")[1].split("\n")[0] and "strict-transport-security" in said
        said = subprocess.run(house.host.inside("curl", "-sik", page.address), capture_output=True, text=True).stdout.lower()
        assert " 303" in said and "location: /enter" in said, "also on this computer"
    finally:
        page.close()
    (tmp_path / "cert.pem").write_text("nothing")
    done = subprocess.run(house.host.inside(
        program("homeweb"), "--listen", "127.0.0.1:0", "--state-directory", tmp_path / "page", "--certificate", tmp_path / "cert.pem",
        "--key", tmp_path / "key.pem"), capture_output=True, text=True, timeout=20)
    assert done.returncode == 66 and "cert.pem" in done.stderr, (done.returncode, done.stderr)


def test_a_damaged_list_of_people_lets_no_token_in(house):
    path = house.page.state_directory / "people.json"
    token, whole = house.page.token, path.read_text()
    path.write_text("{")
    try:
        assert fetch(house.host, house.outside, token=token)[0] == 303
        until(lambda: "people unreadable" in house.page.log, 5, "the log says it")
        assert path.read_text() == "{"
    finally:
        path.write_text(whole)
    assert fetch(house.host, house.outside, token=token)[0] == 200
