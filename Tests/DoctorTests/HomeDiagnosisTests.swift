import HubControl
import OperatorControl
import TerminalKit
import TestTimeouts
import Testing

@testable import Doctor

@Suite("HomeDiagnosis", .timeout)
struct HomeDiagnosisTests {
    private static let status = HubStatusReport(
        version: "1.0", since: "2026-11-21T10:00:00.000Z", homes: 1, connected: 2, notConnected: [], apps: 2,
        databaseBytes: 1 << 16, historyBytes: 1 << 16, lastCopy: nil, warnings: [])

    private static let diagnostics = HubDiagnostics(
        version: "1.0", process: 12, configuration: "/etc/homehub/homehub.yaml", interfaces: ["eth0"], clockStep: 0,
        storage: .init(directory: "/state", freeBytes: 1 << 30), timeZone: "Europe/Berlin", missingTimeZones: [],
        page: .allowed,
        servers: [
            .init(deviceID: "AA:00:00:00:00:01", name: "Lamp", home: "Villa", isConnected: true, isFound: true),
            .init(deviceID: "AA:00:00:00:00:02", name: "Bridge", home: "Villa", isConnected: true, isFound: true),
        ])

    private static func facts(
        _ diagnostics: HubDiagnostics = diagnostics, _ change: (inout HomeFacts) -> Void = { _ in }
    ) -> HomeFacts {
        var facts = HomeFacts(daemon: .answers(HubAnswer(status, diagnostics)), time: Version.released + 86400)
        facts.socket = "/run/homehub/home.sock"
        facts.socketMode = 0o140666
        change(&facts)
        return facts
    }

