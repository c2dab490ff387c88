internal import HAPProtocol

/// The policy that limits a server's connections and selects connections to evict (HAP 7.2; Decision 6).
enum ConnectionPolicy {
    /// The decision about a new connection.
    enum Verdict: Equatable {
        case admit
        case evict(ConnectionID)
        case refuse
    }

    /// The properties of a connection that the policy uses.
    struct Candidate {
        let id: ConnectionID
        let isVerified: Bool
        let lastReceived: ContinuousClock.Instant
        /// A Boolean value that indicates whether a pair setup is in progress on the connection.
        ///
        /// Such a connection is never evicted.
        let isPairing: Bool
    }

    static func verdict(on others: [Candidate], now: ContinuousClock.Instant) -> Verdict {
        let unverified = others.filter { !$0.isVerified }
        guard others.count >= maximum || unverified.count >= maximumUnverified else { return .admit }
        if let idle = unverified.filter({ !$0.isPairing }).min(by: { $0.lastReceived < $1.lastReceived }) {
            return .evict(idle.id)
        }
        let verified = others.filter { $0.isVerified && now - $0.lastReceived >= verifiedIdleTimeout }
        if others.count >= maximum, let idle = verified.min(by: { $0.lastReceived < $1.lastReceived }) {
            return .evict(idle.id)
        }
        return .refuse
    }
}
