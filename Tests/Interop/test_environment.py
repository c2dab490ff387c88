"""Clock jumps, denied system calls, and several networks and bridges on one host."""

import asyncio
import json
import time

import hap
import pytest
from clock import WallClock
from conftest import LIGHTS, configuration
from controllers import Phone, named
from lan import run, until

ON = "25"


def pair(daemon, lan):
    me, port = hap.Identity(), daemon.until_stable()["port"]
    with hap.Connection(lan.bridge.address, port) as connection:
        accessory = hap.pair_setup(connection, daemon.setup_code, me)
    return me, accessory


async def test_clock_jump_back_by_ten_years_disrupts_nothing(make_daemon, lan, tmp_path):
    clock = WallClock(tmp_path)
    daemon = make_daemon(start=False)
    daemon.environment = clock.environment
    daemon.start()
    me, accessory = pair(daemon, lan)
    number = daemon.until_stable()["configurationNumber"]
    with hap.session(lan.bridge.address, daemon.status["port"], me, accessory) as session:
        aid, iids = named(session.get("/accessories").json["accessories"], "Reading Lamp")
        place = {"aid": aid, "iid": iids[ON]}
        session.put("/characteristics", {"characteristics": [{**place, "ev": True}]})

        clock.shift(-10 * 365.25 * 86_400)
        year = time.gmtime(time.time() - 10 * 365.25 * 86_400).tm_year
        daemon.cli("simulate", "simulated/porch", "on=true")
        daemon.cli("backup", tmp_path / "backup")
        daemon.process.send_signal(1)
        until(lambda: f"\n{year}-" in daemon.log, 5, "the daemon's clock has jumped")

        # Deadlines of events, timed writes and device answers still apply.
        daemon.cli("simulate", "simulated/reading", "on=true")
        assert session.receive().json["characteristics"] == [{**place, "value": 1}]
        prepared = session.put("/prepare", {"ttl": 2000, "pid": 7})
        assert prepared.json["status"] == 0
        written = session.put("/characteristics", {"pid": 7, "characteristics": [{**place, "value": False}]})
        assert written.status == 204
    status = daemon.until_stable()
    assert status["configurationNumber"] == number and status["advertisement"]["state"] == "published"
    daemon.restart()
    with hap.session(lan.bridge.address, daemon.status["port"], me, accessory) as session:
        assert session.get("/accessories").status == 200


REFUSING_BUS = """<busconfig><type>system</type><listen>unix:path=/run/dbus/system_bus_socket</listen>
<auth>EXTERNAL</auth><policy context="default"><allow user="*"/><allow own="*"/><allow send_type="*"/><allow receive_type="*"/>
<allow send_destination="*"/>{}</policy></busconfig>"""


async def test_bridge_warns_of_a_refused_avahi_call_and_retries(make_daemon, lan, tmp_path):
    host, call = lan.bridge, "EntryGroupNew"
    host.stop_avahi()
    host.stop_bus()
    policy = tmp_path / "bus.conf"
    policy.write_text(REFUSING_BUS.format('<deny send_interface="org.freedesktop.Avahi.Server" send_member="%s"/>' % call))
    host.bus = host.popen("dbus-daemon", "--config-file", policy, "--nofork", "--nopidfile", "--nosyslog")
    try:
        until(lambda: host.run("test", "-S", "/run/dbus/system_bus_socket", check=False).returncode == 0, 5, "a bus")
        host.start_avahi()
        daemon = make_daemon()
        daemon.until(
            lambda status: any(f"{call}: Access denied" in warning for warning in status["warnings"]), 10, "the refusal")
        assert daemon.until(lambda status: status["advertisement"]["state"] == "failed", 10)
        lines = daemon.log.count("\n")
        await asyncio.sleep(3)  # the daemon must log at most two lines in this time
        assert daemon.is_running and daemon.log.count("\n") - lines <= 2
        policy.write_text(REFUSING_BUS.format(""))
        host.bus.send_signal(1)
        daemon.until(lambda status: status["warnings"] == [], 70, "there are no more warnings")
        daemon.until_published()
    finally:
        host.stop_avahi()
        host.stop_bus()
        host.start_avahi()


