/// A rule that a name violates, in the order in which violations are reported.
@nonexhaustive
public enum NameViolation: Int, Sendable, Hashable, CaseIterable, Comparable {
    /// The name is empty.
    case empty
    /// The name exceeds ``NameRules/maximumLength`` characters or ``NameRules/maximumBytes`` bytes.
    case tooLong
    /// The name has a character other than letters, digits, spaces and apostrophes.
    case prohibitedCharacter
    /// The name starts with a space, an apostrophe, a mark or a prohibited character.
    case badStart
    /// The name ends with a space, an apostrophe or a prohibited character.
    case badEnd

    /// The error code of the violation.
    public var code: HomeError.Code {
        switch self {
        case .empty: .stringShorterThanMinimum
        case .tooLong: .stringLongerThanMaximum
        case .prohibitedCharacter: .nameContainsProhibitedCharacters
        case .badStart: .nameDoesNotStartWithValidCharacters
        case .badEnd: .nameDoesNotEndWithValidCharacters
        }
    }

    /// One short sentence for the person who chose the name.
    public var explanation: String { code.message }

    /// Orders violations as they are reported.
    public static func < (a: NameViolation, b: NameViolation) -> Bool { a.rawValue < b.rawValue }
}

/// The rules for names of homes, rooms, zones, accessories, services and scenes.
///
/// Users speak names aloud, so names consist of letters and digits of any script, spaces and apostrophes.
public enum NameRules {
    /// Returns the rules that a name violates, in the order of ``NameViolation``; none for a valid name.
    ///
    /// The name is neither trimmed nor changed.
    public static func violations(of name: String) -> [NameViolation] {
        let name = name.nfc
        guard !name.isEmpty else { return [.empty] }
        var violations: [NameViolation] = []
        // A character has at least one byte. Checking bytes first bounds the cost of counting characters.
        if name.utf8.count > maximumBytes || name.count > maximumLength { violations.append(.tooLong) }
        let scalars = Array(name.unicodeScalars)
        if !scalars.indices.allSatisfy({ isAllowed(scalars, at: $0) }) { violations.append(.prohibitedCharacter) }
        if !scalars[0].isNameLetterOrDigit { violations.append(.badStart) }
        let last = scalars[scalars.count - 1]
        if !last.isNameLetterOrDigit && !last.isNameMark { violations.append(.badEnd) }
        return violations
    }

    /// Returns a Boolean value that indicates whether a name is valid.
    public static func isValid(_ name: String) -> Bool { violations(of: name).isEmpty }

    /// Returns a Boolean value that indicates whether a scalar is allowed at its position; the ends of a name have
    /// stricter rules.
    static func isAllowed(_ scalars: [Unicode.Scalar], at index: Int) -> Bool {
        let scalar = scalars[index]
        if scalar == " " || scalar.isApostrophe || scalar.isNameLetterOrDigit || scalar.isNameMark { return true }
        // Persian and Indic scripts use joiners and non-joiners between letters. Elsewhere, they occur in emoji.
        guard scalar.isJoiner, index > 0, index + 1 < scalars.count else { return false }
        return [scalars[index - 1], scalars[index + 1]].allSatisfy { $0.isNameLetter || $0.isNameMark }
    }
}

extension Unicode.Scalar {
    /// A Boolean value that indicates whether the scalar is a straight, a typographic or a modifier-letter apostrophe.
    var isApostrophe: Bool { self == "'" || self == "\u{2019}" || self == "\u{2BC}" }

    /// A Boolean value that indicates whether the scalar is the zero-width joiner or non-joiner.
    var isJoiner: Bool { self == "\u{200C}" || self == "\u{200D}" }

    var isNameLetterOrDigit: Bool {
        if isASCII { return "a"..."z" ~= self || "A"..."Z" ~= self || "0"..."9" ~= self }
        return isNameLetter || properties.generalCategory == .decimalNumber
    }

    var isNameLetter: Bool {
        switch properties.generalCategory {
        // Among letters, Unicode classifies only the information sign as an emoji. (It does so for ASCII digits, too,
        // but they aren't letters.)
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter: !properties.isEmoji
        default: false
        }
    }

    var isNameMark: Bool {
        switch properties.generalCategory {
        case .nonspacingMark, .spacingMark: !properties.isVariationSelector
        default: false
        }
    }
}
