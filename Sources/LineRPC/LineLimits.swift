/// Limits of one end of a connection, for received data and for buffered data.
package struct LineLimits: Sendable, Equatable {
    /// The longest line to accept from the peer, in bytes without the line feed.
    ///
    /// In a session, this also limits the total length of all requests that haven't been answered yet.
    package var lineLength: Int
    /// The longest line to send, in bytes without the line feed; it must match the peer's limit for received lines.
    package var sentLineLength: Int
    /// The maximum number of unanswered requests in each direction.
    package var outstandingRequests: Int
    /// The maximum number of bytes to buffer for a slow reader.
    ///
    /// A peer for which more would be buffered is disconnected.
    package var outbox: Int
    /// The maximum number of buffered notifications from the peer.
    ///
    /// If the reader at this end falls further behind, the connection is closed.
    package var notifications: Int
    /// The maximum number of peers that a server serves at the same time.
    ///
    /// Further connections are closed.
    package var peers: Int
    /// The maximum number of peers of one user.
    ///
    /// Further connections of that user are closed, and don't count toward ``peers``.
    package var peersOfUser: Int
    /// The time that a peer has to read the pending answers when the server shuts down.
    package var closeTimeout: Duration

    package init(
        lineLength: Int = 1 << 20, sentLineLength: Int? = nil, outstandingRequests: Int = 32, outbox: Int = 4 << 20,
        notifications: Int = 1024, peers: Int = 32, peersOfUser: Int = .max, closeTimeout: Duration = .seconds(1)
    ) {
        self.lineLength = lineLength
        self.sentLineLength = sentLineLength ?? lineLength
        self.outstandingRequests = outstandingRequests
        self.outbox = outbox
        self.notifications = notifications
        self.peers = peers
        self.peersOfUser = peersOfUser
        self.closeTimeout = closeTimeout
    }
}
