/// How much one end of a connection takes from, and keeps for, the other.
package struct LineLimits: Sendable, Equatable {
    /// The longest line that is taken from the peer, in bytes without its line feed; in a session the lines of all
    /// requests that are not answered yet have no more together.
    package var lineLength: Int
    /// The longest line that is sent, which is what the peer takes.
    package var sentLineLength: Int
    /// How many requests of the peer are worked on at once, and how many of ours may wait for its answers.
    package var outstandingRequests: Int
    /// How many bytes may wait for a peer that reads slowly; one byte more, and it is dropped.
    package var outbox: Int
    /// How many notifications of the peer may wait for our own reader; one more, and the connection ends.
    package var notifications: Int
    /// How many peers a server serves at once; one more is hung up on.
    package var peers: Int
    /// How many of them one user may have; one more is hung up on, and takes no place of others.
    package var peersOfUser: Int
    /// How long a server that ends waits for a peer to read what was answered.
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
