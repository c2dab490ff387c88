package import HAPProtocol

/// Who is in the middle of pair setup, and how many proofs have failed (HAP 5.5, 5.7).
package struct SetupAttempts: Equatable, Sendable {
    /// Failed proofs since the last success; durable.
    package var failures: Int
    private var owner: (connection: ConnectionID, lastReceived: ContinuousClock.Instant)?

    package init(failures: Int) { self.failures = failures }

    var areExhausted: Bool { failures >= Self.maximumFailures }

    /// The connection that would have to give way for another one to begin; `nil` if the way is free.
    func rival(of connection: ConnectionID) -> ConnectionID? {
        guard let owner, owner.connection != connection else { return nil }
        return owner.connection
    }

    /// Whether another connection is in the way and still busy.
    package func isBusy(for connection: ConnectionID, now: ContinuousClock.Instant) -> Bool {
        guard let owner, owner.connection != connection else { return false }
        return now - owner.lastReceived < Self.timeout
    }

    /// The connection has the procedure and was active just now.
    package mutating func received(from connection: ConnectionID, now: ContinuousClock.Instant) {
        owner = (connection, now)
    }

    /// The connection has ended the procedure, or is gone.
    package mutating func release(_ connection: ConnectionID) {
        if owner?.connection == connection { owner = nil }
    }

    package static func == (a: SetupAttempts, b: SetupAttempts) -> Bool {
        a.failures == b.failures && a.owner?.connection == b.owner?.connection
            && a.owner?.lastReceived == b.owner?.lastReceived
    }
}
