extension String {
    /// The text as one line that can't affect a terminal, a log or a prompt.
    ///
    /// Unprintable characters are written as escapes such as `\n` or `\u{1B}`.
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
    /// A Boolean value that indicates whether the character is visible or a space, without any other effect.
    package var isPrintable: Bool {
        if isASCII { return value >= 0x20 && value != 0x7F }
        return switch properties.generalCategory {
        // Format characters can, for example, change the direction of the text.
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: false
        default: true
        }
    }
}
