package import BridgeControl

/// All that was found out about the bridge, from it and past it.
package struct Facts: Equatable, Sendable {
    /// What came of talking to the daemon.
    package enum Daemon: Equatable, Sendable {
        case answers(BridgeStatus, BridgeDiagnostics)
        /// No daemon runs; why it does not start, as far as that is known.
        case absent(reason: String, start: StartCheck?)
        /// It is there, and this user may not talk to it.
        case forbidden(reason: String)
        /// It is there, and does not answer or not as it should.
        case unfit(reason: String)
    }

    /// What `lamplighterd --check-start --json` says.
    package struct StartCheck: Equatable, Sendable {
        /// What each step has come to, in their order.
        package var reports: [StartReport]
        /// The last of its other lines, which says why it ends if no report does.
        var lastLine: String?
        /// Its exit code.
        package var code: Int32
    }

    /// One address of the bridge's record, and what came of connecting to it.
    package struct Connection: Equatable, Sendable {
        package var address: String
        package var outcome: TCPProbe.Outcome
    }

    package var daemon: Daemon
    /// Seconds since 1970, as this computer's clock says.
    package var time: Int
    package var bus = UnixProbe.Outcome.answers
    package var avahi = UnixProbe.Outcome.answers
    /// The users that have port 5353 open.
    package var listeners: [String] = []
    package var queryResults: [QueryResult] = []
    package var connections: [Connection] = []
    /// The names of lights that do not answer.
    package var unreachableLights: [String] = []

    package init(daemon: Daemon, time: Int) {
        self.daemon = daemon
        self.time = time
    }
}
