import TerminalKit

/// An error in an MQTT message or a hand-written entry, in words that users see.
package struct MQTTProblem: Error, Equatable, Sendable {
    package let text: String
    /// The invalid key, or `nil` if the error isn't about a single key.
    let key: String?

    init(_ text: String, key: String? = nil) {
        self.text = text
        self.key = key
    }

    /// Returns an error about a key.
    static func about(_ key: String, _ what: String) -> MQTTProblem { MQTTProblem("\(key) \(what)", key: key) }

    /// Returns external text in a form that is safe in a message: truncated to the maximum number of Unicode scalars,
    /// and sanitized.
    static func quoted(_ text: String, maximum: Int = 60) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.prefix(maximum))).sanitized
    }
}
