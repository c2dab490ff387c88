package import BoundedJSON
import TerminalKit

/// The exit code and the error of a failed command.
package struct CommandFailure: Equatable, Sendable {
    /// The exit code, after sysexits(3).
    package let exitCode: Int32
    private let message: String
    private let json: JSONValue

    package init(exitCode: Int32, message: String, json: JSONValue) {
        self.exitCode = exitCode
        self.message = message
        self.json = json
    }

    /// Returns the line to print on standard error: human-readable text, or `{"error": …}`.
    package func text(of program: String, isJSON: Bool) -> String {
        isJSON ? JSONValue.object(["error": json]).text + "\n" : "\(program): \(message.sanitized)\n"
    }
}

extension CommandFailure {
    /// Creates the failure of an operator's command, with the exit code as the error's code.
    package init(exitCode: Int32, message: String, remedy: String?) {
        let suggestions = remedy.map { [JSONValue.string($0)] } ?? []
        self.init(
            exitCode: exitCode, message: [message, remedy].compactMap(\.self).joined(separator: "; "),
            json: [
                "code": .integer(Int64(exitCode)), "name": .string(Self.names[exitCode] ?? "failed"),
                "message": .string(message), "suggestions": .array(suggestions),
            ])
    }

    private static let names: [Int32: String] = [
        64: "usage", 65: "badData", 66: "noInput", 69: "unavailable", 70: "internal", 73: "cannotCreate",
        74: "inputOutput", 75: "temporaryFailure", 76: "protocolViolation", 77: "noPermission", 78: "configuration",
    ]
}
