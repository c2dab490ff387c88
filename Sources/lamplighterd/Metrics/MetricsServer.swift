import HAPProtocol

/// An HTTP server that only serves `GET /metrics`.
///
/// It shares the event loop of the controllers' sessions. Its connections have the same limits as unverified
/// connections of controllers, and their number is limited, too.
actor MetricsServer {
    /// The maximum number of connections.
    ///
    /// A new connection beyond this number replaces the connection that has been idle the longest.
    static let maximumConnections = 8
    static let path = "/metrics"

    private struct Client {
        let connection: any AccessoryConnection
        /// The sequence number of the client's last event, counted over all clients.
        var lastReceived: Int
        var task: Task<Void, Never>?
    }

    private let executor: any SerialExecutor
    /// The public names that Prometheus may use in requests.
    ///
    /// Requests with other public names are rejected, because they could come from a web page (DNS rebinding).
    private let names: Set<String>
    private let read: @Sendable () async -> String
    private var clients: [ConnectionID: Client] = [:]
    private var signs = 0

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Creates a server on the executor of the transport's event loop.
    ///
    /// `names` are the public names of this computer that requests may contain, in lower case.
    init(executor: any SerialExecutor, names: Set<String> = [], read: @escaping @Sendable () async -> String) {
        self.executor = executor
        self.names = names
        self.read = read
    }

    func stop() {
        for client in clients.values {
            client.task?.cancel()
            client.connection.closeAfterWriting()
        }
    }

    private func open(_ connection: any AccessoryConnection) {
        if clients.count >= Self.maximumConnections,
            let silent = clients.min(by: { $0.value.lastReceived < $1.value.lastReceived })
        {
            silent.value.connection.close()
            forget(silent.key)
        }
        signs += 1
        clients[connection.id] = Client(connection: connection, lastReceived: signs)
    }

    private func forget(_ id: ConnectionID) {
        clients.removeValue(forKey: id)?.task?.cancel()
    }

    private func receive(_ request: HTTPRequest, on id: ConnectionID) {
        guard clients[id] != nil else { return }
        signs += 1
        clients[id]?.lastReceived = signs
        guard request.publicHost.map(names.contains) ?? true, !request.isFromBrowser else {
            return answer(id, HTTPResponse(421), request)
        }
        guard request.path == Self.path else { return answer(id, HTTPResponse(404), request) }
        guard request.method == .get else { return answer(id, HTTPResponse(405), request) }
        clients[id]?.task = Task {
            let text = await read()
            answer(id, HTTPResponse(200, .metrics, body: Array(text.utf8)), request)
        }
    }

    private func answer(_ id: ConnectionID, _ response: HTTPResponse, _ request: HTTPRequest) {
        guard let client = clients[id] else { return }
        clients[id]?.task = nil
        client.connection.respond(response)
        if request.wantsClose { client.connection.closeAfterWriting() }
    }
}

// The transport calls these methods on the server's own executor.
extension MetricsServer: AccessoryConnectionHandler {
    nonisolated func opened(_ connection: any AccessoryConnection) { assumeIsolated { $0.open(connection) } }
    nonisolated func received(_ request: HTTPRequest, on connection: ConnectionID) {
        assumeIsolated { $0.receive(request, on: connection) }
    }
    nonisolated func becameWritable(_ connection: ConnectionID) {}
    nonisolated func stalled(_ connection: ConnectionID) {}
    nonisolated func closed(_ connection: ConnectionID) { assumeIsolated { $0.forget(connection) } }
}
