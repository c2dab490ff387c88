extension String {
    /// The text as one line that does nothing to a terminal, a log or a prompt, whoever wrote it: what is not printable is
    /// written as an escape, `\n` or `\u{1B}`.
    package var sanitized: String {
        guard unicodeScalars.contains(where: { !$0.isPrintable }) else { return self }
        var text = ""
        for scalar in unicodeScalars {
            switch scalar {
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            case _ where scalar.isPrintable: text.unicodeScalars.append(scalar)
            default: text += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
            }
        }
        return text
    }
}

extension Unicode.Scalar {
    /// Whether it shows something, or a space, and does nothing else.
    package var isPrintable: Bool {
        if isASCII { return value >= 0x20 && value != 0x7F }
        return switch properties.generalCategory {
        // Format characters turn the direction of the text around, among other things.
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: false
        default: true
        }
    }
}
