/// The rules for names in Apple's Home app (HAP 9.6).
///
/// A name consists of letters, digits, spaces and `' & ! . _ : ; ( ) / , -`. It has at most 64 bytes, and begins and
/// ends with a letter or a digit.
public enum AccessoryName {
    /// The maximum length of a name, in bytes of UTF-8.
    public static let maximumLength = 64

    /// Converts any text to a valid name.
    ///
    /// - Parameters:
    ///   - text: The original name, such as the name that the device reports.
    ///   - fallback: A valid name to use if no characters remain.
    /// - Returns: The text itself if it is valid, otherwise the closest valid name.
    public static func sanitized(_ text: String, fallback: String) -> String {
        var words = ""
        for character in text {
            if isPlain(character) || "'’&!._:;()/,-".contains(character) {
                words.append(character == "’" ? "'" : character)
            } else if !words.hasSuffix(" ") {
                words.append(" ")
            }
        }
        let name = shortened(words)
        guard hasMatchingParentheses(name) else {
            // The parentheses may no longer match: trimming removes the closing one in "Lamp (left)", for example.
            let plain = shortened(String(words.map { "()".contains($0) ? " " : $0 }))
            return plain.isEmpty ? fallback : plain
        }
        return name.isEmpty ? fallback : name
    }

    private static func shortened(_ text: String) -> String { trim(trim(text).prefix(bytes: maximumLength)) }

    private static func hasMatchingParentheses(_ text: String) -> Bool {
        var open = 0
        for character in text where open >= 0 {
            if character == "(" { open += 1 }
            if character == ")" { open -= 1 }
        }
        return open == 0
    }

    /// Makes a name unique by appending a number if necessary.
    ///
    /// - Parameters:
    ///   - name: A valid name.
    ///   - taken: The names in use.
    /// - Returns: The name, or the name with the first free number.
    public static func unique(_ name: String, among taken: Set<String>) -> String {
        guard taken.contains(name) else { return name }
        for number in 2... {
            let suffix = " \(number)"
            let candidate = sanitized(name.prefix(bytes: maximumLength - suffix.utf8.count), fallback: "") + suffix
            if !taken.contains(candidate) { return candidate }
        }
        return name
    }

    private static func isPlain(_ character: Character) -> Bool {
        // Accept letters and digits of any script, but no emoji.
        (character.isLetter || character.isNumber)
            && !character.unicodeScalars.contains { $0.properties.isEmojiPresentation || $0.value == 0xFE0F }
    }

    private static func trim(_ text: String) -> String {
        guard let first = text.firstIndex(where: isPlain), let last = text.lastIndex(where: isPlain) else { return "" }
        var result = ""
        for character in text[first...last] where !(character == " " && result.hasSuffix(" ")) {
            result.append(character)
        }
        return result
    }
}

/// A firmware revision in the form that controllers accept: `x[.y[.z]]`, with only digits (HAP 9.5).
public enum FirmwareRevision {
    /// Converts any text to a revision.
    ///
    /// - Parameter text: The device's version, such as `v1.4.2-beta` or `20230717`.
    /// - Returns: The first numbers in the text, at most three; `0.0.1` if none of them is above 0.
    public static func normalized(_ text: String?) -> String {
        let runs = (text ?? "").utf8.split { !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        let numbers = runs.prefix(3).compactMap { UInt32(String(decoding: $0, as: UTF8.self)) }
        guard !numbers.isEmpty, numbers.contains(where: { $0 > 0 }) else { return "0.0.1" }
        return numbers.map(String.init).joined(separator: ".")
    }

    /// Returns the later of two versions, so that a revision never decreases.
    ///
    /// - Parameters:
    ///   - known: The last known version.
    ///   - reported: The version in the device's latest report.
    /// - Returns: `reported`, unless it is missing or its revision is lower than that of `known`.
    public static func latest(_ known: String?, _ reported: String?) -> String? {
        guard let known, let reported else { return reported ?? known }
        return numbers(reported).lexicographicallyPrecedes(numbers(known)) ? known : reported
    }

    private static func numbers(_ text: String) -> [UInt32] {
        let numbers = normalized(text).split(separator: ".").compactMap { UInt32($0) }
        return numbers + Array(repeating: 0, count: 3 - numbers.count)
    }

    /// Returns whether text is a valid revision.
    ///
    /// - Parameter text: Any text.
    /// - Returns: Whether it has one to three numbers, separated by dots.
    public static func isValid(_ text: String) -> Bool {
        let numbers = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return numbers.count <= 3
            && numbers.allSatisfy { number in
                number.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
                    && UInt32(String(decoding: number, as: UTF8.self)) != nil
            }
    }
}
