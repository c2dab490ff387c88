"""A web page of another origin attacks a bridge through its visitor's browser."""

import sqlite3

import hap
from lan import end, until
from web import browser

PAGE = """<!doctype html><title>harmless</title><script>
async function attack(port, seconds) {
  const end = performance.now() + seconds * 1000
  const m1 = [6, 1, 1, 0, 1, 0], m3 = [6, 1, 3, 3, 1, 2, 4, 64, ...Array(64).fill(7)]
  const types = [undefined, "text/plain", "application/pairing+tlv8"]
  const answers = {}
  for (let round = 0; performance.now() < end; round++) {
    for (const bytes of [m1, m3]) {
      const type = types[round % types.length]
      const body = type ? new Blob([new Uint8Array(bytes)], {type}) : new Uint8Array(bytes)
      const answer = await fetch(`http://BRIDGE:${port}/pair-setup`, {method: "POST", mode: "no-cors", body})
        .then(answer => answer.type, () => "none")
      answers[answer] = (answers[answer] ?? 0) + 1
    }
  }
  return answers
}
</script>"""


def test_page_of_another_origin_cannot_use_up_pairing_attempts(make_daemon, lan, tmp_path):
    daemon = make_daemon()
    port = daemon.until_published()["port"]
    (tmp_path / "index.html").write_text(PAGE.replace("BRIDGE", lan.bridge.address))
    server = lan.phone.popen("python3", "-m", "http.server", "--bind", lan.phone.address, "-d", tmp_path, "8000")
    try:
        with browser(lan.phone, tmp_path) as chromium:
            page = f"http://{lan.phone.address}:8000"
            until(lambda: lan.phone.run("curl", "-sf", page, check=False).returncode == 0, 10, "the page is served")
            answers = chromium.open(page).page.evaluate(f"attack({port}, 3)")
    finally:
        end(server)
    # The browser has reached the bridge, but the bridge hasn't checked a proof.
    assert answers.get("opaque", 0) > 50, answers
    with sqlite3.connect(daemon.state_directory / "bridge.sqlite") as database:
        assert database.execute("SELECT failedAttempts FROM server").fetchone() == (0,)
    assert "setup code rejected" not in daemon.log
    assert "browser request refused" in daemon.log

    async def pair():
        with hap.Connection(lan.bridge.address, port) as connection:
            hap.pair_setup(connection, daemon.setup_code, hap.Identity())

    lan.phone.run_async(pair())
    assert daemon.status["paired"]
