package import NIOCore

/// The limits of one connection's bytes; reaching one ends the connection or stops reading from it.
///
/// With ``writeHighWater`` and one answer beyond it, what a peer that does not read costs is bounded: it is asked nothing
/// more, and events for it wait in its outbox, the latest value of each characteristic.
package enum TransportLimits {
    /// How many requests that came together are taken in one turn of the loop; the others on it come first then.
    static let requestsPerTurn = 64
    /// Bytes that came while a request was being answered; beyond them nothing more is read until the answer has left.
    static let readAhead = 64 * 1024
    /// Bytes handed to the system and not yet taken, from which on the peer counts as not reading.
    static let writeHighWater = 256 * 1024
    /// Bytes from which on it counts as reading again.
    static let writeLowWater = 64 * 1024
    /// How long a frame may take to come whole (HAP 7.1).
    static let frameTime = TimeAmount.seconds(10)
    /// How long a message may take to come whole (HAP 7.3).
    static let messageTime = TimeAmount.seconds(30)
    /// How long bytes may stay unacknowledged by the peer's system before the connection counts as dead (Decision 7).
    package static let acknowledgeTime = TimeAmount.seconds(30)
    /// How long a closing connection may take to write what is left.
    static let closingTime = TimeAmount.seconds(1)
    /// Connections that wait to be accepted: all of a home at once, after a router's restart.
    static let backlog: CInt = 128
}

extension TimeAmount {
    /// What `TCP_USER_TIMEOUT` takes.
    var userTimeout: CInt { CInt(clamping: nanoseconds / 1_000_000) }
}
