import ArgumentParser
import BoundedJSON
import HomeClient
import TerminalKit

/// The error of a failed command, as standard error shows it.
struct CommandFailure: Equatable {
    let error: HomeError
    /// After sysexits(3).
    let exitCode: Int32
    /// A Boolean value that indicates whether the message has the number and the name of the error.
    let isFromHome: Bool

    /// Creates a failure from a thrown error; `nil` for help and the version.
    init?(_ error: any Error) {
        switch error {
        case let error as HomeError:
            self.error = error
            exitCode = error.code.exitCode
            isFromHome = true
        case let error as TerminalError:
            self.error = HomeError(.invalidParameter, detail: error.message)
            exitCode = error.code
            isFromHome = false
        default:
            exitCode = Homehub.exitCode(for: error).rawValue
            guard exitCode != 0 else { return nil }
            let message = Homehub.message(for: error).split(separator: "\n").joined(separator: " ")
            self.error = HomeError(.invalidParameter, detail: "\(message.clause); see \(Self.help(for: error))")
            isFromHome = false
        }
    }

    /// The words that show the help of the command whose words are wrong, as they stand in the parser's own message.
    private static func help(for error: any Error) -> String {
        let message = Homehub.fullMessage(for: error)
        guard let start = message.firstRange(of: "See '"), let end = message[start.upperBound...].firstRange(of: "'")
        else {
            return "homehub --help"
        }
        return String(message[start.upperBound..<end.lowerBound])
    }

    /// The line on standard error.
    func text(isJSON: Bool) -> String {
        if isJSON {
            let json: JSONValue = ["error": error.json]
            return json.text + "\n"
        }
        return "homehub: \((isFromHome ? error.description : error.message).sanitized)\n"
    }
}

extension HomeError.Code {
    /// The exit code of a command that fails for this reason, after sysexits(3).
    var exitCode: Int32 {
        switch self {
        case .homeAccessNotAuthorized, .insufficientPrivileges, .accessDenied, .missingEntitlement,
            .usageDescriptionMissing:
            77
        case .daemonUnavailable, .protocolMismatch, .networkUnavailable, .accessoryDiscoveryFailed: 69
        case .missingParameter: 64
        case .storageFailed: 74
        default: 1
        }
    }
}
