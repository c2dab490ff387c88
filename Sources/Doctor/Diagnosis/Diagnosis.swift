internal import BridgeControl
internal import Glibc
internal import OperatorControl
internal import SystemKit
internal import TerminalKit

/// Derives findings from facts, without accessing a clock, sockets or files.
package enum Diagnosis {
    /// Returns the results of all checks of the bridge.
    ///
    /// Each result follows the results of the checks that it depends on.
    package static func findings(_ facts: Facts) -> [CheckResult] {
        findings(facts.daemon, of: .bridge, facts.time, bus: facts.bus, avahi: facts.avahi) {
            BridgeDiagnosis(
                facts: facts, status: $0.status, diagnostics: $0.diagnostics, unreachableLights: $0.unreachableLights
            ).findings
        }
    }

    /// Returns the results of `answered` for the answer of a daemon, or of the checks that need no answer.
    static func findings<Answer>(
        _ state: DaemonState<Answer>, of daemon: OperatedDaemon, _ time: Int, bus: UnixProbe.Outcome,
        avahi: UnixProbe.Outcome, _ answered: (Answer) -> [CheckResult]
    ) -> [CheckResult] {
        let root = daemon == .hub ? ShellCommand.homehubAsRoot : ShellCommand.lamplighterAsRoot
        return switch state {
        case .absent(let reason, let start):
            starting(start, reason, daemon) + [clock(time, step: 0, daemon)]
        case .forbidden(let reason):
            [
                clock(time, step: 0, daemon), self.bus(bus, isUsed: false, daemon),
                self.avahi(avahi, isUsed: false, daemon),
                .wrong(
                    .daemon, reason,
                    "for the other checks, run \(root) doctor, or add this user to the \(daemon.group) group and log in "
                        + "again",
                    code: 77),
            ]
        case .distrusted(let reason, let remedy):
            [.wrong(.daemon, "the \(daemon.subject) in this directory isn't checked: \(reason)", remedy, code: 77)]
        case .unfit(let reason):
            [
                .wrong(
                    .daemon, reason,
                    "restart it: systemctl restart \(daemon.program); if that doesn't help, check its log")
            ]
        case .answers(let answer): answered(answer)
        }
    }

    // MARK: A daemon that isn't running

    private static func starting(
        _ start: StartOutput?, _ reason: String, _ daemon: OperatedDaemon
    ) -> [CheckResult] {
        guard let start else {
            return [
                .wrong(
                    .daemon, "\(reason)",
                    "start it: systemctl start \(daemon.program); to find out why it doesn't start, use "
                        + "doctor --config FILE --state-directory DIR")
            ]
        }
        var findings = start.reports.map { report -> CheckResult in
            // Report a step that this version doesn't know as a finding about the daemon.
            let check = CheckResult.Check(rawValue: report.step.rawValue) ?? .daemon
            guard let code = report.code else { return .ok(check, report.message) }
            // If the daemon doesn't report the remedy separately, the message includes it.
            return .wrong(
                check, report.problem ?? report.message, report.problem.flatMap { _ in report.remedy }, code: code)
        }
        if start.code != 0 {
            if findings.verdict == nil {
                let message =
                    start.lastLine ?? "\(daemon.program) --check-start exited with \(start.code) and no message"
                findings.append(.wrong(.daemon, message, nil, code: start.code))
            } else {
                findings.append(.unknown(.daemon, reason))
            }
        } else {
            findings.append(
                .wrong(
                    .daemon, "\(reason), but \(daemon.program) can start",
                    "start it: systemctl start \(daemon.program); if it is already running, specify its socket with "
                        + daemon.socketOption))
        }
        return findings
    }

    // MARK: Clock

    /// The length of a day, in seconds.
    private static let day = 86400
    /// The number of days after the program's release during which the date is considered valid.
    private static let lifetime = 20 * 365
    /// The largest change of the clock without a warning, in seconds.
    private static let smallStep = 60

    static func clock(_ time: Int, step: Int, _ daemon: OperatedDaemon) -> CheckResult {
        let remedy = "set the clock: timedatectl set-ntp true"
        if time < Version.released {
            return .wrong(
                .clock, "this computer's date is \(date(time)), before this program was built", remedy)
        }
        if time > Version.released + lifetime * day {
            return .wrong(.clock, "this computer's date is \(date(time)), which can't be right", remedy)
        }
        if abs(step) > smallStep {
            return .warning(
                .clock,
                "the clock was set \(step > 0 ? "forward" : "back") by \(abs(step)) s while the \(daemon.subject) was running",
                "ignore this if it happens once after the computer starts; otherwise, "
                    + remedy)
        }
        return .ok(.clock, "the date is \(date(time))")
    }

    private static func date(_ time: Int) -> String {
        var time = time_t(time)
        var parts = tm()
        gmtime_r(&time, &parts)
        let numbers = [Int(parts.tm_year) + 1900, Int(parts.tm_mon) + 1, Int(parts.tm_mday)]
        return numbers.map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: "-")
    }

    // MARK: Storage

    /// The free space below which the disk is considered full, in bytes.
    private static let scarce = 1 << 20
    /// The free space below which there is a warning, in bytes.
    private static let enough = 64 << 20

    static func storage(_ storage: StorageReport, _ lost: String, _ daemon: OperatedDaemon) -> CheckResult {
        if let problem = storage.problem {
            return .wrong(
                .storage, problem, "fix this before the \(daemon.subject) restarts; until then, changes may be lost",
                code: 74)
        }
        let rest = "only \(storage.freeBytes / 1024) KiB are free in \(storage.directory)"
        if storage.freeBytes < scarce {
            return .wrong(
                .storage, "the disk is full: \(rest)", "free some space; \(lost) can't be stored", code: 74)
        }
        if storage.freeBytes < enough { return .warning(.storage, rest, "free some space on that disk") }
        return .ok(.storage, "\(storage.directory) is writable")
    }
}
