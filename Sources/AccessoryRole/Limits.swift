// What the server takes from its peers at most, in one place. The limits of single messages are in HAPProtocol's
// Limits.swift, those of the sockets in HAPTransport's.
//
// Two things need no limit of their own. A session can subscribe only to characteristics that there are, and holds one
// latest value for each; and it announces one timed write at a time, the newest.

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
    /// An owner that has been silent for so long loses the procedure to the next who asks.
    package static let timeout = Duration.seconds(30)
}

extension AccessoryServer {
    /// How long the last answers may take when the server stops: a device has 2 s.
    static let stoppingTime = Duration.milliseconds(2200)
}
