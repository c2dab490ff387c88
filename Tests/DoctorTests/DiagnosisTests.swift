import BridgeControl
import TerminalKit
import TestTimeouts
import Testing

@testable import Doctor

@Suite("Diagnosis", .timeout)
struct DiagnosisTests {
    // MARK: A bridge without problems

    private static let status = BridgeStatus(
        name: "Bridge", deviceID: "AA:BB:CC:DD:EE:FF", since: "2026-11-21T10:00:00.000Z", port: 51826,
        configurationNumber: 3, paired: true,
        controllers: 1,
        advertisement: .init(state: .published, name: "Bridge EEFF"),
        drivers: [.init(id: "home", driver: "mqtt", code: .running)], lights: .init(count: 3, reachable: 3),
        warnings: [])

    private static let txt = ["id": "AA:BB:CC:DD:EE:FF", "c#": "3", "sf": "0"]

    private static let diagnostics = BridgeDiagnostics(
        version: "1.0", process: 12, isToBeAdvertised: true, wantedName: "Bridge EEFF", interfaces: ["eth0"], txt: txt,
        pairings: 1, refusedSetups: 0, failedAttempts: 0, attemptsAllowed: 100, clockStep: 0,
        storage: .init(directory: "/state", freeBytes: 1 << 30))

    private static let host = DNSName(["host", "local"])
    private static let bridge = ServiceInstance(
        name: "Bridge EEFF", places: [.init(host: host, port: 51826)], txt: txt, addresses: [[10, 0, 0, 1]])

    private static func facts(
        _ status: BridgeStatus = status, _ diagnostics: BridgeDiagnostics = diagnostics,
        _ change: (inout Facts) -> Void = { _ in }
    ) -> Facts {
        var facts = Facts(daemon: .answers(BridgeAnswer(status, diagnostics)), time: Version.released + 86400)
        facts.listeners = ["avahi"]
        facts.queryResults = [
            QueryResult(
                route: .multicast(interface: "eth0", isIPv6: false), instances: [bridge],
                responders: ["10.0.0.1", "10.0.0.2"]),
            QueryResult(route: .unicast(address: "10.0.0.1"), instances: [bridge], responders: ["10.0.0.1"]),
        ]
        facts.connections = [.init(address: "10.0.0.1", outcome: .answers)]
        change(&facts)
        return facts
    }

