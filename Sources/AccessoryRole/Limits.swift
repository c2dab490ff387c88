// All limits that the server sets for its peers. HAPProtocol's Limits.swift contains the limits for single messages,
// and HAPTransport's TransportLimits.swift contains the limits for sockets.
//
// Subscriptions and timed writes need no limit: a session subscribes only to existing characteristics, holds only the
// latest value of each, and keeps only the last announced timed write.

extension EventOutbox {
    /// The maximum number of pending momentary events per characteristic.
    ///
    /// When the limit is reached, a new event replaces the last one.
    static let maximumMomentaryEvents = 16
}

/// Limits on connections (HAP 7.2; Decisions 6 and 7).
extension ConnectionPolicy {
    /// The maximum number of connections.
    ///
    /// Each controller in a home has a connection, iOS opens a second connection before closing the first, and all
    /// controllers reconnect together after a router restarts. All connections may be verified.
    static let maximum = 128
    /// The maximum number of unverified connections, so that they can't use up all connections.
    static let maximumUnverified = 32
    /// The time without requests after which a verified connection may be closed to make room for a new one.
    static let verifiedIdleTimeout = Duration.seconds(60)
    /// The time without requests after which an unverified connection is closed.
    static let unverifiedLifetime = Duration.seconds(60)
    /// The time after which a peer that reads no events is disconnected.
    ///
    /// The transport has the same limit for bytes that the peer's system doesn't acknowledge.
    static let slowPeerTimeout = Duration.seconds(30)
}

/// The rate limits of unauthenticated peers.
///
/// Each connection and each unencrypted request costs one unit. A controller that authenticates gets all its units
/// back, so these limits affect only peers that never authenticate.
extension UnauthenticatedRateLimiter {
    /// The limit for one address: enough for the 100 possible setup code attempts (four units each), plus a reserve.
    static let host = Allowance(units: 512, perSecond: 32)
    /// The limit for all addresses in one IPv6 network (/64), because a single host can use any number of addresses.
    static let network = Allowance(units: 4096, perSecond: 256)
    /// The maximum number of tracked addresses and networks.
    ///
    /// When the limit is exceeded, the address or network with the fewest used units is dropped.
    static let maximumAddresses = 1024
    /// The maximum number of IPv6 addresses that are tracked after a successful proof; one per possible connection.
    ///
    /// When the limit is exceeded, the address with the oldest proof is dropped.
    static let maximumProven = ConnectionPolicy.maximum
}

/// Limits on pair setup (HAP 5.5, 5.7).
extension SetupAttempts {
    /// The number of wrong proofs after which no controller can pair until the operator unlocks pairing.
    ///
    /// The probability of guessing an eight-digit code in 100 attempts is one in a million.
    package static let maximumFailures = 100
    /// How long a connection may be silent before it loses its turn to the next requester.
    package static let silenceLimit = Duration.seconds(30)
    /// The time limit for a connection's valid proof, from its first M1.
    ///
    /// After this time, the connection loses its turn to the next requester.
    package static let turnLimit = Duration.seconds(60)
    /// How long a rejected source counts as waiting and therefore precedes sources that have lost more turns.
    static let waitingTime = Duration.seconds(60)
    /// The maximum number of tracked sources and IPv6 networks.
    ///
    /// When the limit is exceeded, the source or network with the fewest lost turns is dropped.
    static let maximumSources = 512
    /// The time for which a source is tracked after its last request.
    static let memory = Duration.seconds(24 * 60 * 60)
    /// The number of wrong proofs or lost turns in an IPv6 network (/64) that count as one for each of its addresses.
    ///
    /// All hosts in a home share one network, and a single host can use any number of its addresses.
    static let networkShare = 8
    static let longestPause = Duration.seconds(600)

    /// Returns the pause of a source after the given number of wrong proofs.
    ///
    /// There is no pause after the first three wrong proofs, which may be typos. The first pause takes 2 s, and each
    /// further wrong proof doubles it.
    static func pause(afterWrongProofs count: Int) -> Duration {
        count <= 3 ? .zero : min(.seconds(1) * (1 << min(count - 3, 16)), longestPause)
    }

    /// Returns the pause of all sources that have failed before.
    ///
    /// The pause doubles after every ten failures from any source.
    static func pause(afterFailures failures: Int) -> Duration {
        failures < 10 ? .zero : min(.seconds(1) * (1 << min(failures / 10, 16)), longestPause)
    }

    /// Returns the pause of sources that haven't failed.
    ///
    /// The pause is short enough for a user with the correct code, but long enough that a minute of guesses from any
    /// number of addresses can't use up all attempts.
    static func pauseOfNewSources(afterFailures failures: Int) -> Duration {
        switch failures {
        case ..<20: .zero
        case ..<40: .seconds(1)
        case ..<60: .seconds(2)
        case ..<80: .seconds(5)
        default: .seconds(30)
        }
    }
}

extension HandlerCalls {
    /// The maximum number of unfinished calls of one handler, enough for one request from each connection.
    ///
    /// Without this limit, the calls of a handler that ignores cancellation would pile up. Requests beyond the limit
    /// get `busy`.
    static let maximumUnfinished = ConnectionPolicy.maximum
}

extension AccessoryServer {
    /// The time limit for pending responses when the server stops, slightly longer than the 2 s that devices have.
    static let stoppingTime = Duration.milliseconds(2200)
    /// The time limit of a ``RequestHandler`` for each request (Decision 8).
    package static let handlerTimeout = Duration.seconds(2)
}
