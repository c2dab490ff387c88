package import LineRPC

/// A command of the operator's that was refused or went wrong.
///
/// Its code is the exit code that `lamplighter` ends with, after sysexits(3).
package struct BridgeControlError: Error, Equatable, Sendable, CustomStringConvertible {
    package var code: Int32
    /// What is wrong; of a refusal that the daemon sent, what to do as well.
    package var message: String
    /// What to do.
    package var remedy: String?
    /// No process listens at the socket.
    package var isDaemonAway = false

    package init(code: Int32, message: String, remedy: String? = nil) {
        self.code = code
        self.message = message
        self.remedy = remedy
    }

    /// What is wrong, and after a semicolon what to do.
    package var description: String { remedy.map { "\(message); \($0)" } ?? message }

    /// What was typed makes no sense (64).
    package static func usage(_ message: String) -> BridgeControlError {
        BridgeControlError(code: 64, message: message)
    }
    /// What is asked for is not there (69).
    package static func unavailable(_ message: String, remedy: String? = nil) -> BridgeControlError {
        BridgeControlError(code: 69, message: message, remedy: remedy)
    }
    /// One of us does not keep to the protocol (76).
    static func protocolViolation(_ message: String) -> BridgeControlError {
        BridgeControlError(code: 76, message: message)
    }
    /// The operator may not (77).
    package static func noPermission(_ message: String, remedy: String? = nil) -> BridgeControlError {
        BridgeControlError(code: 77, message: message, remedy: remedy)
    }
}

extension BridgeControlError {
    /// What travels in the answer.
    package var failure: RPCFailure { RPCFailure(code: Int(code), message: description) }

    /// What an answer says; JSON-RPC's own codes are faults of the program.
    package init(_ failure: RPCFailure) {
        switch failure.code {
        case 64...78: self.init(code: Int32(failure.code), message: failure.message)
        case -32601:
            self = .unavailable(
                failure.message, remedy: "lamplighter and lamplighterd are of different versions")
        default: self.init(code: 70, message: "lamplighterd says: \(failure.message)")
        }
    }
}
