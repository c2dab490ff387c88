import BoundedJSON
import LineRPC
package import Logging
import OperatorControl

/// The operator commands of the hub.
///
/// Every method may throw `OperatorError`.
package protocol HubControlHandler: Sendable {
    func status() async throws -> HubStatusReport

    /// Returns details that `doctor` needs.
    func diagnostics() async throws -> HubDiagnostics

    /// Makes a consistent backup and passes the open file to `send`, which returns the number of bytes.
    func backup(_ send: @Sendable (_ file: Int32) async throws -> Int) async throws -> HubBackupListing
}

/// The server of the hub's control socket.
package struct HubControlServer: Sendable {
    private let server: LineRPCServer

    /// Creates a server, to which root, the hub's user and members of the group `homehub` can connect.
    package init(path: String, handler: any HubControlHandler, logger: Logger) {
        server = LineRPCServer(
            path: path, mode: 0o660, group: OperatedDaemon.hub.group, handler: Adapter(hub: handler, logger: logger),
            logger: logger)
    }

    /// Listens and serves requests until the task is canceled, and then removes the socket.
    ///
    /// - Throws: `LineRPCError` if the socket can't be created.
    package func run() async throws { try await server.run() }

    /// Returns the path of the control socket next to a socket for apps, such as `home-control.sock` for `home.sock`.
    ///
    /// The name differs from the bridge's `control.sock`, because `make run` and `make run-home` share a directory.
    package static func path(nextTo socket: String) -> String {
        (socket.hasSuffix(".sock") ? String(socket.dropLast(5)) : socket) + "-control.sock"
    }
}

private struct Adapter: LineRPCHandler {
    let hub: any HubControlHandler
    let logger: Logger

    func call(_ method: String, _ params: JSONValue, from peer: LineRPCPeer) async throws -> JSONValue {
        do {
            guard let request = try HubOperatorRequest(method: method, params: params) else {
                throw RPCFailure.methodNotFound(method)
            }
            switch request {
            case .status: return try await hub.status().json
            case .diagnostics: return try await hub.diagnostics().json
            case .backup:
                let listing = try await hub.backup { try await FileTransfer.send(file: $0, to: peer) }
                logger.notice(
                    "backup taken",
                    metadata: peer.identity.map { ["uid": "\($0.uid)", "pid": "\($0.pid)"] } ?? [:])
                return listing.json
            }
        } catch let error as OperatorError {
            throw error.failure
        }
    }
}
