import HubControl
import LineRPC
import TerminalKit

extension HomeOptions {
    /// The location of the hub's socket for apps.
    private var appLocation: SocketLocation {
        SocketLocation(of: .hub, given: socket, environment: Terminal.current.environment)
    }

    /// The path of the hub's socket for apps.
    var appSocket: String { appLocation.path }

    /// The location of the hub's control socket.
    var control: SocketLocation { appLocation.at(HubControlServer.path(nextTo: appSocket)) }

    /// Sends requests to the hub's control socket.
    ///
    /// - Throws: `OperatorError`.
    func operate<Result: Sendable>(
        receivingInto file: Int32? = nil, _ body: @Sendable (HubControlClient) async throws -> Result
    ) async throws -> Result {
        try await HubControlClient.connect(to: control, receivingInto: file, body)
    }

    /// The files of the hub with this socket, or `nil` if it was started in an unsupported way.
    var places: HubPlaces? { HubPlaces(socket: appSocket) }
}
