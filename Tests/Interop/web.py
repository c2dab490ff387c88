"""Runs the page and browsers that open it."""

import json
import re
import subprocess
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import sync_playwright

from daemon import program
from lan import PATIENCE, end, until

CHROMIUM = "/usr/bin/chromium"


class Page:
    """`homeweb` on a host, with a state directory that outlives its process."""

    def __init__(self, host, home, directory, *options, listen="127.0.0.1:0", bridge=None):
        self.host = host
        self.home = home
        self.state_directory = Path(directory)
        self.log_path = self.state_directory / "homeweb.log"
        self.options = [*options, "--bridge-socket", bridge or "/nonexistent"]
        self.listen = listen
        self.process = None
        self.state_directory.mkdir(parents=True, exist_ok=True)

    def start(self, allowed=True):
        with open(self.log_path, "ab") as log:
            mark = log.tell()
            self.process = self.host.popen(
                program("homeweb"), "--socket", self.home.socket, "--state-directory", self.state_directory,
                "--listen", self.listen, *self.options, stdout=log, stderr=log)
        until(lambda: self._served(mark), 20, "homeweb serves its page")
        # Use the same address at the next start, as browsers expect.
        self.listen = f"{self.listen.rsplit(':', 1)[0]}:{self.port}"
        if allowed:
            self.home.allow("org.lamplighter.homeweb")
        return self

    def _served(self, mark):
        if self.process.poll() is not None:
            raise AssertionError(f"homeweb ended with exit code {self.process.returncode}:\n{self.log[-4000:]}")
        return "page ready" in self.log_path.read_bytes()[mark:].decode(errors="replace")

    @property
    def people(self):
        return json.loads((self.state_directory / "people.json").read_text())

    @property
    def port(self):
        return int(re.search(rf":(\d+) .*pid={self.process.pid},", self.host.run("ss", "-ltnpH").stdout)[1])

    @property
    def address(self):
        return self.people["address"]

    @property
    def token(self):
        return next(one["token"] for one in self.people["people"] if one["role"] == "owner")

    @property
    def log(self):
        return self.log_path.read_text(errors="replace")

    def terminate(self):
        self.process.terminate()
        return self.process.wait(15 * PATIENCE)

    def close(self):
        if self.process:
            end(self.process)


@contextmanager
def browser(host, directory, *options):
    """A headless Chromium on a host's network. `open` creates visitors."""
    wrapper = Path(directory) / f"chromium-{host.name}"
    wrapper.write_text("#!/bin/sh\nexec " + " ".join(host.inside(CHROMIUM)) + ' "$@"\n')
    wrapper.chmod(0o755)
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(
            executable_path=str(wrapper), args=["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", *options])
        try:
            yield Browser(chromium)
        finally:
            chromium.close()


class Browser:
    def __init__(self, chromium):
        self.chromium = chromium
        self.visitors = []

    def open(self, address, path="/", **options):
        """Open the page as a new visitor with separate cookies."""
        visitor = Visitor(self.chromium.new_context(**options), address)
        self.visitors.append(visitor)
        visitor.go(path)
        return visitor


class Visitor:
    """A visitor of the page, whose console messages and network errors are recorded."""

    def __init__(self, context, address):
        self.context = context
        self.address = address.rstrip("/")
        self.complaints = []
        self.requests = []
        self.page = context.new_page()
        self.page.set_default_timeout(10_000 * PATIENCE)
        self.page.on("console", lambda message: self._received(message))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("request", lambda request: self.requests.append(request.url))

    def _received(self, message):
        # A connection that ends with its server isn't an error of the page.
        if message.type in ("error", "warning") and "ERR_" not in message.text:
            self.complaints.append(f"{message.text} at {message.location}")

    def go(self, path):
        self.page.goto(self.address + path, wait_until="load")
        return self

    def text(self, selector="main"):
        return self.page.locator(selector).first.inner_text()

    def until_text(self, pattern, selector="main", timeout=10):
        until(lambda: re.search(pattern, self._now(selector)), timeout, f"{pattern} in {selector}")

    def _now(self, selector):
        # During navigation, a page has no text for a moment.
        try:
            return self.page.locator(selector).first.inner_text(timeout=500)
        except Exception:
            return ""

    def violations(self, impacts=("serious", "critical"), *rules):
        """Return the violations of accessibility that axe-core finds on the page, of all rules or only some."""
        import axe_playwright_python

        session = self.page.context.new_cdp_session(self.page)
        # Inject the script through the browser, because the page's policy rejects other scripts.
        script = Path(axe_playwright_python.__file__).parent / "axe.min.js"
        session.send("Runtime.evaluate", {"expression": script.read_text()})
        options = {"resultTypes": ["violations"]} | ({"runOnly": list(rules)} if rules else {})
        answer = session.send("Runtime.evaluate", {
            "expression": f"axe.run(document, {json.dumps(options)}).then(r => JSON.stringify(r.violations"
                          f".filter(v => {json.dumps(impacts)}.includes(v.impact)).map(v => [v.id, v.nodes.map(n => n.html + n.failureSummary).slice(0, 3)])))",
            "awaitPromise": True, "returnByValue": True})
        return json.loads(answer["result"]["value"])

    @property
    def foreign(self):
        """Return the requests to hosts other than the page's."""
        return [url for url in self.requests if not url.startswith((self.address + "/", "blob:", "data:"))]


def fetch(host, address, path="/", method="GET", fields=None, headers=None, token=None, timeout=20):
    """Send a request without a browser, and return the status, the headers and the body."""
    command = ["curl", "-s", "-k", "-i", "-m", timeout, "-X", method, "--path-as-is"]
    headers = dict(headers or {})
    if method == "POST":
        headers.setdefault("Origin", address.rstrip("/"))
    if token:
        headers["Cookie"] = f"lamplighter={token}"
    for name, value in headers.items():
        command += ["-H", f"{name}: {value}"]
    for name, value in (fields or {}).items():
        command += ["--data-urlencode", f"{name}={value}"]
    done = subprocess.run(host.inside(*command, address.rstrip("/") + path), capture_output=True)
    head, _, body = done.stdout.decode(errors="replace").partition("\r\n\r\n")
    lines = head.split("\r\n")
    return int(lines[0].split()[1]), {name.lower(): value for name, value in (line.split(": ", 1) for line in lines[1:])}, body
