/// A number for a connection, never used twice by one process.
package struct ConnectionID: Hashable, Sendable, CustomStringConvertible {
    private let number: UInt64

    package init(_ number: UInt64) { self.number = number }

    package var description: String { "connection \(number)" }
}

/// A connection that an accessory server has been given: what a transport and the tests implement.
///
/// All calls come from, and all calls of ``AccessoryConnectionHandler`` go to, one executor: that of the transport's
/// event loop, which is also the server's.
package protocol AccessoryConnection: Sendable {
    var id: ConnectionID { get }

    /// Where the peer is, for people.
    var peer: String { get }

    /// Where the peer is; the rate limiter of unauthenticated peers counts by it.
    var address: PeerAddress { get }

    /// Whether the peer has taken most of what was sent to it.
    var isWritable: Bool { get }

    /// Sends the answer to the request that was received last, and lets the next request come.
    ///
    /// - Parameters:
    ///   - response: the answer.
    ///   - keys: with these keys both directions are sealed behind the answer's last byte.
    ///   - whenWritten: called when the answer has been handed to the system, and not if it never is.
    func respond(_ response: HTTPResponse, thenSecureWith keys: SessionKeys?, whenWritten: (@Sendable () -> Void)?)

    func sendEvent(body: [UInt8])

    /// Closes the connection when everything sent so far has been written, but after 1 s in any case.
    func closeAfterWriting()

    /// Closes the connection at once.
    func close()
}

extension AccessoryConnection {
    package func respond(_ response: HTTPResponse) {
        respond(response, thenSecureWith: nil, whenWritten: nil)
    }
}

/// What an accessory server learns about its connections.
package protocol AccessoryConnectionHandler: Sendable {
    /// A peer has connected; the server may close the connection at once.
    func opened(_ connection: any AccessoryConnection)

    /// A request has come; the next one comes after its answer.
    func received(_ request: HTTPRequest, on connection: ConnectionID)

    /// The peer takes bytes again after it had not.
    func becameWritable(_ connection: ConnectionID)

    /// The peer's system has acknowledged nothing for so long that the connection ends; ``closed(_:)`` follows.
    func stalled(_ connection: ConnectionID)

    /// The connection is gone.
    func closed(_ connection: ConnectionID)
}
