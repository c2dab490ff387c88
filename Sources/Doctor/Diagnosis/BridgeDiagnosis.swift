internal import BridgeControl
internal import SystemKit
internal import TerminalKit

/// The checks of a running bridge: of its host, its network, its controllers and its drivers.
struct BridgeDiagnosis {
    let facts: Facts
    let status: BridgeStatus
    let diagnostics: BridgeDiagnostics
    let unreachableLights: [String]

    var findings: [CheckResult] {
        let first: [CheckResult] = [
            .ok(.daemon, "lamplighterd \(diagnostics.version) answers (process \(diagnostics.process))"),
            Diagnosis.clock(facts.time, step: diagnostics.clockStep, .bridge),
            Diagnosis.storage(diagnostics.storage, "pairings", .bridge),
        ]
        let checks = first + onTheNetwork + [attempts, pairing, drivers, lights]
        return checks + warnings(besides: checks)
    }

    /// Returns the warnings that `lamplighter status` shows about problems that none of the checks has found.
    private func warnings(besides checks: [CheckResult]) -> [CheckResult] {
        let found = Set(checks.filter { $0.result != .ok }.map(\.check))
        return status.warningLines.compactMap { warning in
            let check: CheckResult.Check
            switch warning.code {
            case .configuration?: check = .configuration
            case .lights?: return CheckResult(.lights, .warning, warning.text)
            case .setupAttempts?: check = .attempts
            case .ownershipRequired?, .unpairedBridge?: check = .pairing
            case .missingInterface?: return CheckResult(.network, .warning, warning.text)
            case .storage?: check = .storage
            case .cloneDetection?: check = .clone
            case .notAdvertised?, .nameTaken?: check = .advertisement
            default: check = .daemon
            }
            return found.contains(check) ? nil : CheckResult(check, .warning, warning.text)
        }
    }

    /// The results of the network checks.
    ///
    /// The checks depend on each other, so those after the first failure are skipped.
    private var onTheNetwork: [CheckResult] {
        let checks: [(CheckResult.Check, () -> CheckResult)] = [
            (.network, { network }), (.advertise, { advertise }),
            (.bus, { Diagnosis.bus(facts.bus, isUsed: isPublished, .bridge) }),
            (.avahi, { Diagnosis.avahi(facts.avahi, isUsed: isPublished, .bridge) }),
            (.clone, { clone }), (.advertisement, { advertisement }), (.responders, { responders }),
            (.visible, { visible }), (.record, { record }), (.addresses, { addresses }),
        ]
        var findings: [CheckResult] = []
        for (check, examine) in checks {
            if let cause = findings.verdict {
                findings.append(.unknown(check, "skipped because the check “\(cause.check.rawValue)” failed"))
            } else {
                findings.append(examine())
            }
        }
        return findings
    }

    // MARK: Host

    private var network: CheckResult {
        guard !diagnostics.interfaces.isEmpty else {
            return .wrong(
                .network, "the bridge has no network interface",
                "connect this computer to a network, or check that bridge.interfaces lists an existing interface (ip link)"
            )
        }
        let names = diagnostics.interfaces.joined(separator: ", ")
        let bare = diagnostics.interfaces.filter { name in
            !facts.queryResults.contains { $0.route.isMulticast(on: name) }
        }
        guard bare.count < diagnostics.interfaces.count else {
            return .wrong(.network, "no address on \(names)", "check the network: ip addr show")
        }
        for name in diagnostics.interfaces where !bare.contains(name) {
            let failures = facts.queryResults.filter { $0.route.isMulticast(on: name) }.map(\.failure)
            guard let failure = failures.first ?? nil, !failures.contains(nil) else { continue }
            return .wrong(
                .network, "can't send on \(name): \(failure)",
                "check the network and the firewall's rules for outgoing UDP port 5353")
        }
        guard bare.isEmpty else {
            return .warning(
                .network, "no address on \(bare.joined(separator: ", ")), so the bridge isn't visible there",
                "check the network (ip addr show), or list only the other interfaces in bridge.interfaces")
        }
        return .ok(.network, "the bridge is visible on \(names)")
    }

    private var advertise: CheckResult {
        guard diagnostics.isToBeAdvertised else {
            return .wrong(
                .advertise, "the configuration sets advertise: none, so controllers can't find the bridge",
                "set bridge.advertise to avahi, and restart lamplighterd", code: 78)
        }
        return .ok(.advertise, "advertising is on")
    }

    private var isPublished: Bool { status.advertisement.state == .published }

    // MARK: Controllers and drivers

    private var attempts: CheckResult {
        let (failed, allowed) = (diagnostics.failedAttempts, diagnostics.attemptsAllowed)
        let message = "\(failed) of \(allowed) attempts to pair with a wrong setup code"
        if failed >= allowed {
            return .wrong(
                .attempts, "\(message), so controllers can't pair anymore",
                "allow more attempts: \(ShellCommand.lamplighter) pairings unlock; "
                    + "\(ShellCommand.lamplighter) setup shows the code"
            )
        }
        if failed > 0 { return .warning(.attempts, message, "\(ShellCommand.lamplighter) setup shows the code") }
        return .ok(.attempts, "no attempts with a wrong setup code")
    }

    private var pairing: CheckResult {
        guard status.paired else {
            return .ok(.pairing, "not paired; \(ShellCommand.lamplighter) setup shows the code")
        }
        let paired = "paired with \(diagnostics.pairings.of("controller"))"
        guard status.controllers == 0 else { return .ok(.pairing, "\(paired), \(status.controllers) connected") }
        let remedy = "if the controller has removed the bridge: \(ShellCommand.lamplighter) pairings remove --all"
        // Without a home hub, phones connect only from time to time, so a missing connection alone isn't a fault.
        guard diagnostics.refusedSetups > 0 else {
            return .warning(.pairing, "\(paired), but none is connected", remedy)
        }
        return .wrong(
            .pairing, "\(paired), but none is connected, and another controller tried to add the bridge",
            remedy)
    }

    private var drivers: CheckResult {
        let unwell = status.drivers.filter { !$0.isWell }
        guard !unwell.isEmpty else { return .ok(.drivers, "\(status.drivers.count) running") }
        return .warning(
            .drivers, unwell.map { "\($0.id) is \($0.state)" }.joined(separator: "; "), "check the log of lamplighterd")
    }

    private var lights: CheckResult {
        let names = unreachableLights
        guard !names.isEmpty else {
            return .ok(.lights, status.lights.count == 0 ? "no lights yet" : "\(status.lights.count), all reachable")
        }
        let shown = names.prefix(5).joined(separator: ", ") + (names.count > 5 ? " ..." : "")
        return .warning(
            .lights, "\(names.count) of \(status.lights.count) unreachable: \(shown)",
            "check that they have power; to remove a device that no longer exists: lamplighter devices forget KEY")
    }
}
