/// A connection's number, which is unique within the process.
package struct ConnectionID: Hashable, Sendable, CustomStringConvertible {
    private let number: UInt64

    package init(_ number: UInt64) { self.number = number }

    package var description: String { "connection \(number)" }
}

/// A connection to an accessory server.
///
/// Transports and tests implement it.
///
/// All methods of this protocol and of ``AccessoryConnectionHandler`` are called on one executor: the transport's event
/// loop, which is also the server's executor.
package protocol AccessoryConnection: Sendable {
    var id: ConnectionID { get }

    /// The peer's address as text.
    var peer: String { get }

    /// The peer's address, by which the rate limiter tracks unauthenticated peers.
    var address: PeerAddress { get }

    /// A Boolean value that indicates whether the amount of unsent data is small enough to send more.
    var isWritable: Bool { get }

    /// Sends the response to the last request, and allows the next request.
    ///
    /// - Parameters:
    ///   - response: The response.
    ///   - keys: The keys that encrypt both directions after the response's last byte; `nil` for no change.
    ///   - whenWritten: Called when the response has been passed to the operating system; never called if the
    ///     connection ends earlier.
    func respond(_ response: HTTPResponse, thenSecureWith keys: SessionKeys?, whenWritten: (@Sendable () -> Void)?)

    func sendEvent(body: [UInt8])

    /// Closes the connection when all pending data has been written, but after 1 s at the latest.
    func closeAfterWriting()

    /// Closes the connection immediately.
    func close()
}

extension AccessoryConnection {
    package func respond(_ response: HTTPResponse) {
        respond(response, thenSecureWith: nil, whenWritten: nil)
    }
}

/// The callbacks of an accessory server's connections.
package protocol AccessoryConnectionHandler: Sendable {
    /// A peer has connected.
    ///
    /// The server may close the connection immediately.
    func opened(_ connection: any AccessoryConnection)

    /// A request has arrived.
    ///
    /// The next request is delivered only after the response to this one.
    func received(_ request: HTTPRequest, on connection: ConnectionID)

    /// The peer is reading again after a pause.
    func becameWritable(_ connection: ConnectionID)

    /// The peer's system has stopped acknowledging data, so the transport closes the connection.
    ///
    /// ``closed(_:)`` is called afterwards.
    func stalled(_ connection: ConnectionID)

    /// The connection has ended.
    func closed(_ connection: ConnectionID)
}
