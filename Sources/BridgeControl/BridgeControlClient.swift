import BoundedJSON
package import LineRPC

/// The bridge at the other end of the operator's socket.
package struct BridgeControlClient: Sendable {
    private let peer: LineRPCPeer

    /// Connects, and hangs up when the body returns.
    ///
    /// - Parameters:
    ///   - path: the socket's path.
    ///   - body: what to ask of the bridge.
    /// - Returns: what the body returns.
    /// - Throws: ``BridgeControlError``, and what the body throws.
    @discardableResult
    package static func connect<Result: Sendable>(
        to path: String, _ body: @Sendable (BridgeControlClient) async throws -> Result
    ) async throws -> Result {
        do {
            return try await LineRPCClient.connect(to: path) { try await body(BridgeControlClient(peer: $0)) }
        } catch let failure as RPCFailure {
            throw BridgeControlError(failure)
        } catch let error as LineRPCError {
            throw BridgeControlError(error)
        }
    }

    package func status() async throws -> BridgeStatus { try BridgeStatus(json: await call(.status)) }

    package func setup(force: Bool) async throws -> SetupListing {
        try SetupListing(json: await call(.setup, ["force": .bool(force)]))
    }

    package func lights() async throws -> [LightListing] { try [LightListing](json: await call(.lights)) }

    package func setLight(_ key: String, _ change: LightChange) async throws {
        _ = try await call(.setLight, ["key": .string(key), "change": change.json])
    }

    package func forgetLight(_ key: String) async throws { _ = try await call(.forgetLight, ["key": .string(key)]) }

    package func simulate(_ key: String, _ change: LightChange) async throws {
        _ = try await call(.simulate, ["key": .string(key), "change": change.json])
    }

    package func pairings() async throws -> [PairingListing] { try [PairingListing](json: await call(.pairings)) }

    package func removePairing(_ id: String) async throws {
        _ = try await call(.removePairing, ["id": .string(id)])
    }

    package func removeAllPairings() async throws { _ = try await call(.removeAllPairings) }

    /// Hands on what happens to lights until the bridge goes down or the task is cancelled.
    ///
    /// - Parameters:
    ///   - onWatching: called when nothing can be missed any more.
    ///   - body: called with each event.
    /// - Throws: ``BridgeControlError`` if the connection ends without the bridge's word; what the body throws.
    package func watch(
        onWatching: @Sendable () -> Void = {}, _ body: @Sendable (LightEvent) async throws -> Void
    ) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                // The answer means that nothing more will come; `close` then ends the notifications below.
                defer { peer.close() }
                _ = try await call(.watch, deadline: nil)
            }
            for await notification in peer.notifications {
                switch notification.method {
                case BridgeControlMethod.watching: onWatching()
                case BridgeControlMethod.changed: try await body(LightEvent(json: notification.params))
                default: break
                }
            }
            try await group.waitForAll()
        }
    }

    private func call(
        _ method: BridgeControlMethod, _ params: JSONValue = [:], deadline: Duration? = .seconds(10)
    ) async throws -> JSONValue {
        try await peer.call(method.rawValue, params, deadline: deadline)
    }
}

extension BridgeControlError {
    package init(_ error: LineRPCError) {
        switch error {
        case .unreachable(let path, let reason):
            self = .unavailable(
                "lamplighterd is not reachable at \(path) (\(reason)); "
                    + "start it, or name its control socket with --control")
        case .noPermission(let path):
            self = .noPermission(
                "no permission to use \(path); run as root or become a member of the group lamplighter")
        case .pathTooLong(let path): self = .usage("the socket path is too long for the system: \(path)")
        case .timedOut: self = .unavailable("lamplighterd did not answer in time; see its log")
        case .closed: self = .unavailable("lamplighterd closed the connection; see its log")
        case .inUse, .notASocket, .cannotListen, .tooManyRequests, .tooLong:
            self.init(code: 70, message: error.description)
        }
    }
}
