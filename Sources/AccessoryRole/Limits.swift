// What the server takes from its peers at most, in one place. The limits of single messages are in HAPProtocol's
// Limits.swift, those of the sockets in HAPTransport's.
//
// Two things need no limit: a session subscribes only to existing characteristics and holds the latest value of each, and
// it announces one timed write at a time, the newest.

extension EventOutbox {
    /// The most momentary events of one characteristic that wait for a connection; beyond them the newest replaces the last.
    static let maximumMomentaryEvents = 16
}

/// Connections and those who hold them (HAP 7.2; Decisions 6 and 7).
extension ConnectionPolicy {
    /// The most connections at once: every device and hub of a home has one, iOS opens a second before it ends the first,
    /// and after a router's restart all come back together; all may be verified.
    static let maximum = 128
    /// The most connections that have not been verified: they must not take all places.
    static let maximumUnverified = 32
    /// A verified connection is not put out before it has been silent for so long.
    static let verifiedIdleTimeout = Duration.seconds(60)
    /// A connection that is not verified, and has asked for nothing within this time, is closed.
    static let unverifiedLifetime = Duration.seconds(60)
    /// A peer that has taken nothing of what it should be told for so long is dropped; the transport does the same for
    /// bytes that its system does not acknowledge.
    static let slowPeerTimeout = Duration.seconds(30)
}

/// The rate limit of unauthenticated peers: a unit for each connection, and for each request in clear. A controller that proves
/// itself gets all of it back, so these limits are for those who never do.
extension UnauthenticatedRateLimiter {
    /// Of one address: the hundred attempts at the setup code that there are (four units each), and some.
    static let host = Allowance(units: 512, perSecond: 32)
    /// Of all addresses of one IPv6 network (/64), of which a single host can use any number.
    static let network = Allowance(units: 4096, perSecond: 256)
    /// The most addresses and networks that are remembered; beyond them the one that has used least is forgotten.
    static let maximumAddresses = 1024
    /// The most IPv6 addresses that are remembered because proof has come from them, as many as there may be connections;
    /// beyond them the one is forgotten from which it has not come for longest.
    static let maximumProven = ConnectionPolicy.maximum
}

/// Pair setup (HAP 5.5, 5.7).
extension SetupAttempts {
    /// After so many failed attempts no controller can try any more until the operator unlocks or a pairing succeeds: with eight
    /// digits, a guess in a million.
    package static let maximumFailures = 100
    /// The silence after which a connection loses its turn to the next that asks.
    package static let silenceLimit = Duration.seconds(30)
    /// The time from the first M1 to a valid proof, after which a connection loses its turn to the next that asks.
    package static let turnLimit = Duration.seconds(60)
    /// The time for which a refused source is waiting, and goes before sources that have lost more turns.
    static let waitingTime = Duration.seconds(60)
    /// The most sources and IPv6 networks that are remembered; beyond them the one with the fewest lost turns is forgotten.
    static let maximumSources = 512
    /// The time for which a source is remembered after its last request.
    static let memory = Duration.seconds(24 * 60 * 60)
    /// The number of wrong proofs or lost turns of an IPv6 network (/64) that count as one of each of its addresses.
    ///
    /// All hosts of a home share the link's network, and one host can use any number of its addresses.
    static let networkShare = 8
    /// The longest pause.
    static let longestPause = Duration.seconds(600)

    /// The pause of a source after its wrong proofs: none for three typos, then 2 s, twice as long after each further one.
    static func pause(afterWrongProofs count: Int) -> Duration {
        count <= 3 ? .zero : min(.seconds(1) * (1 << min(count - 3, 16)), longestPause)
    }

    /// The pause of all sources that have failed before: twice as long after every ten failures of whichever source.
    static func pause(afterFailures failures: Int) -> Duration {
        failures < 10 ? .zero : min(.seconds(1) * (1 << min(failures / 10, 16)), longestPause)
    }

    /// The pause of the other sources: short enough for a person with the right code, and long enough that a minute of
    /// guesses, from however many addresses, doesn't use up the attempts.
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

extension AccessoryServer {
    /// How long the last answers may take when the server stops: a device has 2 s.
    static let stoppingTime = Duration.milliseconds(2200)
    /// How long a ``RequestHandler`` may take for a request (Decision 8).
    package static let handlerTimeout = Duration.seconds(2)
}
