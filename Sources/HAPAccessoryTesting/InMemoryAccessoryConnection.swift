package import HAPProtocol

/// The accessory's end of an in-memory connection that transmits real bytes.
///
/// Like a transport, it delivers requests one at a time, switches the keys after the response, and buffers bytes that
/// the peer hasn't read.
package actor InMemoryAccessoryConnection: AccessoryConnection {
    private let executor: any SerialExecutor
    package nonisolated let id: ConnectionID
    package nonisolated let peer: String
    package nonisolated let address: PeerAddress
    private let server: any AccessoryConnectionHandler
    private let deliver: @Sendable ([UInt8]?) -> Void
    private var stream = MessageStream(role: .accessory)
    private var isAnswering = false
    private var isTaking = false
    private var isClosing = false
    private var isClosed = false
    private var takesBytes = true
    private var unwritten: [(bytes: [UInt8], whenWritten: (@Sendable () -> Void)?)] = []

    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Creates the accessory's end of a connection.
    ///
    /// `deliver` is called on the executor with the bytes of responses and events, and with `nil` when the connection
    /// ends.
    package init(
        id: ConnectionID, from address: PeerAddress = .none, executor: any SerialExecutor,
        server: any AccessoryConnectionHandler,
        deliver: @escaping @Sendable ([UInt8]?) -> Void
    ) {
        self.id = id
        self.address = address
        peer = "memory \(id)"
        self.executor = executor
        self.server = server
        self.deliver = deliver
    }

    // MARK: The peer's side

    /// Notifies the server of the new connection.
    package func open() { server.opened(self) }

    package nonisolated func received(_ bytes: [UInt8]) {
        assumeIsolated { connection in
            guard !connection.isClosing else { return }
            connection.stream.received(bytes)
            connection.take()
        }
    }

    /// Closes the peer's end.
    ///
    /// Call this method on the connection's executor.
    package nonisolated func peerClosed() {
        assumeIsolated { $0.end() }
    }

    package func vanish() { end() }

    /// Sets whether the peer reads bytes.
    package func setTakesBytes(_ takesBytes: Bool) {
        self.takesBytes = takesBytes
        guard takesBytes else { return }
        let waiting = unwritten
        unwritten = []
        for (bytes, whenWritten) in waiting {
            deliver(bytes)
            whenWritten?()
        }
        if isClosing { end() } else { server.becameWritable(id) }
    }

    private func take() {
        guard !isTaking else { return }
        isTaking = true
        defer { isTaking = false }
        do throws(ProtocolViolation) {
            while !isAnswering, !isClosing, let message = try stream.next() {
                guard case .request(let request) = message else { continue }
                isAnswering = true
                server.received(request, on: id)
            }
        } catch {
            end()
        }
    }

    private func end() {
        guard !isClosed else { return }
        isClosed = true
        isClosing = true
        unwritten = []
        deliver(nil)
        server.closed(id)
    }

    // MARK: The server's side

    package nonisolated var isWritable: Bool { assumeIsolated { $0.takesBytes } }

    package nonisolated func respond(
        _ response: HTTPResponse, thenSecureWith keys: SessionKeys?, whenWritten: (@Sendable () -> Void)?
    ) {
        assumeIsolated { connection in
            connection.isAnswering = false
            connection.write(.response(response), thenSecureWith: keys, whenWritten: whenWritten)
            connection.take()
        }
    }

    package nonisolated func sendEvent(body: [UInt8]) {
        assumeIsolated { $0.write(.event(body: body)) }
    }

    package nonisolated func closeAfterWriting() {
        assumeIsolated { connection in
            connection.isClosing = true
            if connection.unwritten.isEmpty { connection.end() }
        }
    }

    package nonisolated func close() {
        assumeIsolated { $0.end() }
    }

    private func write(
        _ message: HTTPMessage, thenSecureWith keys: SessionKeys? = nil, whenWritten: (@Sendable () -> Void)? = nil
    ) {
        guard !isClosed, let bytes = try? stream.encode(message, thenSecureWith: keys) else { return }
        if takesBytes {
            deliver(bytes)
            whenWritten?()
        } else {
            unwritten.append((bytes, whenWritten))
        }
    }
}
