internal import HubControl
internal import OperatorControl
internal import SystemKit
internal import TerminalKit

extension Diagnosis {
    /// Returns the results of all checks of the home hub.
    ///
    /// Each result follows the results of the checks that it depends on.
    package static func findings(_ facts: HomeFacts) -> [CheckResult] {
        findings(facts.daemon, of: .hub, facts.time, bus: facts.bus, avahi: facts.avahi) {
            HomeDiagnosis(facts: facts, status: $0.status, diagnostics: $0.diagnostics).findings
        }
    }
}

/// The checks of a running home hub: of its host, its files, its apps and its accessories.
struct HomeDiagnosis {
    /// The maximum number of names in a finding.
    private static let maximumNames = 5

    let facts: HomeFacts
    let status: HubStatusReport
    let diagnostics: HubDiagnostics

    var findings: [CheckResult] {
        [
            .ok(.daemon, "homehubd \(diagnostics.version) answers (process \(diagnostics.process))"),
            configuration, Diagnosis.clock(facts.time, step: diagnostics.clockStep, .hub), timeZone,
            Diagnosis.storage(diagnostics.storage, "changes of the homes", .hub), history, socket, page,
        ] + discovery + accessories
    }

    // MARK: Files and apps

    private var configuration: CheckResult {
        guard let error = diagnostics.configurationError else {
            return .ok(.configuration, "\(diagnostics.configuration) is valid")
        }
        return .wrong(
            .configuration, error, "correct it before the hub restarts: sudo homehubd --check-config", code: 78)
    }

    private var timeZone: CheckResult {
        guard diagnostics.missingTimeZones.isEmpty else {
            return .wrong(
                .timeZone,
                "there are no rules for \(diagnostics.missingTimeZones.joined(separator: ", ")), so automations run at "
                    + "the wrong time",
                "install the package tzdata, or choose another time zone: \(ShellCommand.homehub) homes location")
        }
        return .ok(.timeZone, "the time zone is \(diagnostics.timeZone ?? "known, but has no name")")
    }

    private var history: CheckResult {
        guard let error = diagnostics.historyError else { return .ok(.state, "the homes and the history are usable") }
        return .warning(.state, "the hub runs without a history: \(error)", "fix this, and restart homehubd")
    }

    /// Checks whether the apps of all users can connect.
    private var socket: CheckResult {
        guard let mode = facts.socketMode else {
            return .wrong(
                .socket, "the socket for apps, \(facts.socket), doesn't exist",
                "restart it: systemctl restart homehubd")
        }
        guard mode & 0o666 == 0o666 else {
            return .wrong(
                .socket, "\(facts.socket) has the mode 0\(String(mode & 0o777, radix: 8)), so some apps can't connect",
                "restart it to set 0666: systemctl restart homehubd", code: 77)
        }
        return .ok(.socket, "apps can connect to \(facts.socket); \(status.apps.of("app")) connected")
    }

    private var page: CheckResult {
        let command = "\(ShellCommand.homehubAsRoot) privacy allow org.lamplighter.homeweb"
        return switch diagnostics.page {
        case .allowed: .ok(.page, "the web page has access to the homes")
        case .unknown: .ok(.page, "the web page isn't installed, or has never asked for access")
        case .denied: .warning(.page, "the web page is denied access to the homes", "to allow it: \(command)")
        case .undecided: .warning(.page, "the web page waits for permission", "to allow it: \(command)")
        }
    }

    // MARK: Accessories

    /// The results of the checks of discovery.
    ///
    /// The checks depend on each other, so those after the first failure are skipped.
    private var discovery: [CheckResult] {
        let isUsed = diagnostics.discoveryError == nil
        var findings = [
            Diagnosis.bus(facts.bus, isUsed: isUsed, .hub), Diagnosis.avahi(facts.avahi, isUsed: isUsed, .hub),
        ]
        if let error = diagnostics.discoveryError, findings.verdict == nil {
            findings.append(
                .wrong(
                    .discovery, "accessories can't be found: \(error)",
                    "check journalctl -u avahi-daemon; D-Bus or AppArmor may also block discovery"))
        }
        return findings
    }

    private var accessories: [CheckResult] {
        let problems = diagnostics.servers.flatMap(problems(of:))
        guard problems.isEmpty else { return problems }
        let count = diagnostics.servers.count
        return [.ok(.accessories, count == 0 ? "no accessories yet" : "\(count), all connected")]
    }

    private func problems(of server: HubDiagnostics.Server) -> [CheckResult] {
        let name = "\(server.name) (\(server.home))"
        guard !server.isConnected else {
            guard !server.unreachable.isEmpty else { return [] }
            let names = server.unreachable.prefix(Self.maximumNames).joined(separator: ", ")
            let more = server.unreachable.count > Self.maximumNames ? " ..." : ""
            return [
                .warning(
                    .accessories, "\(name) is connected but can't reach \(names)\(more)", "check that they have power")
            ]
        }
        if let fault = server.fault { return [.wrong(.accessories, "\(name) isn't connected: \(fault)", nil)] }
        let connections = facts.connections[server.deviceID]
        let reached = connections?.first { $0.outcome == .answers || $0.outcome == .foreign }
        switch (connections, reached) {
        case (nil, _) where !server.isFound:
            return [
                .wrong(
                    .accessories, "\(name) isn't found by mDNS",
                    "check that it has power and is on this network; avahi-browse -rt _hap._tcp lists accessories")
            ]
        case (nil, _):
            return [
                .wrong(
                    .accessories, "\(name) no longer answers mDNS",
                    "check that it has power and is on this network; avahi-browse -rt _hap._tcp lists accessories")
            ]
        case (_, let reached?):
            return [
                .wrong(
                    .accessories,
                    "\(name) accepts connections at \(reached.address), but the hub has no verified connection",
                    "wait a minute; if nothing changes, restart the accessory, or pair it again: "
                        + "\(ShellCommand.homehub) repair")
            ]
        default:
            let address = connections?.first.map { " at \($0.address)" } ?? ""
            return [
                .wrong(
                    .accessories, "\(name) is found by mDNS, but doesn't accept connections\(address)",
                    "restart the accessory, and check the firewall between it and this computer")
            ]
        }
    }
}
