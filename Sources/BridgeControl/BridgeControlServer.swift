import BoundedJSON
import LineRPC
package import Logging

/// The operator's socket: a ``BridgeControlHandler`` for everyone who may connect.
package struct BridgeControlServer: Sendable {
    private let server: LineRPCServer

    /// Describes the server; it touches nothing before it runs.
    ///
    /// - Parameters:
    ///   - path: where the socket shall stand.
    ///   - group: the system group whose members may connect, if there is one of that name.
    ///   - handler: the bridge.
    ///   - logger: gets what goes wrong.
    package init(
        path: String, group: String? = "lamplighter", handler: any BridgeControlHandler, logger: Logger
    ) {
        server = LineRPCServer(
            path: path, mode: 0o660, group: group, handler: Adapter(bridge: handler, logger: logger), logger: logger)
    }

    /// Listens and serves until the task is cancelled; then the socket is gone.
    ///
    /// - Parameter onListening: called once operators can connect.
    /// - Throws: `LineRPCError` if the socket cannot be made.
    package func run(onListening: @Sendable () -> Void = {}) async throws {
        try await server.run(onListening: onListening)
    }
}

private struct Adapter: LineRPCHandler {
    let bridge: any BridgeControlHandler
    let logger: Logger

    func call(_ method: String, _ params: JSONValue, from peer: LineRPCPeer) async throws -> JSONValue {
        guard let method = BridgeControlMethod(rawValue: method) else { throw RPCFailure.methodNotFound(method) }
        do {
            return try await answer(method, params, peer)
        } catch let error as BridgeControlError {
            throw error.failure
        }
    }

    private func answer(
        _ method: BridgeControlMethod, _ params: JSONValue, _ peer: LineRPCPeer
    ) async throws -> JSONValue {
        switch method {
        case .status: return try await bridge.status().json
        case .particulars: return try await bridge.particulars().json
        case .setup: return try await bridge.setup(force: params.optional("force", \.bool) ?? false).json
        case .lights: return try await bridge.lights().json
        case .setLight:
            let (key, change) = try change(in: params, for: .command)
            try await bridge.setLight(key, change)
        case .forgetLight: try await bridge.forgetLight(try params.value("key", \.string))
        case .simulate:
            let (key, change) = try change(in: params, for: .simulation)
            try await bridge.simulate(key, change)
        case .pairings: return try await bridge.pairings().json
        case .removePairing: try await bridge.removePairing(try params.value("id", \.string))
        case .removeAllPairings: try await bridge.removeAllPairings()
        case .unlockPairing: try await bridge.unlockPairing()
        case .reload: return try await bridge.reload().json
        case .reset: try await bridge.reset()
        case .backup:
            let bytes = try await bridge.backup()
            try await FileTransfer.send(bytes, to: peer)
            return ["size": .integer(bytes.count)]
        case .restore:
            let size = try params.value("size", \.int)
            return try await bridge.restore { try await FileTransfer.receive(size: size, from: peer) }.json
        case .watch:
            let events = try await bridge.watch()
            try peer.notify(BridgeControlMethod.watching)
            for await event in events { try peer.notify(BridgeControlMethod.changed, event.json) }
        }
        return [:]
    }

    private func change(
        in params: JSONValue, for purpose: LightChange.Purpose
    ) throws(BridgeControlError) -> (String, LightChange) {
        let change = try LightChange(json: try params.value("change") { $0 })
        try change.validate(for: purpose)
        return (try params.value("key", \.string), change)
    }
}
