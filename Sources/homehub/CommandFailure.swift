import ArgumentParser
import BoundedJSON
import CommandKit
import HomeClient
import OperatorControl
import SystemKit
import TerminalKit

extension Homehub {
    static func failure(for error: any Error) -> CommandFailure? {
        switch error {
        case let error as HomeError:
            return CommandFailure(exitCode: error.code.exitCode, message: error.text, json: error.json)
        case let error as OperatorError:
            return CommandFailure(exitCode: error.code, message: error.message, remedy: error.remedy)
        case let error as TerminalError:
            return CommandFailure(exitCode: error.code, detail: error.message)
        default:
            let exitCode = exitCode(for: error).rawValue
            guard exitCode != 0 else { return nil }
            let message = message(for: error).split(separator: "\n").joined(separator: " ")
            return CommandFailure(exitCode: exitCode, detail: "\(message.clause); see \(help(for: error))")
        }
    }

    /// Returns the command that shows the relevant help, according to the parser's message.
    private static func help(for error: any Error) -> String {
        let message = fullMessage(for: error)
        guard let start = message.firstRange(of: "See '"), let end = message[start.upperBound...].firstRange(of: "'")
        else {
            return "\(ShellCommand.homehub) --help"
        }
        return String(message[start.upperBound..<end.lowerBound])
    }
}

extension CommandFailure {
    fileprivate init(exitCode: Int32, detail: String) {
        self.init(exitCode: exitCode, message: detail, json: HomeError(.invalidParameter, detail: detail).json)
    }
}

extension HomeError {
    /// The message for the user, with the suggestions as a question or as advice.
    var text: String {
        guard !suggestions.isEmpty else { return message }
        let names = suggestions.map { "\"\($0)\"" }.joined(separator: " or ")
        let isTypo = [.notFound, .invalidAssociatedServiceType].contains(code)
        let advice = [isTypo ? "did you mean \(names)?" : "try \(names)", remedy]
        return ([problem] + advice.compactMap(\.self)).joined(separator: "; ")
    }
}

extension HomeError.Code {
    /// The exit code of a command that fails with this error, from sysexits(3).
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
