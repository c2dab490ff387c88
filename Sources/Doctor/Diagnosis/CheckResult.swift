internal import TerminalKit

/// The result of one check.
package struct CheckResult: Encodable, Equatable, Sendable {
    /// The checks, each after the checks that it depends on.
    package enum Check: String, Encodable, Sendable {
        case configuration, state, port, metrics, socket, daemon, clock, storage, network, advertise, bus, avahi, clone
        case advertisement, responders, visible, record, addresses, attempts, pairing, drivers, lights
        case timeZone, discovery, page, accessories
        /// A check that is only made with `--long`.
        case lasting
    }

    package enum Result: String, Encodable, Sendable {
        case ok
        /// A finding that needs attention but doesn't prevent normal use.
        case warning
        case wrong
        /// The check couldn't be made, usually because an earlier check failed.
        case unknown
    }

    package var check: Check
    package var result: Result
    package var message: String
    package var remedy: String?
    /// The exit code of `doctor` if this is the first failed check, from sysexits(3).
    package var code: Int32

    package init(_ check: Check, _ result: Result, _ message: String, remedy: String? = nil, code: Int32 = 0) {
        self.check = check
        self.result = result
        self.message = message
        self.remedy = remedy
        self.code = code
    }

    private enum CodingKeys: CodingKey {
        case check, result, message, remedy
    }

    static func ok(_ check: Check, _ message: String) -> CheckResult { CheckResult(check, .ok, message) }
    static func unknown(_ check: Check, _ message: String) -> CheckResult { CheckResult(check, .unknown, message) }

    static func warning(_ check: Check, _ message: String, _ remedy: String) -> CheckResult {
        CheckResult(check, .warning, message, remedy: remedy)
    }

    static func wrong(_ check: Check, _ message: String, _ remedy: String?, code: Int32 = 69) -> CheckResult {
        CheckResult(check, .wrong, message, remedy: remedy, code: code)
    }
}

extension Sequence where Element == CheckResult {
    /// The first failed check.
    package var verdict: CheckResult? { first { $0.result == .wrong } }
}

/// The output of `doctor --json`.
package struct DiagnosisReport: Encodable, Sendable {
    /// The name of the first failed check, or `well` if there is none.
    private let verdict: String
    private let message: String?
    private let remedy: String?
    private let checks: [CheckResult]

    package init(_ checks: [CheckResult]) {
        verdict = checks.verdict?.check.rawValue ?? "well"
        message = checks.verdict?.message
        remedy = checks.verdict?.remedy
        self.checks = checks
    }
}

extension [CheckResult] {
    /// The results as lines of text for people.
    package var text: String {
        map { finding in
            let isWell = finding.result == .ok || finding.result == .unknown
            let sentence = [finding.message, isWell ? nil : finding.remedy].compactMap(\.self).joined(separator: "; ")
            return finding.result.rawValue.padded(9) + finding.check.rawValue.padded(15) + sentence.sanitized + "\n"
        }.joined()
    }

    /// A clause about the warnings, or an empty text without warnings.
    package var butWarnings: String {
        let count = count { $0.result == .warning }
        return count == 0 ? "" : ", but see the \(count == 1 ? "warning" : "\(count) warnings") above"
    }
}

extension String {
    fileprivate func padded(_ width: Int) -> String {
        self + String(repeating: " ", count: Swift.max(1, width - count))
    }
}
