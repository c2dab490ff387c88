import BoundedJSON
import LineRPC
package import Logging

/// The server of the daemon's control socket, which passes requests to a ``BridgeControlHandler``.
package struct BridgeControlServer: Sendable {
    /// The requests that a socket accepts.
    package enum Access: Sendable {
        case all
        /// The requests of the web page, which show the bridge and add light systems.
        case page
    }

    private let server: LineRPCServer

    /// Creates a server.
    ///
    /// The initializer doesn't access the file system. If the system has the given group, its members may connect.
    package init(
        path: String, group: String? = "lamplighter", handler: any BridgeControlHandler, logger: Logger
    ) {
        server = LineRPCServer(
            path: path, mode: 0o660, group: group,
            handler: Adapter(bridge: handler, access: .all, logger: logger), logger: logger)
    }

    /// Creates a server for the web page.
    ///
    /// All users who can read the socket's directory may connect.
    package init(pageAt path: String, handler: any BridgeControlHandler, logger: Logger) {
        server = LineRPCServer(
            path: path, mode: 0o666, handler: Adapter(bridge: handler, access: .page, logger: logger),
            logger: logger)
    }

    /// Listens and serves requests until the task is canceled, and then removes the socket.
    ///
    /// - Throws: `LineRPCError` if the socket can't be created.
    package func run(onListening: @Sendable () -> Void = {}) async throws {
        try await server.run(onListening: onListening)
    }
}

private struct Adapter: LineRPCHandler {
    let bridge: any BridgeControlHandler
    let access: BridgeControlServer.Access
    let logger: Logger

    func call(_ method: String, _ params: JSONValue, from peer: LineRPCPeer) async throws -> JSONValue {
        do {
            guard let request = try BridgeRequest(method: method, params: params) else {
                throw RPCFailure.methodNotFound(method)
            }
            guard access == .all || request.isForPage else {
                throw BridgeControlError.noPermission(
                    "this socket is for the web page", remedy: "use control.sock for other requests")
            }
            return try await answer(request, peer)
        } catch let error as BridgeControlError {
            throw error.failure
        }
    }

    private func answer(_ request: BridgeRequest, _ peer: LineRPCPeer) async throws -> JSONValue {
        switch request {
        case .status: return try await bridge.status().json
        case .diagnostics: return try await bridge.diagnostics().json
        case .warnings: return try await bridge.warnings().json
        case .setup(let force):
            let listing = try await bridge.setup(force: force ?? false)
            log("setup code shown", to: peer)
            return listing.json
        case .lights: return try await bridge.lights().json
        case .setLight(let key, let change):
            try change.validate(for: .command)
            try await bridge.setLight(key, change)
        case .discoverLights: return try await bridge.discoverLights().json
        case .forgetLight(let key): try await bridge.forgetLight(key)
        case .identifyLight(let key): try await bridge.identifyLight(key)
        case .purgeLights: return try await bridge.purgeLights().json
        case .simulate(let key, let change):
            try change.validate(for: .simulation)
            try await bridge.simulate(key, change)
        case .pairings: return try await bridge.pairings().json
        case .removePairing(let id): try await bridge.removePairing(id)
        case .removeAllPairings: try await bridge.removeAllPairings()
        case .unlockPairing: try await bridge.unlockPairing()
        case .reload: return try await bridge.reload().json
        case .configuration:
            var listing = try await bridge.configuration()
            if access == .page { return listing.forPage.json }
            listing.mayBackUp = true
            return listing.json
        case .proposeConfiguration(let change):
            return try await bridge.proposeConfiguration(change, isByPage: access == .page).json
        case .applyConfiguration(let token):
            let listing = try await bridge.applyConfiguration(token, isByPage: access == .page)
            log("configuration edited", to: peer)
            return listing.json
        case .undoConfiguration:
            let listing = try await bridge.undoConfiguration(isByPage: access == .page)
            log("configuration restored", to: peer)
            return listing.json
        case .reset: try await bridge.reset()
        case .backup:
            let bytes = try await bridge.backup(isByPage: access == .page)
            log("backup taken", to: peer)
            try await FileTransfer.send(bytes, to: peer)
            return BackupListing(size: bytes.count).json
        case .restore(let size):
            return try await bridge.restore { try await FileTransfer.receive(size: size, from: peer) }.json
        case .watch:
            let events = try await bridge.watch()
            try peer.notify(.watching)
            for await event in events { try peer.notify(.changed(event)) }
        }
        return [:]
    }

    /// Logs a request that reveals secrets or changes the configuration, with the requesting process.
    private func log(_ message: Logger.Message, to peer: LineRPCPeer) {
        var metadata: Logger.Metadata = [:]
        if let identity = peer.identity {
            metadata["uid"] = "\(identity.uid)"
            metadata["pid"] = "\(identity.pid)"
        }
        logger.notice(message, metadata: metadata)
    }
}

extension LineRPCPeer {
    fileprivate func notify(_ notification: BridgeNotification) throws {
        try notify(notification.method, notification.params)
    }
}
