import Logging
import TerminalKit

/// One event of the log, ready to be written: what happened, and by name what it is about.
struct LogRecord: Equatable, Sendable {
    struct Field: Equatable, Sendable {
        var name: String
        var value: String
    }

    /// The longest text, and the longest message and value, in bytes; what is longer is cut, so that no peer fills the
    /// disk or the memory with one message.
    static let maximumLength = 8192

    /// Who logs.
    var label: String
    var level: Logger.Level
    /// The same for every event of one kind; what differs stands in the fields.
    var message: String
    var fields: [Field]

    /// The event as people read it: the message, then each field as `name=value`, on one line whatever they hold.
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

    /// A text as long as one may be.
    static func cut(_ text: String) -> String {
        guard text.utf8.count > maximumLength else { return text }
        return String(decoding: text.utf8.prefix(maximumLength - 3), as: UTF8.self) + "..."
    }
}
