package import BridgeControl

/// All facts about the bridge, as reported by the daemon and as observed from outside.
package struct Facts: Equatable, Sendable {
    /// The result of a request to the daemon.
    package enum Daemon: Equatable, Sendable {
        case answers(BridgeStatus, BridgeDiagnostics)
        /// The daemon isn't running. `start` is the result of checking whether it can start, or `nil` if that isn't
        /// possible.
        case absent(reason: String, start: StartCheck?)
        /// The current directory contains a bridge that this user must not trust, and no other bridge is installed.
        case distrusted(reason: String, remedy: String?)
        /// The daemon is running, but this user has no permission to connect to it.
        case forbidden(reason: String)
        /// The daemon is running, but doesn't answer, or gives an invalid answer.
        case unfit(reason: String)
    }

    /// The output of `lamplighterd --check-start --json`.
    package struct StartCheck: Equatable, Sendable {
        /// The results of the steps, in order.
        package var reports: [StartReport]
        /// The last line of output that isn't a report.
        ///
        /// If the program failed although all steps passed, this line contains the reason.
        var lastLine: String?
        /// The exit code.
        package var code: Int32
    }

    /// An address in the bridge's record and the result of connecting to it.
    package struct Connection: Equatable, Sendable {
        package var address: String
        package var outcome: TCPProbe.Outcome
    }

    package var daemon: Daemon
    /// The time according to this computer's clock, in seconds since 1970.
    package var time: Int
    package var bus = UnixProbe.Outcome.answers
    package var avahi = UnixProbe.Outcome.answers
    /// The names of the users whose programs have UDP port 5353 open.
    package var listeners: [String] = []
    package var queryResults: [QueryResult] = []
    package var connections: [Connection] = []
    /// The names of unreachable lights.
    package var unreachableLights: [String] = []

    package init(daemon: Daemon, time: Int) {
        self.daemon = daemon
        self.time = time
    }
}
