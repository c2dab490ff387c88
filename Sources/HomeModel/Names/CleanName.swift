/// Converts any string into the closest valid name, which keeps all words that fit.
package enum CleanName {
    /// Returns a valid name, or an empty string if no allowed character remains.
    package static func cleaned(_ raw: String) -> String {
        let raw = String(String.UnicodeScalarView(raw.unicodeScalars.prefix(maximumScalars))).nfc
        let words = ordinals(raw.unicodeScalars.split(whereSeparator: \.properties.isWhitespace).map { String($0) })
        var kept = String.UnicodeScalarView()
        for word in words {
            let scalars = Array(word.unicodeScalars)
            for (index, scalar) in scalars.enumerated() {
                if NameRules.isAllowed(scalars, at: index) {
                    kept.append(scalar)
                } else if scalar.partsWords {
                    kept.append(" ")
                }
            }
            kept.append(" ")
        }
        return fitted(String(kept))
    }

    /// Normalizes the spaces and the ends of a string of allowed scalars, and truncates it between words to the maximum
    /// length.
    static func fitted(
        _ text: String, maximumLength: Int = NameRules.maximumLength, maximumBytes: Int = NameRules.maximumBytes
    ) -> String {
        var name = ""
        for word in text.spacedWords {
            let word = trimmed(word)
            guard !word.isEmpty else { continue }
            let longer = name.isEmpty ? word : name + " " + word
            guard longer.count <= maximumLength, longer.utf8.count <= maximumBytes else {
                // A first word that exceeds the maximum must be truncated.
                if name.isEmpty { name = trimmed(cut(word, maximumLength, maximumBytes)) }
                break
            }
            name = longer
        }
        return trimmed(name.nfc)
    }

    private static func cut(_ word: String, _ length: Int, _ bytes: Int) -> String {
        var result = ""
        for character in word.prefix(length) {
            guard result.utf8.count + character.utf8.count <= bytes else { break }
            result.append(character)
        }
        return result
    }

    /// Removes the characters from both ends of a word that can't start or end a name.
    private static func trimmed(_ word: String) -> String {
        let scalars = word.unicodeScalars
        guard let first = scalars.firstIndex(where: \.isNameLetterOrDigit),
            let last = scalars.lastIndex(where: { $0.isNameLetterOrDigit || $0.isNameMark })
        else { return "" }
        return String(scalars[first...last])
    }

    /// Replaces `#2 garage door` with `2nd garage door`, `Lamp #2` with `Lamp 2`, and `&` or `+` between words with
    /// `and`.
    private static func ordinals(_ words: [String]) -> [String] {
        words.enumerated().map { index, word in
            let inside = index > 0 && index + 1 < words.count
            if inside, word == "&" || word == "+" { return "and" }
            guard word.hasPrefix("#"), let number = Int(word.dropFirst()), number >= 0 else { return word }
            return index + 1 < words.count ? ordinal(number) : String(number)
        }
    }

    private static func ordinal(_ number: Int) -> String {
        switch (number % 10, number % 100) {
        case (_, 11...13): "\(number)th"
        case (1, _): "\(number)st"
        case (2, _): "\(number)nd"
        case (3, _): "\(number)rd"
        default: "\(number)th"
        }
    }

    /// Returns a Boolean value that indicates whether a word is an ordinal in the form that ``ordinal(_:)`` returns,
    /// such as `2nd`.
    static func isOrdinal(_ word: String) -> Bool {
        guard let number = Int(word.dropLast(2)) else { return false }
        return number >= 0 && ordinal(number) == word.lowercased()
    }
}

extension Unicode.Scalar {
    /// A Boolean value that indicates whether the scalar separates words, like dashes, punctuation, brackets and
    /// spaces.
    fileprivate var partsWords: Bool {
        switch properties.generalCategory {
        case .connectorPunctuation, .dashPunctuation, .openPunctuation, .closePunctuation, .initialPunctuation,
            .finalPunctuation, .otherPunctuation, .spaceSeparator, .lineSeparator, .paragraphSeparator:
            true
        default: self == "+" || properties.isWhitespace
        }
    }
}

extension String {
    /// The part of a device's string that a home stores: a single line of limited length that any database and display
    /// can handle.
    ///
    /// Control characters, line breaks and bidirectional controls are removed.
    var keptFromDevice: String {
        var kept = ""
        var length = 0
        for scalar in unicodeScalars where !scalar.isStripped {
            length += UTF8.width(scalar)
            guard length <= Self.longestFromDevice else { break }
            kept.unicodeScalars.append(scalar)
        }
        return kept
    }
}

extension Unicode.Scalar {
    fileprivate var isStripped: Bool {
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator, .surrogate: true
        default: properties.isBidiControl
        }
    }
}
