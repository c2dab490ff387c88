import BoundedJSON
package import LineRPC

/// A command of the operator's that was refused or went wrong.
///
/// Its code is the exit code that `lamplighter` ends with, after sysexits(3).
package struct BridgeControlError: Error, Equatable, Sendable, CustomStringConvertible {
    package var code: Int32
    /// What is wrong; of a refusal of an older daemon, what to do as well.
    package var message: String
    package var remedy: String?
    /// No process listens at the socket.
    package var isDaemonAway = false
    /// The request was sent and no answer came.
    package var isUnanswered = false

    package init(code: Int32, message: String, remedy: String? = nil) {
        self.code = code
        self.message = message
        self.remedy = remedy
    }

    package var description: String { remedy.map { "\(message); \($0)" } ?? message }

    /// What was typed makes no sense (64).
    package static func usage(_ message: String, remedy: String? = nil) -> BridgeControlError {
        BridgeControlError(code: 64, message: message, remedy: remedy)
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
    /// What travels in the answer: the whole sentence, and its halves if there are two.
    package var failure: RPCFailure {
        RPCFailure(
            code: Int(code), message: description,
            data: remedy.map { ["problem": .string(message), "remedy": .string($0)] })
    }

    /// What an answer says; JSON-RPC's own codes are faults of the program.
    package init(_ failure: RPCFailure) {
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
                failure.message, remedy: "lamplighter and lamplighterd are of different versions")
        default: self.init(code: 70, message: "lamplighterd says: \(failure.message)")
        }
    }
}
