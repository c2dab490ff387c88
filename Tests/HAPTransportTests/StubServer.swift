import HAPCrypto
import HAPProtocol
import Synchronization

/// A server that records its events, and responds as a test specifies.
final class StubServer: AccessoryConnectionHandler {
    enum Event: Equatable {
        case opened
        case request(String)
        case writable
        case stalled
        case closed
    }

    private struct State {
        var connections: [ConnectionID: any AccessoryConnection] = [:]
        var events: [Event] = []
        var answers: (@Sendable (HTTPRequest, any AccessoryConnection) -> Void)?
    }

    /// The keys that encrypt a connection after the response to `/keys`.
    static let keys = SessionKeys(
        read: SecretBytes(Array(repeating: 1, count: 32)), write: SecretBytes(Array(repeating: 2, count: 32)))

    private let state: Mutex<State>

    init(answers: (@Sendable (HTTPRequest, any AccessoryConnection) -> Void)? = StubServer.echo) {
        state = Mutex(State(answers: answers))
    }

    /// Responds immediately with the path, and encrypts the connection after `/keys`.
    static let echo: @Sendable (HTTPRequest, any AccessoryConnection) -> Void = { request, connection in
        connection.respond(
            HTTPResponse(200, .hapJSON, body: Array(request.path.utf8)),
            thenSecureWith: request.path == "/keys" ? keys : nil, whenWritten: nil)
    }

    /// The connection, if there is exactly one.
    var connection: (any AccessoryConnection)? { state.withLock { $0.connections.values.first } }
    /// The peer addresses of the connections so far.
    var addresses: [PeerAddress] { state.withLock { $0.connections.values.map(\.address) } }
    var events: [Event] { state.withLock(\.events) }
    var paths: [String] { events.compactMap { if case .request(let path) = $0 { path } else { nil } } }

    func opened(_ connection: any AccessoryConnection) {
        state.withLock { state in
            state.connections[connection.id] = connection
            state.events.append(.opened)
        }
    }

    func received(_ request: HTTPRequest, on connection: ConnectionID) {
        let (answers, connection) = state.withLock { state in
            state.events.append(.request(request.path))
            return (state.answers, state.connections[connection])
        }
        if let connection { answers?(request, connection) }
    }

    func becameWritable(_ connection: ConnectionID) { state.withLock { $0.events.append(.writable) } }
    func stalled(_ connection: ConnectionID) { state.withLock { $0.events.append(.stalled) } }
    func closed(_ connection: ConnectionID) { state.withLock { $0.events.append(.closed) } }
}
