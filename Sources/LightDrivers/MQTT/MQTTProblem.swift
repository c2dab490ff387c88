/// Why something that came over MQTT, or was written by hand, is not understood: a sentence for people.
package struct MQTTProblem: Error, Equatable, Sendable {
    package let text: String

    init(_ text: String) { self.text = text }

    /// Text of a stranger that may stand in a sentence: one line, printable, short.
    static func quoted(_ text: String) -> String {
        let scalars = text.unicodeScalars.prefix(60).map { scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned: "?" as Unicode.Scalar
            default: scalar
            }
        }
        return String(String.UnicodeScalarView(scalars))
    }
}
