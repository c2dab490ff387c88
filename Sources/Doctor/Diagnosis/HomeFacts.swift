package import HubControl

/// The answers of the hub.
package struct HubAnswer: Equatable, Sendable {
    package var status: HubStatusReport
    package var diagnostics: HubDiagnostics

    package init(_ status: HubStatusReport, _ diagnostics: HubDiagnostics) {
        self.status = status
        self.diagnostics = diagnostics
    }
}

/// All facts about the home hub, as reported by the daemon and as observed from outside.
package struct HomeFacts: Equatable, Sendable {
    package var daemon: DaemonState<HubAnswer>
    /// The time according to this computer's clock, in seconds since 1970.
    package var time: Int
    package var bus = UnixProbe.Outcome.answers
    package var avahi = UnixProbe.Outcome.answers
    /// The path of the socket for apps.
    package var socket = ""
    /// The mode of the socket for apps; `nil` if the socket doesn't exist.
    package var socketMode: UInt32?
    /// The results of connecting to the advertised addresses of accessories without a connection, by device ID.
    ///
    /// An accessory that this command doesn't see by mDNS is missing.
    package var connections: [String: [Facts.Connection]] = [:]

    package init(daemon: DaemonState<HubAnswer>, time: Int) {
        self.daemon = daemon
        self.time = time
    }
}
