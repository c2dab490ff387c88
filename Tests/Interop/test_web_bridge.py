"""The bridge on the page: the log of its warnings, its pairings, and its devices."""

import re
import subprocess

import pytest
from broker import Broker
from conftest import configuration
from home import hub, make_home  # noqa: F401 (fixtures)
from lan import open_to_all, until
from web import Page, browser, fetch

PASSWORD, WRONG = "correct-horse-battery", "wrong-horse-battery"


@pytest.fixture
def guarded(lan, tmp_path):
    """A broker that requires a password."""
    folder = tmp_path / "broker"
    folder.mkdir()
    subprocess.run(["mosquitto_passwd", "-b", "-c", folder / "users", "anna", PASSWORD], check=True, capture_output=True)
    open_to_all(folder)
    (folder / "users").chmod(0o644)
    broker = Broker(lan.bridge, folder)
    broker.configuration.write_text(
        f"listener {broker.port} 0.0.0.0\nallow_anonymous false\npassword_file {folder}/users\n")
    broker.start()
    yield broker
    broker.stop()


def test_owner_sees_warnings_without_secrets_and_pairings_without_a_way_to_remove_them(
        make_home, make_daemon, guarded, tmp_path):  # noqa: F811
    home = make_home()
    home.cli("homes", "add", "Villa")
    daemon = make_daemon(configuration("Demo", [{"id": "desk", "name": "Desk Lamp"}]))
    secret = daemon.directory / "mqtt.password"
    secret.write_text(WRONG)
    secret.chmod(0o600)
    before = (daemon.directory / "lamplighter.yaml").read_text()
    entry = {"driver": "mqtt", "url": f"mqtt://127.0.0.1:{guarded.port}", "user": "anna", "password-file": str(secret)}
    made = configuration("Demo", [{"id": "desk", "name": "Desk Lamp"}])
    daemon.configure({**made, "drivers": [*made["drivers"], entry]})
    daemon.cli("reload")
    daemon.until_published()
    code = daemon.setup_code
    home.add(code, daemon.status["deviceId"])
    page = Page(home.host, home, tmp_path / "page", bridge=daemon.page_socket).start()
    try:
        with browser(home.host, tmp_path) as chromium:
            visitor = chromium.open(page.address, "/bridge")
            tab = visitor.page
            until(lambda: "mqtt" in visitor.go("/bridge/warnings").text("section"), 20, "the page shows the warning")
            assert "Now" in visitor.text() and not visitor.violations()
            assert tab.get_by_role("link", name="Show mqtt").get_attribute("href") == "/bridge#driver-mqtt"
            seen = [tab.content(), visitor.go("/bridge").page.content()]
            # The problem is over, but stays in the log.
            secret.write_text(PASSWORD)
            daemon.configure(before)
            daemon.cli("reload")
            until(lambda: "Past" in visitor.go("/bridge/warnings").text(), 20, "the warning is over")
            assert "mqtt" in visitor.text() and "Now" not in visitor.text()
            seen.append(tab.content())
            # A stranger of the group can't learn more from the socket than the page shows.
            answer = subprocess.run(
                ["python3", "-c", "import socket, sys; s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1]);"
                 'f = s.makefile("rw"); f.write(\'{"jsonrpc":"2.0","id":1,"method":"warnings","params":{}}\\n\'); f.flush(); print(f.readline())',
                 str(daemon.page_socket)], capture_output=True, text=True, timeout=20).stdout
            for text in [*seen, answer, daemon.log, page.log]:
                assert WRONG not in text and PASSWORD not in text and code not in text
            visitor.go("/bridge")
            tab.get_by_role("link", name="Pairings").click()
            visitor.until_text("Connected since")
            assert not visitor.violations() and tab.locator("main form").count() == 0
            tab.get_by_text("Remove", exact=True).click()
            visitor.until_text(r"pairings remove [0-9A-F-]{36}")
            assert not visitor.violations()
            assert not visitor.complaints and not visitor.foreign
    finally:
        page.close()


def test_owner_downloads_a_backup_that_can_be_restored_if_the_configuration_allows_it(make_home, make_daemon, tmp_path):  # noqa: F811
    home = make_home()
    home.cli("homes", "add", "Villa")
    made = configuration("Demo", [{"id": "desk", "name": "Desk Lamp"}])
    daemon = make_daemon(made)
    identity = daemon.status["deviceId"]
    page = Page(home.host, home, tmp_path / "page", bridge=daemon.page_socket, listen="0.0.0.0:0").start()
    address = f"http://{home.host.address}:{page.port}"
    try:
        status, _, body = fetch(home.host, address, "/bridge/backup", "POST", {"x": "1"}, token=page.token)
        assert status == 409 and "HTTPS" in body
        with browser(home.host, tmp_path) as chromium:
            visitor = chromium.open(f"http://127.0.0.1:{page.port}", "/bridge/backup")
            tab = visitor.page
            visitor.until_text("page-backups: true")
            assert tab.locator("main form").count() == 0
            status, _, body = fetch(home.host, visitor.address, "/bridge/backup", "POST", {"x": "1"})
            assert status != 200 and "page may not" in body
            daemon.configure({**made, "bridge": {**made["bridge"], "page-backups": True}})
            daemon.cli("reload")
            visitor.go("/bridge")
            tab.get_by_role("link", name="Backup").click()
            with tab.expect_download() as download:
                tab.get_by_role("button", name="Download a backup").click()
            file = tmp_path / "bridge.backup"
            download.value.save_as(file)
            assert download.value.suggested_filename == "bridge.backup"
            assert "backup taken" in daemon.log and not visitor.foreign
        daemon.cli("reset", "--yes")
        assert daemon.status["deviceId"] != identity
        daemon.cli("restore", "--yes", file)
        assert daemon.status["deviceId"] == identity
    finally:
        page.close()
