/// A text in American English that a catalog can translate.
///
/// The text itself is the catalog's key. Interpolated values become numbered placeholders: `"\(name) is on"` has the key
/// `{1} is on`, and a translation can put the values in another order.
package struct LocalizableText: ExpressibleByStringInterpolation, Sendable, Hashable {
    package let key: String
    let arguments: [String]

    package init(stringLiteral value: String) { (key, arguments) = (value, []) }

    package init(stringInterpolation: StringInterpolation) {
        (key, arguments) = (stringInterpolation.key, stringInterpolation.arguments)
    }

    package struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var key = ""
        fileprivate var arguments: [String] = []

        package init(literalCapacity: Int, interpolationCount: Int) { key.reserveCapacity(literalCapacity) }

        package mutating func appendLiteral(_ literal: String) { key += literal }

        package mutating func appendInterpolation(_ value: some CustomStringConvertible) {
            arguments.append("\(value)")
            key += "{\(arguments.count)}"
        }
    }

    /// The text in the language of the current request.
    package var localized: String { localized(in: TextCatalog.current) }

    func localized(context: String? = nil, in catalog: TextCatalog?) -> String {
        (catalog?.translation(of: key, context: context) ?? key).filling(arguments)
    }
}

/// Returns a text in the language of the current request, or in English outside of requests.
///
/// - Parameters:
///   - text: The text in English.
///   - context: The meaning of a text that other languages don't translate the same way everywhere.
/// - Returns: The translation, or else the text in English.
package func localized(_ text: LocalizableText, context: String? = nil) -> String {
    text.localized(context: context, in: TextCatalog.current)
}

/// Returns the form of a text for a number of things.
///
/// - Parameters:
///   - text: The text for one thing in English.
///   - plural: The text for other numbers in English. Translations of both forms use its values.
///   - count: The number of things.
/// - Returns: The form of the translation, or else of the text in English.
package func localized(_ text: LocalizableText, plural: LocalizableText, count: Int) -> String {
    if let form = TextCatalog.current?.translation(of: text.key, count: count) {
        return form.filling(plural.arguments)
    }
    return (count == 1 ? text : plural).localized(in: nil)
}

/// Returns a text of a table in the language of the current request.
///
/// `Scripts/check-texts` finds the texts of a table by the type `LocalizableText`, and those of the catalog of HAP there.
package func localized(key: String, context: String? = nil) -> String {
    TextCatalog.current?.translation(of: key, context: context) ?? key
}

/// Returns a text of a table within a sentence: in lower case in English, unchanged in other languages.
///
/// Abbreviations, such as "PM2.5", keep their capitals.
package func localizedInSentence(key: String) -> String {
    guard TextCatalog.current == nil else { return localized(key: key) }
    let words = key.split(separator: " ", omittingEmptySubsequences: false)
    return words.map { $0.count { $0.isUppercase } > 1 ? String($0) : $0.lowercased() }.joined(separator: " ")
}

extension String {
    /// The number with the decimal separator of the current request's language.
    package var withDecimalSeparator: String {
        guard let separator = TextCatalog.current?.translation(of: ".") else { return self }
        return replacing(".", with: separator)
    }

    /// The text with values instead of its placeholders `{1}`, `{2}` and so on.
    fileprivate func filling(_ arguments: [String]) -> String {
        guard !arguments.isEmpty else { return self }
        var filled = ""
        var rest = self[...]
        while let start = rest.firstIndex(of: "{") {
            filled += rest[..<start]
            rest = rest[start...]
            guard let end = rest.firstIndex(of: "}") else { break }
            if let number = Int(rest[rest.index(after: start)..<end]), arguments.indices.contains(number - 1) {
                filled += arguments[number - 1]
            } else {
                filled += rest[...end]
            }
            rest = rest[rest.index(after: end)...]
        }
        return filled + rest
    }
}
