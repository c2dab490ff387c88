"""The page behind reverse proxies with the configurations of Documentation/Operation.md."""

import subprocess

import pytest

from home import HomeDaemon
from lan import open_to_all
from proxies import CADDY, NGINX, NGINX_WITH_HEADERS, USER, Caddy, Nginx
from web import Page, browser, fetch

ADDRESS, CADDY_ADDRESS = "10.77.0.34", "10.77.0.35"
PUBLIC = ["bare.example", "nginx.example", "caddy.example"]
#: A proxy in front of a page without --behind-proxy.
UNANNOUNCED = {
    "old.example": NGINX,
    # This is the default of nginx 1.29.7 and newer.
    "new.example": NGINX + ' proxy_http_version 1.1; proxy_set_header Connection "";',
    "host.example": NGINX + ' proxy_http_version 1.1; proxy_set_header Connection ""; proxy_set_header Host $host;',
}


@pytest.fixture(scope="module")
def house(lan, tmp_path_factory):
    """The hub with an empty home, two instances of the page, and both proxies in front of them."""
    directory = tmp_path_factory.mktemp("proxies")
    open_to_all(directory)
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj",
         "/CN=nginx.example", "-keyout", directory / "key.pem", "-out", directory / "cert.pem"], check=True, capture_output=True)
    names = directory / "hosts"
    names.write_text(f"127.0.0.1 localhost\n{CADDY_ADDRESS} caddy.example\n{ADDRESS} bare.example nginx.example {' '.join(UNANNOUNCED)}\n")
    with lan.add_host("proxied", ADDRESS) as host:
        host.run("ip", "addr", "add", f"{CADDY_ADDRESS}/24", "dev", "eth0")
        for one in (host, lan.phone):
            one.run("mount", "--bind", names, "/etc/hosts")
        home = HomeDaemon(host, directory / "home").start()
        started = []
        try:
            home.cli("homes", "add", "Villa")
            page = Page(host, home, directory / "page", "--behind-proxy", "127.0.0.1", *(
                f"--name=https://{name}" for name in PUBLIC)).start()
            started.append(page)
            plain = Page(host, home, directory / "plain").start(allowed=False)
            started.append(plain)
            port, plain_port = page.port, plain.port
            sites = {"bare.example": NGINX, "nginx.example": NGINX_WITH_HEADERS}
            started.append(Nginx(
                host, directory / "nginx", ADDRESS,
                {name: location.format(port=port) for name, location in sites.items()}
                | {name: location.format(port=plain_port) for name, location in UNANNOUNCED.items()},
                directory / "cert.pem", directory / "key.pem"))
            started.append(Caddy(
                host, directory / "caddy", CADDY_ADDRESS,
                {f"{scheme}://caddy.example": CADDY.format(port=port) for scheme in ("http", "https")}))
            yield House(host, home, page, plain, f"127.0.0.1:{port}", f"127.0.0.1:{plain_port}", lan.phone)
        finally:
            for one in reversed(started):
                one.close()
            home.close()
            lan.phone.run("umount", "/etc/hosts")


class House:
    def __init__(self, host, home, page, plain, authority, plain_authority, phone):
        self.host, self.home, self.page, self.plain, self.phone = host, home, page, plain, phone
        self.authority, self.plain_authority = authority, plain_authority


@pytest.mark.parametrize("name", UNANNOUNCED)
def test_visitor_through_an_unconfigured_proxy_needs_a_token(house, name):
    for scheme in ("http", "https"):
        for headers in ({}, {"Host": "127.0.0.1"}, {"Host": "localhost:80"}):
            status, fields, body = fetch(house.phone, f"{scheme}://{name}", headers=headers)
            assert status in (303, 421) and fields.get("location", "/enter") == "/enter" and "Villa" not in body


def test_only_the_pages_own_user_needs_no_token_on_this_computer(house):
    address = f"http://{house.plain_authority}"
    assert "Villa" in fetch(house.host, address)[2]
    for headers in ({"Host": f"proxied:{house.plain_authority[10:]}"}, {"X-Forwarded-Proto": "https"}, {"Connection": "close"}):
        assert fetch(house.host, address, headers=headers)[0] == 303, headers
    other = house.host.run("setpriv", f"--reuid={USER}", "--clear-groups", "curl", "-si", address).stdout
    assert " 303 " in other.split("\r\n")[0], other
    # The page behind the proxies requires a token from this user, too.
    assert fetch(house.host, f"http://{house.authority}")[0] == 303


@pytest.mark.parametrize("scheme", ["http", "https"])
@pytest.mark.parametrize("name", PUBLIC)
def test_visitor_signs_in_through_a_proxy(house, name, scheme):
    address, token = f"{scheme}://{name}", house.page.token
    assert house.page.address == f"https://{PUBLIC[0]}/"
    assert fetch(house.phone, address)[0] == 303
    for origin in ("http://evil.example", f"{scheme}://{house.authority}x", "null"):
        assert fetch(house.phone, address, "/enter", "POST", {"token": token}, {"Origin": origin})[0] == 403
    status, fields, body = fetch(house.phone, address, "/enter", "POST", {"token": token})
    assert status == 303, body
    assert ("secure" in fields["set-cookie"].lower()) == (scheme == "https"), fields
    assert "Villa" in fetch(house.phone, address, token=token)[2]
    # Changes arrive at once: the proxy doesn't collect them.
    status, _, body = fetch(house.phone, address, "/live?page=/", token=token, timeout=1)
    assert status == 200 and "event: main" in body


def test_attempts_are_counted_per_client_despite_forged_headers(house):
    nginx, caddy = "https://nginx.example", "https://caddy.example"
    answers = [
        fetch(house.phone, address, "/enter", "POST", {"token": "a" * 26}, {"X-Forwarded-For": f"192.0.2.{number}"})[0]
        for number in range(6) for address in (nginx, caddy)]
    assert answers == [403] * 10 + [429] * 2
    assert fetch(house.phone, nginx, "/enter", "POST", {"token": house.page.token})[0] == 429
    for address in (nginx, caddy):
        assert fetch(house.host, address, "/enter", "POST", {"token": house.page.token})[0] == 303


@pytest.mark.parametrize("name", ["bare.example", "caddy.example"])
def test_browser_uses_the_page_through_a_proxy(house, name, tmp_path):
    with browser(house.host, tmp_path) as chromium:
        visitor = chromium.open(f"https://{name}", f"/enter#{house.page.token}", ignore_https_errors=True)
        visitor.until_text("Villa")
        house.home.cli("homes", "rename", "Villa", "Cottage")
        try:
            visitor.until_text("Cottage", timeout=3)
        finally:
            house.home.cli("homes", "rename", "Cottage", "Villa")
        visitor.go("/rooms")
        visitor.page.get_by_label("New room name").fill("Attic")
        visitor.page.get_by_role("button", name="Add room").click()
        visitor.until_text("Attic")
        house.home.cli("rooms", "remove", "Attic")
        # Without a trusted certificate, Chromium refuses only the worker for the time without connection.
        assert not [one for one in visitor.complaints if "fetching the script" not in one]
