import TerminalKit

/// Why something that came over MQTT, or was written by hand, is not understood: a sentence for people.
package struct MQTTProblem: Error, Equatable, Sendable {
    package let text: String
    /// The key that it is about, if it is about one.
    let key: String?

    init(_ text: String, key: String? = nil) {
        self.text = text
        self.key = key
    }

    /// Something is wrong with a key.
    static func about(_ key: String, _ what: String) -> MQTTProblem { MQTTProblem("\(key) \(what)", key: key) }

    /// Text from outside that may stand in a sentence: sanitized, and of so many characters at most.
    static func quoted(_ text: String, maximum: Int = 60) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.prefix(maximum))).sanitized
    }
}
