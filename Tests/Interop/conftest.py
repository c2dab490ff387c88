"""Fixtures of the interoperability tests.

`lan`          two hosts in network namespaces, for the whole run (lan.py)
`daemon`       a bridge daemon with three simulated lights on the host `bridge`, started and published
`make_daemon`  the same with a custom configuration, started or not
`broker`       mosquitto on the host `bridge` (broker.py)

An `async def` test runs on the host `phone`: in a thread and an event loop that use that host's network.
`make test` runs four files at a time, each on a separate `lan`, and then the tests marked `alone`, one at a time.
"""

import asyncio
import collections
import os
import shutil
import tempfile

import pytest

import lan as pretend
from broker import Broker
from daemon import Daemon

# SwiftNIO's limit for the path of a socket is 103 bytes. A longer TMPDIR leaves too few of them for test names.
os.environ["TMPDIR"], tempfile.tempdir = "/tmp", None
CI = os.environ.get("CI") == "true"
CREATED = pytest.StashKey()
#: Tests that need Home Assistant are collected only with HASS.
collect_ignore = [] if os.environ.get("HASS") else [
    "test_announced_home_assistant.py", "test_automations_home_assistant.py", "test_home_assistant_bridge.py"]
collect_ignore += [] if os.environ.get("ADK") else ["test_home_adk.py"]
collect_ignore += [] if os.environ.get("ESPHOME") else ["test_esphome_house.py"]
collect_ignore += [] if os.environ.get("DEVICES") else ["test_home_devices.py"]
LIGHTS = [
    {"id": "reading", "name": "Reading Lamp", "brightness": True, "color": True, "temperature": True},
    {"id": "porch", "name": "Porch Light", "brightness": True},
    {"id": "kettle", "name": "Kettle", "kind": "switch"},
]


def configuration(name="Lamplighter", lights=None, drivers=None, **bridge):
    """Return a configuration with simulated lights. Other keys are added to `bridge`."""
    drivers = drivers or [{"driver": "simulated", "lights": LIGHTS if lights is None else lights}]
    return {"bridge": {"name": name, "port": "auto", "event-window": "50ms", **bridge}, "drivers": drivers}


def pytest_collection_modifyitems(items):
    """Skip the tests that need a pretend LAN if this machine can't have one. In CI they run, and fail."""
    reason = pretend.missing_requirement()
    if reason and not CI:
        for item in items:
            if "lan" in item.fixturenames:
                item.add_marker(pytest.mark.skip(reason=f"no pretend LAN: {reason}"))


def pytest_terminal_summary(terminalreporter):
    """Add the number of skipped tests for each reason to the file SKIPPED, which `make test` prints at the end."""
    file = os.environ.get("SKIPPED")
    if file and not hasattr(terminalreporter.config, "workerinput"):
        reasons = collections.Counter(
            report.longrepr[2].removeprefix("Skipped: ") for report in terminalreporter.stats.get("skipped", []))
        with open(file, "a") as lines:
            lines.writelines(f"{count} interoperability tests: {reason}\n" for reason, count in reasons.items())


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config):
    """Create a folder with a short path for the tests' files.

    The path of pytest's default has the name of the user and the number of runs, so a socket's path can become too long.
    """
    if not config.option.basetemp and not hasattr(config, "workerinput"):
        config.option.basetemp = config.stash[CREATED] = tempfile.mkdtemp(prefix="lamp-")


def pytest_sessionfinish(session, exitstatus):
    """Remove the folder of the tests' files, unless a test has failed."""
    if exitstatus == pytest.ExitCode.OK and CREATED in session.config.stash:
        shutil.rmtree(session.config.stash[CREATED], ignore_errors=True)


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem):
    if not asyncio.iscoroutinefunction(pyfuncitem.obj) or "lan" not in pyfuncitem.fixturenames:
        return None
    arguments = {name: pyfuncitem.funcargs[name] for name in pyfuncitem._fixtureinfo.argnames}
    pyfuncitem.funcargs["lan"].phone.run_async(pyfuncitem.obj(**arguments))
    return True


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    report = (yield).get_result()
    if CI and report.skipped:
        report.outcome, report.longrepr = "failed", f"skipped, which in CI is a failure: {report.longrepr}"
    if report.when == "call" and report.failed:
        for daemon in getattr(item, "daemons", []):
            report.sections.append((f"log of lamplighterd in {daemon.directory}", daemon.log[-8000:]))


@pytest.fixture(scope="session")
def lan():
    if reason := pretend.missing_requirement():
        pytest.fail(f"no pretend LAN: {reason}")
    made = pretend.PretendLAN()
    yield made
    made.close()


@pytest.fixture
def make_daemon(lan, tmp_path, request):
    """Create a daemon on the host `bridge`, and start it unless `start` is false."""
    made = request.node.daemons = []

    def make(settings=None, start=True):
        directory = tmp_path / f"d{len(made)}"
        directory.mkdir()
        daemon = Daemon(lan.bridge, directory, settings or configuration())
        made.append(daemon)
        return daemon.start() if start else daemon

    yield make
    for daemon in made:
        daemon.close()


@pytest.fixture
def daemon(make_daemon):
    made = make_daemon()
    made.until_published()
    return made


@pytest.fixture
def broker(lan, tmp_path):
    made = Broker(lan.bridge, tmp_path).start()
    yield made
    made.stop()