    @Test("passes every check of a healthy hub")
    func healthy() {
        let findings = Diagnosis.findings(Self.facts())
        #expect(findings.allSatisfy { $0.result == .ok }, "\(findings.text)")
        #expect(
            findings.map(\.check) == [
                .daemon, .configuration, .clock, .timeZone, .storage, .state, .socket, .page, .bus, .avahi,
                .accessories,
            ])
    }

    /// A fault and the expected finding.
    struct Fault: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let check: CheckResult.Check
        let result: CheckResult.Result
        let code: Int32
        /// The texts that the message and the remedy must contain.
        let words: [String]
        let facts: HomeFacts

        init(
            _ name: String, _ check: CheckResult.Check, _ result: CheckResult.Result = .wrong, _ words: String...,
            code: Int32 = 69, diagnostics: (inout HubDiagnostics) -> Void = { _ in },
            facts: (inout HomeFacts) -> Void = { _ in }
        ) {
            testDescription = name
            self.check = check
            self.result = result
            self.code = result == .wrong ? code : 0
            self.words = words
            var changed = HomeDiagnosisTests.diagnostics
            diagnostics(&changed)
            self.facts = HomeDiagnosisTests.facts(changed, facts)
        }
    }

    private static func lamp(
        _ change: @escaping (inout HubDiagnostics.Server) -> Void
    ) -> (inout HubDiagnostics) -> Void {
        {
            $0.servers[0].isConnected = false
            change(&$0.servers[0])
        }
    }

    private static func connecting(_ outcome: TCPProbe.Outcome) -> (inout HomeFacts) -> Void {
        { $0.connections["AA:00:00:00:00:01"] = [.init(address: "10.0.0.9", outcome: outcome)] }
    }

    static let faults = [
        Fault(
            "an invalid configuration", .configuration, .wrong, "unknown key", "--check-config", code: 78,
            diagnostics: { $0.configurationError = "f:1:1: unknown key" }),
        Fault("a clock that is far off", .clock, .wrong, "timedatectl", facts: { $0.time = 0 }),
        Fault(
            "a time zone without rules", .timeZone, .wrong, "Mars/Phobos", "tzdata",
            diagnostics: { $0.missingTimeZones = ["Mars/Phobos"] }),
        Fault(
            "a damaged database", .storage, .wrong, "is damaged", code: 74,
            diagnostics: { $0.storage.problem = "home.sqlite is damaged" }),
        Fault(
            "a full disk", .storage, .wrong, "disk is full", "changes of the homes", code: 74,
            diagnostics: { $0.storage.freeBytes = 4096 }),
        Fault(
            "an almost full disk", .storage, .warning, "/state", diagnostics: { $0.storage.freeBytes = 32 << 20 }),
        Fault("no history", .state, .warning, "no permission", diagnostics: { $0.historyError = "no permission" }),
        Fault("no socket for apps", .socket, .wrong, "restart", facts: { $0.socketMode = nil }),
        Fault("a closed socket", .socket, .wrong, "0660", code: 77, facts: { $0.socketMode = 0o140660 }),
        Fault("a waiting page", .page, .warning, "privacy allow", diagnostics: { $0.page = .undecided }),
        Fault("a denied page", .page, .warning, "privacy allow", diagnostics: { $0.page = .denied }),
        Fault(
            "no Avahi", .avahi, .wrong, "isn't running",
            diagnostics: { $0.discoveryError = "Avahi isn't running" }, facts: { $0.avahi = .absent }),
        Fault(
            "blocked discovery", .discovery, .wrong, "AppArmor", diagnostics: { $0.discoveryError = "access denied" }),
        Fault(
            "an accessory without power", .accessories, .wrong, "Lamp (Villa)", "isn't found", "power",
            diagnostics: lamp { $0.isFound = false }),
        Fault(
            "an accessory that has just lost its power", .accessories, .wrong, "Lamp (Villa)", "no longer answers",
            diagnostics: lamp { _ in }),
        Fault(
            "an accessory that doesn't accept connections", .accessories, .wrong, "10.0.0.9", "firewall",
            diagnostics: lamp { _ in }, facts: connecting(.timedOut)),
        Fault(
            "an accessory that rejects the pairing", .accessories, .wrong, "no verified connection", "homehub repair",
            diagnostics: lamp { _ in }, facts: connecting(.answers)),
        Fault(
            "an accessory that was reset", .accessories, .wrong, "it no longer recognizes this home",
            diagnostics: lamp { $0.fault = "it no longer recognizes this home" }, facts: connecting(.answers)),
        Fault(
            "an unreachable accessory of a bridge", .accessories, .warning, "Bridge (Villa)", "Desk",
            diagnostics: { $0.servers[1].unreachable = ["Desk"] }),
        Fault(
            "no permission", .daemon, .wrong, "homehub group", code: 77,
            facts: { $0.daemon = .forbidden(reason: "no permission to use it") }),
        Fault(
            "a hanging hub", .daemon, .wrong, "systemctl restart homehubd",
            facts: { $0.daemon = .unfit(reason: "it doesn't answer") }),
        Fault(
            "a hub that can't start", .state, .wrong, "homehub restore", code: 65,
            facts: {
                $0.daemon = .absent(
                    reason: "no process",
                    start: StartOutput(
                        reports: [StartReport(.state, "damaged; homehub restore FILE", code: 65)], lastLine: nil,
                        code: 65))
            }),
    ]

    @Test("names each fault and its remedy", arguments: faults)
    func fault(_ fault: Fault) throws {
        let findings = Diagnosis.findings(fault.facts)
        let finding = try #require(findings.first { $0.result == .wrong || $0.result == .warning }, "\(findings.text)")
        #expect(finding.check == fault.check)
        #expect(finding.result == fault.result)
        #expect(finding.code == fault.code)
        let text = [finding.message, finding.remedy].compactMap(\.self).joined(separator: "; ")
        for word in fault.words { #expect(text.contains(word)) }
    }

    @Test("reports every accessory with a problem")
    func severalAccessories() {
        var diagnostics = Self.diagnostics
        for index in diagnostics.servers.indices {
            diagnostics.servers[index].isConnected = false
            diagnostics.servers[index].isFound = false
        }
        let findings = Diagnosis.findings(Self.facts(diagnostics)).filter { $0.check == .accessories }
        #expect(findings.map(\.result) == [.wrong, .wrong])
    }
}
