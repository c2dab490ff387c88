import BoundedJSON
package import LineRPC
import OperatorControl

/// A client of the hub's control socket.
package struct HubControlClient: Sendable {
    /// The time limit for a backup, which may contain a history of several gigabytes.
    private static let backupDeadline = Duration.seconds(1800)

    private let peer: LineRPCPeer

    /// Connects to the hub, runs a body, and disconnects when it returns.
    ///
    /// `file` is the open file that receives a backup.
    ///
    /// - Throws: `OperatorError`, and errors of the body.
    @discardableResult
    package static func connect<Result: Sendable>(
        to location: SocketLocation, receivingInto file: Int32? = nil,
        _ body: @Sendable (HubControlClient) async throws -> Result
    ) async throws -> Result {
        do {
            return try await LineRPCClient.connect(
                to: location.path, servers: location.servers, handler: file.map { ReceivedFile($0) }
            ) { try await body(HubControlClient(peer: $0)) }
        } catch let failure as RPCFailure {
            throw OperatorError(failure, from: .hub)
        } catch let error as LineRPCError {
            throw OperatorError(error, location, of: .hub)
        }
    }

    package func status() async throws -> HubStatusReport { try HubStatusReport(json: await ask(.status)) }

    package func diagnostics() async throws -> HubDiagnostics { try HubDiagnostics(json: await ask(.diagnostics)) }

    /// Receives a backup.
    package func backup() async throws -> HubBackupListing {
        try HubBackupListing(json: await ask(.backup, deadline: Self.backupDeadline))
    }

    private func ask(_ request: HubOperatorRequest, deadline: Duration = .seconds(10)) async throws -> JSONValue {
        try await peer.call(request.method, request.params, deadline: deadline)
    }
}
