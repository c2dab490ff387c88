internal import BridgeControl
internal import Glibc
internal import SystemKit
internal import TerminalKit

/// Derives findings from facts, without accessing a clock, sockets or files.
package enum Diagnosis {
    /// Returns the results of all checks.
    ///
    /// Each result follows the results of the checks that it depends on.
    package static func findings(_ facts: Facts) -> [CheckResult] {
        switch facts.daemon {
        case .absent(let reason, let start): starting(start, reason) + [clock(facts.time, step: 0)]
        case .forbidden(let reason):
            [
                clock(facts.time, step: 0), bus(facts.bus, isUsed: false), avahi(facts.avahi, isUsed: false),
                .wrong(
                    .daemon, reason,
                    "for the other checks, run \(ShellCommand.lamplighterAsRoot) doctor, or add this user to the "
                        + "lamplighter group and log in again",
                    code: 77),
            ]
        case .distrusted(let reason, let remedy):
            [.wrong(.daemon, "the bridge in this directory isn't checked: \(reason)", remedy, code: 77)]
        case .unfit(let reason):
            [.wrong(.daemon, reason, "restart it: systemctl restart lamplighterd; if that doesn't help, check its log")]
        case .answers(let status, let diagnostics):
            BridgeDiagnosis(facts: facts, status: status, diagnostics: diagnostics).findings
        }
    }

    // MARK: A daemon that isn't running

    private static func starting(_ start: Facts.StartCheck?, _ reason: String) -> [CheckResult] {
        guard let start else {
            return [
                .wrong(
                    .daemon, "\(reason)",
                    "start it: systemctl start lamplighterd; to find out why it doesn't start, use "
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
                let message = start.lastLine ?? "lamplighterd --check-start exited with \(start.code) and no message"
                findings.append(.wrong(.daemon, message, nil, code: start.code))
            } else {
                findings.append(.unknown(.daemon, reason))
            }
        } else {
            findings.append(
                .wrong(
                    .daemon, "\(reason), but lamplighterd can start",
                    "start it: systemctl start lamplighterd; if it is already running, specify its socket with --control"
                ))
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

    static func clock(_ time: Int, step: Int) -> CheckResult {
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
                "the clock was set \(step > 0 ? "forward" : "back") by \(abs(step)) s while the bridge was running",
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
}
