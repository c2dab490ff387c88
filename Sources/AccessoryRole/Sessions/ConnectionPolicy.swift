internal import HAPProtocol

/// How many connections a server keeps, and who has to go when there are more (HAP 7.2; Decision 6).
enum ConnectionPolicy {
    /// What to do about a connection that has just come.
    enum Verdict: Equatable {
        case admit
        case evict(ConnectionID)
        case refuse
    }

    /// What the policy needs to know of a connection.
    struct Candidate {
        let id: ConnectionID
        let isVerified: Bool
        let lastReceived: ContinuousClock.Instant
        /// In the middle of pairing: not to be evicted by another unauthenticated peer.
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
