package import NIOCore

/// The limits for the bytes of one connection.
///
/// When a limit is reached, the connection is closed or reading pauses.
///
/// The memory for a peer that doesn't read is limited to ``writeHighWater`` plus one response. Such a peer gets no
/// further responses, and its events stay in the outbox, with only the latest value of each characteristic.
package enum TransportLimits {
    /// The maximum number of buffered requests that a connection handles in one turn of the event loop, before other
    /// connections get their turn.
    static let requestsPerTurn = 64
    /// The maximum number of bytes that are buffered while a request is being processed.
    ///
    /// When the limit is reached, reading pauses until the response is sent.
    static let readAhead = 64 * 1024
    /// The number of unsent bytes above which the peer counts as not reading.
    static let writeHighWater = 256 * 1024
    /// The number of unsent bytes below which the peer counts as reading again.
    static let writeLowWater = 64 * 1024
    /// The time limit for a complete frame (HAP 7.1).
    static let frameTime = TimeAmount.seconds(10)
    /// The time limit for a complete message (HAP 7.3).
    static let messageTime = TimeAmount.seconds(30)
    /// The time after which a connection with unacknowledged bytes counts as dead (Decision 7).
    package static let acknowledgeTime = TimeAmount.seconds(30)
    /// The time limit for sending the remaining data when a connection closes.
    static let closingTime = TimeAmount.seconds(1)
    /// The maximum number of connections that wait to be accepted, enough for all controllers in a home after a router
    /// restarts.
    static let backlog: CInt = 128
}

extension TimeAmount {
    /// The value for `TCP_USER_TIMEOUT`, in milliseconds.
    var userTimeout: CInt { CInt(clamping: nanoseconds / 1_000_000) }
}
