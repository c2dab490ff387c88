/// The result of one step of a start: a line of `lamplighterd --check-start --json`.
package struct StartReport: BridgeMessage {
    /// A step of a start.
    ///
    /// A newer daemon may have further steps.
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
    /// The finding and the remedy; for people.
    package var message: String
    /// The exit code of a start that fails at this step, or `nil` if the step succeeds.
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
