import BridgeControl
import Glibc
import SystemKit
import TerminalKit

/// Reads a secret without showing it.
enum SecretInput {
    private static let longest = 4096

    /// Returns the line that is typed after a question, or the first line of standard input if it isn't a terminal.
    ///
    /// - Throws: ``BridgeControlError`` if there is no line.
    static func read(_ label: String) async throws -> String {
        let line: String?
        if isatty(STDIN_FILENO) == 1 {
            var settings = termios()
            tcgetattr(STDIN_FILENO, &settings)
            var hidden = settings
            hidden.c_lflag &= ~tcflag_t(ECHO)
            tcsetattr(STDIN_FILENO, TCSANOW, &hidden)
            defer { tcsetattr(STDIN_FILENO, TCSANOW, &settings) }
            line = await Terminal.current.ask("\(label): ".sanitized)
            Terminal.current.writeError("\n")
        } else {
            line = firstLine()
        }
        guard let line, !line.isEmpty else {
            throw BridgeControlError.usage("\(label) is empty", remedy: "type it, or write it to standard input")
        }
        return line
    }

    /// Reads a line without reading further, because the next secret may follow.
    private static func firstLine() -> String? {
        var bytes: [UInt8] = []
        var byte: UInt8 = 0
        while bytes.count < longest, Glibc.read(STDIN_FILENO, &byte, 1) == 1, byte != UInt8(ascii: "\n") {
            bytes.append(byte)
        }
        return String(validating: bytes, as: UTF8.self)
    }
}