async def test_configured_interfaces_limit_both_tcp_and_mdns(make_daemon, lan):
    bridge, phone = lan.bridge.namespace, lan.phone.namespace
    run("ip", "-n", bridge, "link", "add", "side0", "type", "veth", "peer", "name", "side1", "netns", phone)
    try:
        for space, end, address in ((bridge, "side0", "10.78.0.1/24"), (phone, "side1", "10.78.0.2/24")):
            run("ip", "-n", space, "addr", "add", address, "dev", end)
            run("ip", "-n", space, "link", "set", end, "up")
        daemon = make_daemon(configuration(interfaces=["side0"]))
        port = daemon.until_published()["port"]
        with hap.Connection("10.78.0.1", port) as connection:
            assert connection.get("/accessories").status == 470
        with pytest.raises((hap.ConnectionClosed, OSError)):
            with hap.Connection(lan.bridge.address, port) as connection:
                connection.get("/accessories")
        seen = lan.bridge.run("avahi-browse", "-rptk", "_hap._tcp").stdout
        found = {line.split(";")[1] for line in seen.splitlines() if daemon.status["deviceId"] in line}
        assert found == {"side0"}, seen
        # A missing interface causes a warning, and is used once it appears.
        late = make_daemon(configuration(interfaces=["late0"]))
        late.until(lambda status: any("late0" in warning for warning in status["warnings"]), 5, "a warning")
        run("ip", "-n", bridge, "link", "add", "late0", "type", "veth", "peer", "name", "late1", "netns", phone)
        run("ip", "-n", bridge, "addr", "add", "10.79.0.1/24", "dev", "late0")
        for space, end in ((bridge, "late0"), (phone, "late1")):
            run("ip", "-n", space, "link", "set", end, "up")
        assert late.until_published()["warnings"] == []
    finally:
        for end in ("side0", "late0"):
            run("ip", "-n", bridge, "link", "del", end, check=False)


async def test_bridge_finds_the_default_interface_even_with_restricted_proc(make_daemon, lan):
    space = lan.bridge.namespace
    run("ip", "-n", space, "link", "add", "side0", "type", "veth", "peer", "name", "side1", "netns", lan.phone.namespace)
    try:
        run("ip", "-n", space, "addr", "add", "10.78.0.1/24", "dev", "side0")
        for end, there in (("side0", space), ("side1", lan.phone.namespace)):
            run("ip", "-n", there, "link", "set", end, "up")
        daemon = make_daemon(start=False)
        # ProcSubset=pid
        seeing_less = 'mount -t proc -o subset=pid proc /proc && exec "$@"'
        daemon.wrapper = ["unshare", "--mount", "--propagation", "private", "sh", "-c", seeing_less, "sh"]
        daemon.start().until_published()
        seen = lan.bridge.run("avahi-browse", "-rptk", "_hap._tcp").stdout
        found = {line.split(";")[1] for line in seen.splitlines() if daemon.status["deviceId"] in line}
        assert found == {"eth0"}, seen
    finally:
        run("ip", "-n", space, "link", "del", "side0", check=False)


async def test_two_bridges_run_independently_on_one_host(make_daemon, lan):
    first = make_daemon(configuration(name="Upstairs"))
    second = make_daemon(configuration(name="Downstairs", lights=LIGHTS[:1]))
    for daemon in (first, second):
        daemon.until_stable()
    async with Phone() as phone:
        pairings = [await phone.pair(daemon.status["deviceId"], daemon.setup_code, daemon.status["name"])
                    for daemon in (first, second)]
        counts = [len(await pairing.list_accessories_and_characteristics()) for pairing in pairings]
        assert counts == [4, 2]
        second.terminate()
        assert first.status["advertisement"]["state"] == "published" and first.status["paired"]


async def test_light_keeps_its_aid_over_restarts_while_its_driver_cannot_start(make_daemon, broker, lan):
    daemon = make_daemon(configuration(drivers=[{"driver": "mqtt", "url": broker.url}]))
    until(lambda: "broker connected" in daemon.log, 10, "a connection to the broker")
    announce = {"schema": "json", "unique_id": "one", "name": "One", "command_topic": "one/set", "brightness": True}
    lan.bridge.run("mosquitto_pub", "-p", broker.port, "-t", "homeassistant/light/one/config", "-r", "-m",
                   json.dumps(announce))
    until(lambda: "mqtt/one" in daemon.lights, 5, "the light")
    me, accessory = pair(daemon, lan)
    aid, number = daemon.lights["mqtt/one"]["aid"], daemon.until_stable()["configurationNumber"]
    broker.stop()
    for _ in range(2):
        daemon.restart()
        assert daemon.lights["mqtt/one"]["aid"] == aid and not daemon.lights["mqtt/one"]["reachable"]
    assert daemon.until_stable()["configurationNumber"] == number
    with hap.session(lan.bridge.address, daemon.status["port"], me, accessory) as session:
        assert [entry["aid"] for entry in session.get("/accessories").json["accessories"]] == [1, aid]
