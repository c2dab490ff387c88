internal import HAPProtocol

/// How many connections a server keeps, and who has to go when there are more (hap.md 7.2; decision 6).
enum ConnectionPolicy {
    /// The most connections at once; every device and hub of a home has one, and after a router's restart all come back
    /// together.
    static let maximum = 64
    /// The most connections that have not been verified: strangers must not fill the house.
    static let maximumUnverified = 32
    /// A verified connection is not put out before it has been silent for so long.
    static let verifiedPatience = Duration.seconds(60)
    /// A connection that is not verified within this time is closed.
    static let unverifiedLifetime = Duration.seconds(60)
    /// A peer that has taken nothing of what it should be told for so long is dropped (decision 7).
    static let slowPeerPatience = Duration.seconds(30)

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
        let lastHeard: ContinuousClock.Instant
        /// In the middle of pairing: not to be put out by a stranger.
        let isPairing: Bool
    }

    static func verdict(on others: [Candidate], now: ContinuousClock.Instant) -> Verdict {
        let unverified = others.filter { !$0.isVerified }
        guard others.count >= maximum || unverified.count >= maximumUnverified else { return .admit }
        if let idle = unverified.filter({ !$0.isPairing }).min(by: { $0.lastHeard < $1.lastHeard }) {
            return .evict(idle.id)
        }
        let verified = others.filter { $0.isVerified && now - $0.lastHeard >= verifiedPatience }
        if others.count >= maximum, let idle = verified.min(by: { $0.lastHeard < $1.lastHeard }) {
            return .evict(idle.id)
        }
        return .refuse
    }
}
