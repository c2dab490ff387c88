/// A rule that a name breaks, in the order in which they are reported.
@nonexhaustive
public enum NameViolation: Int, Sendable, Hashable, CaseIterable, Comparable {
    /// There is nothing.
    case empty
    /// More than ``NameRules/maximumLength`` characters, or ``NameRules/maximumBytes`` bytes.
    case tooLong
    /// Something that is no letter, digit, space or apostrophe.
    case prohibitedCharacter
    /// It begins with a space, an apostrophe, a mark or something prohibited.
    case badStart
    /// It ends with a space, an apostrophe or something prohibited.
    case badEnd

    /// The number under which the violation is thrown.
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

/// What may be the name of a home, a room, a zone, an accessory, a service or a scene.
///
/// A name is to be spoken, so it holds letters, digits, spaces and apostrophes of any script, and nothing else.
public enum NameRules {
    /// Returns the rules that a name breaks, as it was given, in the order of ``NameViolation``; none for a valid name.
    public static func violations(of name: String) -> [NameViolation] {
        let name = name.nfc
        guard !name.isEmpty else { return [.empty] }
        var violations: [NameViolation] = []
        // A character is one byte at least, so whoever has few enough of those is counted quickly.
        if name.utf8.count > maximumBytes || name.count > maximumLength { violations.append(.tooLong) }
        let scalars = Array(name.unicodeScalars)
        if !scalars.indices.allSatisfy({ isAllowed(scalars, at: $0) }) { violations.append(.prohibitedCharacter) }
        if !scalars[0].isNameLetterOrDigit { violations.append(.badStart) }
        let last = scalars[scalars.count - 1]
        if !last.isNameLetterOrDigit && !last.isNameMark { violations.append(.badEnd) }
        return violations
    }

    /// Whether nothing is wrong with a name.
    public static func isValid(_ name: String) -> Bool { violations(of: name).isEmpty }

    /// Whether a scalar may stand where it does within a name; ends have stricter rules.
    static func isAllowed(_ scalars: [Unicode.Scalar], at index: Int) -> Bool {
        let scalar = scalars[index]
        if scalar == " " || scalar.isApostrophe || scalar.isNameLetterOrDigit || scalar.isNameMark { return true }
        // Persian and Indic spelling joins and parts letters with these; elsewhere they hide in emoji.
        guard scalar.isJoiner, index > 0, index + 1 < scalars.count else { return false }
        return [scalars[index - 1], scalars[index + 1]].allSatisfy { $0.isNameLetter || $0.isNameMark }
    }
}

extension Unicode.Scalar {
    /// Apostrophes as keyboards, typography and linguists write them.
    var isApostrophe: Bool { self == "'" || self == "\u{2019}" || self == "\u{2BC}" }

    /// The zero-width joiner and non-joiner.
    var isJoiner: Bool { self == "\u{200C}" || self == "\u{200D}" }

    var isNameLetterOrDigit: Bool {
        if isASCII { return "a"..."z" ~= self || "A"..."Z" ~= self || "0"..."9" ~= self }
        return isNameLetter || properties.generalCategory == .decimalNumber
    }

    var isNameLetter: Bool {
        switch properties.generalCategory {
        // ASCII digits are emoji, too, says Unicode; among letters it is only the information sign.
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
