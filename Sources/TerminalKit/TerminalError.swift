/// Why a command ends without having done what was asked.
package struct TerminalError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The code it ends with, after sysexits(3).
    package var code: Int32
    /// What is wrong, and after a semicolon what to do.
    package var message: String

    package init(code: Int32, message: String) {
        self.code = code
        self.message = message
    }

    package var description: String { message }

    /// What was typed makes no sense (64).
    package static func usage(_ message: String) -> TerminalError { TerminalError(code: 64, message: message) }
}
