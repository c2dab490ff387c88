/// The result of checking one step of a start: a line in the output of a daemon's `--check-start --json`.
package struct StartReport: OperatorMessage {
    /// A step of a start.
    ///
    /// Newer daemons may have additional steps.
    package struct Step: RawRepresentable, Codable, Sendable, Hashable {
        package let rawValue: String

        package init(rawValue: String) { self.rawValue = rawValue }

        package static let configuration = Step(rawValue: "configuration")
        package static let state = Step(rawValue: "state")
        package static let port = Step(rawValue: "port")
        package static let metrics = Step(rawValue: "metrics")
        package static let socket = Step(rawValue: "socket")
    }

    package var step: Step
    /// A human-readable finding, with its remedy if there is one.
    package var message: String
    /// The exit code of a start that would fail at this step, or `nil` if the step would succeed.
    package var code: Int32?
    /// The problem and the remedy, if they are available separately.
    package var problem, remedy: String?

    package init(
        _ step: Step, _ message: String, code: Int32? = nil, problem: String? = nil, remedy: String? = nil
    ) {
        self.step = step
        self.message = message
        self.code = code
        self.problem = problem
        self.remedy = remedy
    }
}
