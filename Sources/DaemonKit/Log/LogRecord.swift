import Logging
import TerminalKit

/// A log event that is ready to be written: the message and the named values.
struct LogRecord: Equatable, Sendable {
    struct Field: Equatable, Sendable {
        var name: String
        var value: String
    }

    /// The maximum size of the text, of the message and of each value, in bytes.
    ///
    /// Longer ones are truncated, so that no peer can fill the disk or the memory with a single message.
    static let maximumLength = 8192

    /// The name of the logger.
    var label: String
    var level: Logger.Level
    /// The message, which is the same for all events of a kind.
    ///
    /// Variable data is in the fields.
    var message: String
    var fields: [Field]

    /// The event for human readers: the message, followed by the fields as `name=value`, always on one line.
    var text: String {
        var text = message.sanitized
        for field in fields { text += " \(field.name.sanitized)=\(Self.quoted(field.value))" }
        return Self.cut(text)
    }

    private static func quoted(_ value: String) -> String {
        let text = value.sanitized
        let isPlain = !value.isEmpty && !value.contains { $0 == " " || $0 == "\"" || $0 == "=" }
        guard !isPlain else { return text }
        return "\"\(text.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\\\""))\""
    }

    /// Returns the text, truncated to the maximum size.
    static func cut(_ text: String) -> String {
        guard text.utf8.count > maximumLength else { return text }
        return String(decoding: text.utf8.prefix(maximumLength - 3), as: UTF8.self) + "..."
    }
}
