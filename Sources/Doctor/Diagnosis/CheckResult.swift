/// The result of one check.
package struct CheckResult: Encodable, Equatable, Sendable {
    /// The checks, each after the checks that it depends on.
    package enum Check: String, Encodable, Sendable {
        case configuration, state, port, metrics, socket, daemon, clock, storage, network, advertise, bus, avahi, clone
        case advertisement, responders, visible, record, addresses, attempts, pairing, drivers, lights
        /// A check that is only made with `--long`.
        case lasting
    }

    package enum Result: String, Encodable, Sendable {
        case ok
        /// A finding that needs attention but doesn't keep controllers from using the bridge.
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
