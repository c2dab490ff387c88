/// What one step of a start has come to: a line of `lamplighterd --check-start --json`.
package struct StartReport: BridgeMessage {
    /// A step of a start; a newer daemon may have more of them.
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
    /// What was found, and what to do if that is wrong; for people.
    package var message: String
    /// The exit code that a start would end with; `nil` if the step is well.
    package var code: Int32?
    /// What was found, and what to do, if they are known apart.
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
