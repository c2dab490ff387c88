package import BoundedJSON
import SystemKit

/// The error that answers a failed request: JSON-RPC's error object.
package struct RPCFailure: Error, Equatable, Sendable {
    /// The error code.
    ///
    /// Codes from -32768 to -32000 are reserved by JSON-RPC; all others belong to the application.
    package var code: Int
    /// The problem in one sentence, for users.
    package var message: String
    /// Machine-readable details, in addition to the code.
    package var data: JSONValue?

    package init(code: Int, message: String, data: JSONValue? = nil) {
        self.code = code
        self.message = message
        self.data = data
    }

    /// Creates a failure for a line that isn't valid JSON.
    static func parseError(_ message: String) -> RPCFailure { RPCFailure(code: -32700, message: message) }
    /// Creates a failure for JSON that isn't a valid request.
    package static func invalidRequest(_ message: String) -> RPCFailure { RPCFailure(code: -32600, message: message) }
    /// Creates a failure for an unknown method.
    package static func methodNotFound(_ method: String) -> RPCFailure {
        RPCFailure(code: -32601, message: "unknown method \"\(method.prefix(64))\"")
    }
    /// The handler failed.
    package static let internalError = RPCFailure(code: -32603, message: "internal error")
    /// Too many requests are waiting for answers.
    package static let tooManyRequests = RPCFailure(code: -32000, message: "too many requests are pending")
    /// The answer exceeds the longest line.
    package static let answerTooLong = RPCFailure(code: -32001, message: "the response is too long")
}

extension RPCFailure: CustomStringConvertible {
    package var description: String { message }
}

/// An error that prevents or ends a connection.
package enum LineRPCError: Error, Equatable, Sendable {
    /// No process answers at the socket: it doesn't exist, or no process listens.
    case unreachable(path: String, reason: String)
    /// This process has no permission to use the socket.
    case noPermission(path: String)
    /// The program at the socket runs as a user that isn't permitted.
    case untrusted(path: String, user: UInt32)
    /// The socket's path exceeds the system's limit.
    case pathTooLong(path: String)
    /// Another server already listens at the path.
    case inUse(path: String)
    /// The path exists, but isn't a socket, so it isn't removed.
    case notASocket(path: String)
    /// The socket can't be created.
    case cannotListen(path: String, reason: String)
    /// The connection ended before the answer arrived.
    case closed
    /// The answer didn't arrive in time.
    case timedOut
    /// Too many requests to the peer are waiting for answers.
    case tooManyRequests
    /// The message exceeds the longest line.
    case tooLong
}

extension LineRPCError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .unreachable(let path, let reason): "can't connect to \(path) (\(reason))"
        case .noPermission(let path): "no permission to use \(path)"
        case .untrusted(let path, let user):
            "\(path) is served by user \(SystemUser.name(of: user)), not by root, this user or the service's user"
        case .pathTooLong(let path): "the socket path is too long: \(path)"
        case .inUse(let path):
            "another process is already listening at \(path); stop that process, or choose another --runtime-directory"
        case .notASocket(let path): "\(path) exists and isn't a socket; remove that file or choose another path"
        case .cannotListen(let path, let reason): "can't create the socket \(path): \(reason)"
        case .closed: "the connection was closed before the response arrived"
        case .timedOut: "the request timed out"
        case .tooManyRequests: "too many requests are pending"
        case .tooLong: "the message is too long"
        }
    }
}
