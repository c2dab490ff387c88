import BoundedJSON
package import LineRPC

/// A failed or rejected operator command.
///
/// The code is the resulting exit code of the operator's command, as defined in sysexits(3).
package struct OperatorError: Error, Equatable, Sendable, CustomStringConvertible {
    package var code: Int32
    /// The problem.
    ///
    /// In an error from an older daemon, it includes the remedy.
    package var message: String
    package var remedy: String?
    /// A Boolean value that indicates whether no process listens at the socket.
    package var isDaemonAway = false
    /// A Boolean value that indicates whether the request was sent and no answer arrived.
    package var isUnanswered = false

    package init(code: Int32, message: String, remedy: String? = nil) {
        self.code = code
        self.message = message
        self.remedy = remedy
    }

    package var description: String { remedy.map { "\(message); \($0)" } ?? message }

    /// Creates an error for invalid input (64).
    package static func usage(_ message: String, remedy: String? = nil) -> OperatorError {
        OperatorError(code: 64, message: message, remedy: remedy)
    }
    /// Creates an error for an object or a service that doesn't exist or can't be reached (69).
    package static func unavailable(_ message: String, remedy: String? = nil) -> OperatorError {
        OperatorError(code: 69, message: message, remedy: remedy)
    }
    /// Creates an error for a violation of the protocol (76).
    package static func protocolViolation(_ message: String) -> OperatorError {
        OperatorError(code: 76, message: message)
    }
    /// Creates an error for a missing permission (77).
    package static func noPermission(_ message: String, remedy: String? = nil) -> OperatorError {
        OperatorError(code: 77, message: message, remedy: remedy)
    }
}

extension OperatorError {
    /// The failure to send to the client.
    ///
    /// Its message is the whole sentence. Its data contains the problem and the remedy separately, if there is a
    /// remedy.
    package var failure: RPCFailure {
        RPCFailure(
            code: Int(code), message: description,
            data: remedy.map { ["problem": .string(message), "remedy": .string($0)] })
    }

    /// Creates an error from the failure in a response.
    ///
    /// JSON-RPC's own error codes, except the code of an unknown method, indicate an error in the program.
    package init(_ failure: RPCFailure, from daemon: OperatedDaemon) {
        switch failure.code {
        case 64...78:
            let halves = (failure.data?["problem"]?.string, failure.data?["remedy"]?.string)
            if case (let problem?, let remedy?) = halves {
                self.init(code: Int32(failure.code), message: problem, remedy: remedy)
            } else {
                self.init(code: Int32(failure.code), message: failure.message)
            }
        case -32601:
            self = .unavailable(
                failure.message, remedy: "install the same version of \(daemon.command) and \(daemon.program)")
        default: self.init(code: 70, message: "\(daemon.program) reported: \(failure.message)")
        }
    }
}

extension OperatorError {
    /// Creates the error for a connection that failed or ended.
    package init(_ error: LineRPCError, _ location: SocketLocation, of daemon: OperatedDaemon) {
        switch error {
        case .unreachable(let path, let reason):
            let remark = location.distrust.map { "; the \(daemon.subject) in this directory isn't used: \($0)" } ?? ""
            self = .unavailable(
                "can't connect to \(daemon.program) at \(path) (\(reason)\(remark))",
                remedy: "start \(daemon.program) (in a clone with \(daemon.makeTarget)), or specify its socket with "
                    + daemon.socketOption)
            isDaemonAway = true
        case .untrusted:
            self = .noPermission("\(error)", remedy: "specify a socket that you trust with \(daemon.socketOption)")
        case .noPermission(let path):
            self = .noPermission(
                "no permission to use \(path)",
                remedy: "run this command as root, or add this user to the \(daemon.group) group")
        case .pathTooLong(let path): self = .usage("the socket path is too long: \(path)")
        case .timedOut:
            self = .unavailable("\(daemon.program) didn't answer in time at \(location.path)", remedy: "check its log")
            isUnanswered = true
        case .closed:
            self = .unavailable("\(daemon.program) closed the connection at \(location.path)", remedy: "check its log")
            isUnanswered = true
        case .inUse, .notASocket, .cannotListen, .tooManyRequests, .tooLong:
            self.init(code: 70, message: error.description)
        }
    }
}
