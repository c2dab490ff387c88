package import OperatorControl

/// The result of a request to a daemon.
package enum DaemonState<Answer: Equatable & Sendable>: Equatable, Sendable {
    case answers(Answer)
    /// The daemon isn't running. `start` is the result of checking whether it can start, or `nil` if that isn't
    /// possible.
    case absent(reason: String, start: StartOutput?)
    /// The current directory contains a daemon that this user must not trust, and no other daemon is installed.
    case distrusted(reason: String, remedy: String?)
    /// The daemon is running, but this user has no permission to connect to it.
    case forbidden(reason: String)
    /// The daemon is running, but doesn't answer, or gives an invalid answer.
    case unfit(reason: String)
}

/// The output of a daemon's `--check-start --json`.
package struct StartOutput: Equatable, Sendable {
    /// The results of the steps, in order.
    package var reports: [StartReport]
    /// The last line of output that isn't a report.
    ///
    /// If the program failed although all steps passed, this line contains the reason.
    var lastLine: String?
    /// The exit code.
    package var code: Int32
}
