package import HAPProtocol

/// A controller's end of an in-memory connection.
package struct InMemoryLink: ControllerLink {
    /// The accessory's end of the connection.
    package let connection: InMemoryAccessoryConnection

    /// Connects a controller to a server on the same executor.
    package init(
        _ controller: TestController, to server: any AccessoryConnectionHandler, id: ConnectionID,
        from address: PeerAddress = .none, executor: any SerialExecutor
    ) async {
        connection = InMemoryAccessoryConnection(id: id, from: address, executor: executor, server: server) {
            controller.received($0)
        }
        await controller.use(self)
        await connection.open()
    }

    package func send(_ bytes: [UInt8]) { connection.received(bytes) }
    package func close() { connection.peerClosed() }
}