    @Test("passes every check of a healthy bridge")
    func well() {
        let findings = Diagnosis.findings(Self.facts())
        #expect(findings.verdict == nil)
        #expect(findings.allSatisfy { $0.result == .ok })
        #expect(
            findings.map(\.check) == [
                .daemon, .clock, .storage, .network, .advertise, .bus, .avahi, .clone, .advertisement, .responders,
                .visible, .record, .addresses, .attempts, .pairing, .drivers, .lights,
            ])
    }

    @Test("lists each warning from the status once, with its subject")
    func statusWarnings() {
        let status = BridgeStatus(
            name: "Bridge", deviceID: "AA:BB:CC:DD:EE:FF", since: "", port: 51826, configurationNumber: 3, paired: true,
            controllers: 1, advertisement: .init(state: .published, name: "Bridge EEFF"),
            drivers: [.init(id: "home", driver: "mqtt", code: .degraded, reason: "no broker")],
            lights: .init(count: 1, reachable: 1),
            warnings: [
                BridgeWarning(.lights, "a template is not understood", about: .init(driver: "home", light: "home/x")),
                BridgeWarning(.setupAttempts, "3 attempts"), BridgeWarning(.configuration, "the file is wrong"),
            ])
        var diagnostics = Self.diagnostics
        diagnostics.failedAttempts = 3
        let warnings = Diagnosis.findings(Self.facts(status, diagnostics)).filter { $0.result == .warning }
        #expect(warnings.map(\.check) == [.attempts, .drivers, .lights, .configuration])
        #expect(warnings[2].message == "home/x: a template is not understood")
        #expect(status.warningLines.map(\.text)[0] == "home/x: a template is not understood")
    }

    // MARK: Possible faults

    /// A fault and the expected finding.
    struct Fault: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let check: CheckResult.Check
        let code: Int32
        /// The texts that the message and the remedy must contain.
        let words: [String]
        let facts: Facts

        init(
            _ name: String, _ check: CheckResult.Check, _ words: String..., code: Int32 = 69,
            status: (inout BridgeStatus) -> Void = { _ in }, diagnostics: (inout BridgeDiagnostics) -> Void = { _ in },
            facts: (inout Facts) -> Void = { _ in }
        ) {
            testDescription = name
            self.check = check
            self.code = code
            self.words = words
            var state = DiagnosisTests.status
            status(&state)
            var bridge = DiagnosisTests.diagnostics
            diagnostics(&bridge)
            self.facts = DiagnosisTests.facts(state, bridge, facts)
        }
    }

    private static func absent(
        _ reports: [StartReport], _ code: Int32, lastLine: String? = nil
    ) -> (inout Facts) -> Void {
        {
            $0.daemon = .absent(
                reason: "no process at /s", start: .init(reports: reports, lastLine: lastLine, code: code))
        }
    }

    private static func seen(_ change: @escaping (inout ServiceInstance) -> Void) -> (inout Facts) -> Void {
        { change(&$0.queryResults[0].instances[0]) }
    }

    private static func also(_ other: ServiceInstance) -> (inout Facts) -> Void {
        { $0.queryResults[0].instances.append(other) }
    }

    private static func connecting(_ outcome: TCPProbe.Outcome) -> (inout Facts) -> Void {
        { $0.connections.append(.init(address: "fe80::1", outcome: outcome)) }
    }

    private static let steps = [
        StartReport(.configuration, "c is valid"), StartReport(.state, "s can be used"),
        StartReport(.port, "1 is free"), StartReport(.metrics, "2"), StartReport(.socket, "k"),
    ]

    private static let faults: [Fault] = [
        Fault(
            "no permission for the socket", .daemon, "no permission", "lamplighter group", code: 77,
            facts: {
                $0.daemon = .forbidden(reason: "no permission to use /s")
            }),
        Fault(
            "another user's clone", .daemon, "/clone belongs to another user", "run this without sudo", code: 77,
            facts: {
                $0.daemon = .distrusted(reason: "/clone belongs to another user", remedy: "run this without sudo")
            }),
        Fault(
            "a daemon that hangs", .daemon, "does not answer", "restart",
            facts: {
                $0.daemon = .unfit(reason: "it does not answer")
            }),
        Fault(
            "a daemon that isn't running, for an unknown reason", .daemon, "no process at /s", "systemctl start",
            facts: {
                $0.daemon = .absent(reason: "no process at /s", start: nil)
            }),
        Fault(
            "a daemon that was not started", .daemon, "lamplighterd can start", "systemctl start",
            facts: absent(steps, 0)),
        Fault(
            "a wrong configuration", .configuration, "f:1:2: k: unknown key; use l", code: 78,
            facts: absent([StartReport(.configuration, "f:1:2: k: unknown key; use l", code: 78)], 78)),
        Fault(
            "a wrong configuration with a separate remedy", .configuration, "unknown key", "use l",
            code: 78,
            facts: absent(
                [
                    StartReport(
                        .configuration, "f:1:2: k: unknown key; use l", code: 78, problem: "f:1:2: k: unknown key",
                        remedy: "use l")
                ], 78)),
        Fault(
            "a damaged database", .state, "is damaged", "restore", code: 65,
            facts: absent(
                [
                    steps[0],
                    StartReport(
                        .state, "b is damaged: x; bring back a backup with lamplighter restore FILE", code: 65),
                ], 65)),
        Fault(
            "a port in use", .port, "taken by python3 (process 7)",
            facts: absent(
                steps.prefix(2)
                    + [StartReport(.port, "port 1 is taken by python3 (process 7); stop that", code: 69)], 69)),
        Fault(
            "a metrics port in use", .metrics, "taken by python3 (process 7)",
            facts: absent(
                steps.prefix(3)
                    + [StartReport(.metrics, "metrics: port 2 is taken by python3 (process 7)", code: 69)], 69)),
        Fault("a start check without a report", .daemon, "exited with 64", code: 64, facts: absent([], 64)),
        Fault(
            "a start check of another version", .daemon, "b is damaged", code: 65,
            facts: absent([], 65, lastLine: "lamplighterd: b is damaged")),
        Fault(
            "a failed step that this version doesn't know", .daemon, "no power", code: 69,
            facts: absent([StartReport(.init(rawValue: "power"), "no power", code: 69)], 69)),

        Fault("a clock before the release", .clock, "1970-01-06", "timedatectl", facts: { $0.time = 5 * 86400 }),
        Fault("a clock far ahead", .clock, "can't be right", facts: { $0.time = Version.released + 30 * 365 * 86400 }),
        Fault(
            "a database that is gone", .storage, "is gone", code: 74, diagnostics: { $0.storage.problem = "b is gone" }),
        Fault(
            "a full disk", .storage, "full", "free some space", code: 74, diagnostics: { $0.storage.freeBytes = 4096 }),
        Fault("no interface", .network, "no network interface", diagnostics: { $0.interfaces = [] }),
        Fault("an interface without an address", .network, "no address on eth0", facts: { $0.queryResults = [] }),
        Fault(
            "an interface on which sending fails", .network, "Network is unreachable",
            facts: {
                $0.queryResults = [
                    QueryResult(route: .multicast(interface: "eth0", isIPv6: false), failure: "Network is unreachable")
                ]
            }),
        Fault(
            "advertise: none", .advertise, "advertise: none", "bridge.advertise to avahi", code: 78,
            status: { $0.advertisement.state = .off }, diagnostics: { $0.isToBeAdvertised = false }),
        Fault(
            "no bus", .bus, "D-Bus isn't running", "start dbus", status: { $0.advertisement.state = .waiting },
            facts: {
                $0.bus = .absent
                $0.avahi = .absent
            }),
        Fault(
            "a hung bus", .bus, "doesn't answer", status: { $0.advertisement.state = .waiting },
            facts: {
                $0.bus = .silent
            }),
        Fault(
            "no Avahi", .avahi, "isn't running", "avahi-daemon", status: { $0.advertisement.state = .waiting },
            facts: {
                $0.avahi = .absent
            }),
        Fault(
            "an Avahi that hangs after publishing", .avahi, "hangs", "restart avahi-daemon",
            facts: { $0.avahi = .silent }),
        Fault(
            "an Avahi that rejects the record", .advertisement, "Access denied", "AppArmor",
            status: { $0.advertisement.state = .failed }, diagnostics: { $0.discoveryError = "Access denied" }),
        Fault(
            "an Avahi stuck in probing", .advertisement, "still registering",
            status: { $0.advertisement.state = .registering }),
        Fault(
            "a copy on another host", .clone, "another bridge has", "\"Bridge EEFF #2\"", "host copy.local, port 9",
            "reset",
            facts: also(
                ServiceInstance(
                    name: "Bridge EEFF #2", places: [.init(host: DNSName(["copy", "local"]), port: 9)],
                    txt: ["id": "aa:bb:cc:dd:ee:ff"]))),
        Fault(
            "a copy on this host", .clone, "this host, port 9",
            facts: also(
                ServiceInstance(name: "Old", places: [.init(host: host, port: 9)], txt: ["id": "AA:BB:CC:DD:EE:FF"]))),
        Fault(
            "two hosts with the same name", .clone, "host host.local, port 51826 and host copy.local, port 51826",
            facts: seen { $0.places.append(.init(host: DNSName(["copy", "local"]), port: 51826)) }),
        Fault(
            "a record that Avahi doesn't know", .visible, "doesn't know \"Bridge EEFF\"", "restart lamplighterd",
            facts: {
                for index in $0.queryResults.indices { $0.queryResults[index].instances = [] }
            }),
        Fault(
            "multicast that is dropped", .visible, "multicast is blocked on eth0", "224.0.0.251",
            facts: {
                $0.queryResults[0].instances = []
                $0.queryResults[0].responders = []
            }),
        Fault(
            "a closed port 5353", .visible, "nothing answers on port 5353 on eth0", "avahi-daemon.conf",
            facts: {
                for index in $0.queryResults.indices {
                    $0.queryResults[index] = QueryResult(route: $0.queryResults[index].route)
                }
            }),
        Fault(
            "one of two interfaces that receives nothing", .visible, "wlan0",
            diagnostics: { $0.interfaces = ["eth0", "wlan0"] },
            facts: {
                $0.queryResults.append(QueryResult(route: .multicast(interface: "wlan0", isIPv6: false)))
            }),
        Fault("another port", .record, "the port is 9 and should be 51826", facts: seen { $0.places[0].port = 9 }),
        Fault(
            "other TXT keys", .record, "c# is 2 and should be 3; ff is 0 and shouldn't be there; sf is missing",
            facts: seen { $0.txt = ["id": "AA:BB:CC:DD:EE:FF", "c#": "2", "ff": "0"] }),
        Fault("no TXT record", .record, "the TXT record is missing", facts: seen { $0.txt = nil }),
        Fault("a record without addresses", .addresses, "has no addresses", facts: { $0.connections = [] }),
        Fault(
            "an address that a firewall drops", .addresses, "fe80::1", "doesn't respond",
            facts: connecting(.timedOut)),
        Fault("an address that refuses connections", .addresses, "refuses", facts: connecting(.refused)),
        Fault("an interface that is filtered", .addresses, "bridge.interfaces", facts: connecting(.closed)),
        Fault("another program on the port", .addresses, "other than the bridge", facts: connecting(.foreign)),
        Fault("a listener that hangs", .addresses, "doesn't answer", facts: connecting(.silent)),
        Fault("no route", .addresses, "No route", facts: connecting(.failed(reason: "No route to host"))),
        Fault(
            "too many attempts", .attempts, "100 of 100", "lamplighter pairings unlock",
            diagnostics: { $0.failedAttempts = 100 }),
        Fault(
            "paired elsewhere", .pairing, "paired with 2 controllers", "lamplighter pairings remove --all",
            status: { $0.controllers = 0 },
            diagnostics: {
                $0.pairings = 2
                $0.refusedSetups = 1
            }),
    ]

    @Test("describes each fault, with a remedy", arguments: faults)
    func named(fault: Fault) throws {
        let verdict = try #require(Diagnosis.findings(fault.facts).verdict)
        #expect(verdict.check == fault.check)
        #expect(verdict.code == fault.code)
        let text = "\(verdict.message); \(verdict.remedy ?? "")"
        for word in fault.words { #expect(text.contains(word)) }
    }

    @Test("describes each fault with a different message")
    func distinguished() {
        let messages = Self.faults.compactMap { Diagnosis.findings($0.facts).verdict?.message }
        #expect(Set(messages).count == Self.faults.count)
    }

    @Test("checks the clock, D-Bus and Avahi without permission for the socket")
    func forbidden() {
        let findings = Diagnosis.findings(Self.facts { $0.daemon = .forbidden(reason: "no permission to use /s") })
        #expect(findings.map(\.check) == [.clock, .bus, .avahi, .daemon])
        #expect(findings.filter { $0.result == .ok }.count == 3)
        #expect(findings.verdict?.remedy?.contains("sudo lamplighter doctor") == true)
        let broken = Self.facts { ($0.daemon, $0.avahi) = (.forbidden(reason: "no permission to use /s"), .absent) }
        #expect(Diagnosis.findings(broken).verdict?.check == .avahi)
    }

    @Test("skips checks that depend on a failed check")
    func dependence() {
        let findings = Diagnosis.findings(
            Self.facts { facts in
                facts.avahi = .silent
                facts.queryResults = [QueryResult(route: .multicast(interface: "eth0", isIPv6: false))]
                facts.connections = []
            })
        let results = Dictionary(uniqueKeysWithValues: findings.map { ($0.check, $0.result) })
        for check in [.clone, .visible, .record, .addresses] as [CheckResult.Check] {
            #expect(results[check] == .unknown)
        }
        for check in [.storage, .bus, .pairing, .lights] as [CheckResult.Check] { #expect(results[check] == .ok) }
    }

    // MARK: Warnings

    @Test("warns about problems that don't affect controllers")
    func warnings() {
        var status = Self.status
        status.advertisement.name = "Bridge EEFF #2"
        status.drivers[0] = .init(id: "home", driver: "mqtt", code: .degraded, reason: "no broker")
        var diagnostics = Self.diagnostics
        diagnostics.clockStep = -3600
        diagnostics.failedAttempts = 3
        diagnostics.storage.freeBytes = 32 << 20
        let findings = Diagnosis.findings(
            Self.facts(status, diagnostics) { facts in
                facts.listeners = ["avahi", "homeassistant"]
                facts.queryResults[0].instances[0].name = "Bridge EEFF #2"
                facts.daemon = .answers(
                    BridgeAnswer(status, diagnostics, unreachableLights: ["a", "b", "c", "d", "e", "f"]))
            })
        #expect(findings.verdict == nil)
        let messages = findings.filter { $0.result == .warning }.map(\.message)
        #expect(
            messages == [
                "the clock was set back by 3600 s while the bridge was running", "only 32768 KiB are free in /state",
                "published as \"Bridge EEFF #2\", because \"Bridge EEFF\" is taken",
                "other programs also use UDP port 5353: homeassistant",
                "3 of 100 attempts to pair with a wrong setup code", "home is degraded: no broker",
                "6 of 3 unreachable: a, b, c, d, e ...",
            ])
    }

    @Test("only warns about a paired bridge without connected controllers")
    func lonely() {
        var status = Self.status
        status.controllers = 0
        let findings = Diagnosis.findings(Self.facts(status))
        #expect(findings.verdict == nil)
        #expect(findings.filter { $0.result == .warning }.map(\.check) == [.pairing])
    }

    @Test("only warns if one of two interfaces has no address")
    func unused() {
        var diagnostics = Self.diagnostics
        diagnostics.interfaces = ["eth0", "wlan0"]
        let finding = Diagnosis.findings(Self.facts(Self.status, diagnostics)).first { $0.check == .network }
        #expect(finding?.result == .warning)
        #expect(finding?.message == "no address on wlan0, so the bridge isn't visible there")
    }

    @Test("accepts an interface on which only one address family works")
    func oneFamily() {
        let facts = Self.facts {
            $0.queryResults.insert(
                QueryResult(route: .multicast(interface: "eth0", isIPv6: true), failure: "Network is unreachable"),
                at: 0)
        }
        #expect(Diagnosis.findings(facts).verdict == nil)
    }

    @Test("ignores the case of keys in the record, but not of values")
    func caseOfKeys() {
        var diagnostics = Self.diagnostics
        diagnostics.txt = ["ID": "AA:BB:CC:DD:EE:FF", "C#": "3", "sF": "0"]
        #expect(Diagnosis.findings(Self.facts(Self.status, diagnostics)).verdict == nil)
        diagnostics.txt["md"] = "Lamp"
        let facts = Self.facts(Self.status, diagnostics) { $0.queryResults[0].instances[0].txt?["md"] = "lamp" }
        #expect(Diagnosis.findings(facts).verdict?.check == .record)
    }

    @Test("tries each address on the interface on which it was received")
    func targets() {
        let local: [UInt8] = [0xFE, 0x80] + [UInt8](repeating: 1, count: 14)
        let facts = Self.facts { facts in
            facts.queryResults[0].instances[0].addresses.append(local)
            facts.queryResults.append(
                QueryResult(route: .multicast(interface: "wlan0", isIPv6: true), instances: [Self.bridge]))
            facts.queryResults.append(
                QueryResult(route: .multicast(interface: "wlan0", isIPv6: false), instances: [Self.bridge]))
        }
        #expect(
            facts.addresses(of: "bridge eeff") == [
                .init(address: [10, 0, 0, 1], interface: "eth0"), .init(address: local, interface: "eth0"),
                .init(address: [10, 0, 0, 1], interface: "wlan0"),
            ])
    }

    @Test("accepts missing sockets of D-Bus and Avahi if the bridge is connected to Avahi")
    func otherWay() {
        let facts = Self.facts { facts in
            facts.bus = .absent
            facts.avahi = .absent
        }
        #expect(Diagnosis.findings(facts).verdict == nil)
    }

    // MARK: The check after two minutes

    @Test("detects a switch that forgets multicast listeners")
    func lasting() {
        let now = Self.facts()
        let alone = Self.facts { $0.queryResults[0].responders = ["10.0.0.1"] }
        let gone = Self.facts { $0.queryResults[0] = QueryResult(route: $0.queryResults[0].route) }
        #expect(Diagnosis.lasting(now, now).result == .ok)
        #expect(Diagnosis.lasting(alone, alone).result == .unknown)
        #expect(Diagnosis.lasting(now, alone).result == .wrong)
        #expect(Diagnosis.lasting(now, alone).message.contains("IGMP snooping"))
        #expect(Diagnosis.lasting(now, gone).message.contains("after two minutes, visible failed"))
        #expect(Diagnosis.lasting(gone, now).result == .unknown)
    }
}
