// All limits that the server sets for its peers. HAPProtocol's Limits.swift contains the limits for single messages,
// and HAPTransport's TransportLimits.swift those for sockets.
//
// Two things need no limit: a session subscribes only to existing characteristics and holds only the latest value of
// each, and it keeps only the timed write that was announced last.

extension EventOutbox {
    /// The maximum number of pending momentary events per characteristic.
    ///
    /// When this many are pending, a new event replaces the last one.
    static let maximumMomentaryEvents = 16
}

/// Limits on connections (HAP 7.2; Decisions 6 and 7).
extension ConnectionPolicy {
    /// The maximum number of connections.
    ///
    /// Each controller in a home has one, iOS opens a second one before it closes the first, and all controllers
    /// reconnect together after a router restarts. All connections may be verified.
    static let maximum = 128
    /// The maximum number of unverified connections, so that they can't use up all connections.
    static let maximumUnverified = 32
    /// The time without requests after which a verified connection may be closed to make room for a new one.
    static let verifiedIdleTimeout = Duration.seconds(60)
    /// The time without requests after which an unverified connection is closed.
    static let unverifiedLifetime = Duration.seconds(60)
    /// The time after which a peer that reads no events is disconnected.
    ///
    /// The transport does the same for bytes that the peer doesn't acknowledge.
    static let slowPeerTimeout = Duration.seconds(30)
}

/// The rate limits of unauthenticated peers.
///
/// Each connection and each unencrypted request costs one unit. A controller that authenticates gets all its units
/// back, so these limits affect only peers that never authenticate.
extension UnauthenticatedRateLimiter {
    /// The limit of one address: enough for the hundred possible setup code attempts (four units each), plus a reserve.
    static let host = Allowance(units: 512, perSecond: 32)
    /// The limit of all addresses of one IPv6 network (/64), because a single host can use any number of them.
    static let network = Allowance(units: 4096, perSecond: 256)
    /// The maximum number of tracked addresses and networks.
    ///
    /// When it is exceeded, the one with the fewest used units is dropped.
    static let maximumAddresses = 1024
    /// The maximum number of IPv6 addresses that are tracked after a successful proof.
    ///
    /// It equals the maximum number of connections.
    ///
    /// When it is exceeded, the address with the oldest proof is dropped.
    static let maximumProven = ConnectionPolicy.maximum
}

/// Limits on pair setup (HAP 5.5, 5.7).
extension SetupAttempts {
    /// The number of wrong proofs after which no controller can pair until the operator unlocks pairing.
    ///
    /// With so many guesses at an eight-digit code, the probability of success is one in a million.
    package static let maximumFailures = 100
    /// How long a connection may be silent before it loses its turn to the next requester.
    package static let silenceLimit = Duration.seconds(30)
    /// The time after the first M1 within which a connection must send a valid proof.
    ///
    /// If it doesn't, it loses its turn to the next requester.
    package static let turnLimit = Duration.seconds(60)
    /// How long a rejected source counts as waiting and therefore precedes sources that have lost more turns.
    static let waitingTime = Duration.seconds(60)
    /// The maximum number of tracked sources and IPv6 networks.
    ///
    /// When it is exceeded, the one with the fewest lost turns is dropped.
    static let maximumSources = 512
    /// The time for which a source is tracked after its last request.
    static let memory = Duration.seconds(24 * 60 * 60)
    /// The number of wrong proofs or lost turns in an IPv6 network (/64) that count as one for each of its addresses.
    ///
    /// All hosts in a home share the link's network, and one host can use any number of its addresses.
    static let networkShare = 8
    static let longestPause = Duration.seconds(600)

    /// Returns the pause of a source after its wrong proofs: none for the first three, which may be typos, then 2 s,
    /// doubled with each further one.
    static func pause(afterWrongProofs count: Int) -> Duration {
        count <= 3 ? .zero : min(.seconds(1) * (1 << min(count - 3, 16)), longestPause)
    }

    /// Returns the pause of all sources that have failed before.
    ///
    /// It doubles after every ten failures from any source.
    static func pause(afterFailures failures: Int) -> Duration {
        failures < 10 ? .zero : min(.seconds(1) * (1 << min(failures / 10, 16)), longestPause)
    }

    /// Returns the pause of sources that haven't failed.
    ///
    /// It is short enough for a user with the correct code, and so long that a minute of guesses from any number of
    /// addresses doesn't use up the attempts.
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
    /// The maximum number of unfinished calls of one handler; enough for one request from each connection.
    ///
    /// Without the limit, tasks of a handler that ignores cancellation would pile up. Requests beyond it get `busy`.
    static let maximumUnfinished = ConnectionPolicy.maximum
}

extension AccessoryServer {
    /// The time limit for pending responses when the server stops; devices have 2 s to respond.
    static let stoppingTime = Duration.milliseconds(2200)
    /// The time limit of a ``RequestHandler`` for each request (Decision 8).
    package static let handlerTimeout = Duration.seconds(2)
}
