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
