"""The advertised record after failures of Avahi, the bridge and the network cable."""

import time

import pytest
from conftest import configuration
from controllers import Phone
from lan import run, until


async def test_record_returns_within_five_seconds_of_an_avahi_restart(daemon, lan):
    status = daemon.until_stable()
    async with Phone() as phone:
        before = await phone.record(status["deviceId"])
        lan.bridge.stop_avahi()
        daemon.until(lambda status: status["advertisement"]["state"] != "published", 5, "the loss is detected")
        lan.bridge.start_avahi()
        began = time.monotonic()
        after = daemon.until_published(5)
        assert after["advertisement"] == status["advertisement"], "same name"
    async with Phone() as phone:  # with an empty cache
        record = await phone.record(status["deviceId"], timeout=max(3, 5 - (time.monotonic() - began)))
        assert (record.instance, record.port, record.txt) == (before.instance, before.port, before.txt)


@pytest.mark.parametrize("missing", ["avahi", "bus"])
async def test_bridge_runs_without_avahi_logs_a_warning_and_publishes_later(missing, make_daemon, lan):
    lan.bridge.stop_avahi()
    if missing == "bus":
        lan.bridge.stop_bus()
    try:
        daemon = make_daemon()
        advertisement = daemon.status["advertisement"]
        assert advertisement["state"] not in ("published", "off", ""), advertisement
        until(lambda: [light["reachable"] for light in daemon.lights.values()] == [True] * 3, 5, "three lights")
        until(lambda: "publication blocked" in daemon.log, 5, "a warning")
        assert daemon.log.count("publication blocked") == 1
    finally:
        lan.bridge.start_avahi()
    status = daemon.until_published(5)
    async with Phone() as phone:
        await phone.record(status["deviceId"])


async def test_sigterm_ends_the_bridge_within_five_seconds_and_withdraws_the_record(daemon, lan):
    async with Phone() as phone:
        record = await phone.record(daemon.status["deviceId"])
        code, seconds = daemon.terminate()
        assert code == 0, daemon.log[-4000:]
        assert seconds < 5
        assert not daemon.socket.exists()
        await phone.gone(record.instance, timeout=2)


async def test_hung_avahi_does_not_delay_the_shutdown(daemon, lan):
    async with Phone() as phone:
        record = await phone.record(daemon.status["deviceId"])
        lan.bridge.avahi.send_signal(19)
        try:
            assert daemon.status["port"] == record.port, "the bridge itself does not hang"
            code, seconds = daemon.terminate()
            assert code == 0, daemon.log[-4000:]
            assert seconds < 5
        finally:
            lan.bridge.avahi.send_signal(18)
        await phone.gone(record.instance, timeout=5)


async def test_taken_name_changes_only_the_instance_name(make_daemon, lan):
    daemon = make_daemon()
    first = daemon.until_stable()
    daemon.terminate()
    taken = first["advertisement"]["name"]
    other = lan.bridge.popen("avahi-publish", "-s", taken, "_hap._tcp", "9", "id=00:00:00:00:00:00")
    async with Phone() as phone:
        await phone.record("00:00:00:00:00:00")
        daemon.start()
        second = daemon.until_stable()
        assert second["advertisement"]["name"] == f"{taken} #2"
        ignored = dict.fromkeys(("advertisement", "warnings", "warningCodes", "warningSubjects", "since", "bridges"))
        assert {**second, **ignored} == {**first, **ignored}
        record = await phone.record(second["deviceId"])
        assert record.instance == f"{taken} #2"
    other.terminate()
    other.wait()


async def test_bridge_never_listens_on_the_mdns_port(daemon, lan):
    owners = [line for line in lan.bridge.run("ss", "-H", "-u", "-a", "-n", "-p").stdout.splitlines() if ":5353" in line]
    assert owners and all(f"pid={daemon.process.pid}," not in line for line in owners), owners


async def test_bridge_uses_a_network_that_appears_after_its_start(make_daemon, lan):
    lan.bridge.link("down")
    try:
        daemon = make_daemon()
    finally:
        lan.bridge.link("up")
        run("ip", "-n", lan.bridge.namespace, "route", "replace", "default", "dev", "eth0")
    async with Phone() as phone:
        await phone.record(daemon.status["deviceId"], timeout=5)


async def test_a_flapping_veth_causes_no_announcements(daemon, lan):
    space = lan.bridge.namespace
    async with Phone() as phone:
        record = await phone.record(daemon.status["deviceId"])
        phone.changes.clear()
        for _ in range(100):
            run("ip", "-n", space, "link", "add", "vethflap0", "type", "veth", "peer", "name", "vethflap1")
            run("ip", "-n", space, "link", "set", "vethflap0", "up")
            run("ip", "-n", space, "link", "del", "vethflap0")
        assert phone.removals(record.instance) == []
        assert daemon.status["advertisement"]["state"] == "published"
        assert "vethflap" not in daemon.log


async def test_advertise_none_publishes_nothing(make_daemon, lan):
    daemon = make_daemon(configuration(advertise="none"))
    assert daemon.status["advertisement"]["state"] not in ("published", "registering")
    async with Phone() as phone:
        with pytest.raises(AssertionError, match="no such record"):
            await phone.record(daemon.status["deviceId"], timeout=3)
