package import BridgeControl

/// The answers of the bridge.
package struct BridgeAnswer: Equatable, Sendable {
    package var status: BridgeStatus
    package var diagnostics: BridgeDiagnostics
    /// The names of unreachable lights.
    package var unreachableLights: [String]

    package init(_ status: BridgeStatus, _ diagnostics: BridgeDiagnostics, unreachableLights: [String] = []) {
        self.status = status
        self.diagnostics = diagnostics
        self.unreachableLights = unreachableLights
    }
}

/// All facts about the bridge, as reported by the daemon and as observed from outside.
package struct Facts: Equatable, Sendable {
    /// An address in the bridge's record and the result of connecting to it.
    package struct Connection: Equatable, Sendable {
        package var address: String
        package var outcome: TCPProbe.Outcome
    }

    package var daemon: DaemonState<BridgeAnswer>
    /// The time according to this computer's clock, in seconds since 1970.
    package var time: Int
    package var bus = UnixProbe.Outcome.answers
    package var avahi = UnixProbe.Outcome.answers
    /// The names of the users whose programs have UDP port 5353 open.
    package var listeners: [String] = []
    package var queryResults: [QueryResult] = []
    package var connections: [Connection] = []

    package init(daemon: DaemonState<BridgeAnswer>, time: Int) {
        self.daemon = daemon
        self.time = time
    }
}
