import TerminalKit

/// Why something that came over MQTT, or was written by hand, is not understood: a sentence for people.
package struct MQTTProblem: Error, Equatable, Sendable {
    package let text: String

    init(_ text: String) { self.text = text }

    /// Text from outside that may stand in a sentence: sanitized, and of so many characters at most.
    static func quoted(_ text: String, maximum: Int = 60) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.prefix(maximum))).sanitized
    }
}
