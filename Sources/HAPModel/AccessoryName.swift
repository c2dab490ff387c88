/// The names that Apple's Home accepts (HAP 9.6): letters, digits, spaces and `' & ! . _ : ; ( ) / , -`, at most 64 bytes,
/// with a letter or a digit at both ends.
public enum AccessoryName {
    /// The longest name, in bytes of UTF-8.
    public static let maximumLength = 64

    /// Makes any text a name that controllers take.
    ///
    /// - Parameters:
    ///   - text: what the source calls the thing.
    ///   - fallback: a valid name to use if nothing is left of it.
    /// - Returns: the text itself if it is valid, else the nearest valid one.
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
            // One of a pair was at an end: "Lamp (left)".
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

    /// Makes a name differ from those that are taken by a number behind it.
    ///
    /// - Parameters:
    ///   - name: a valid name.
    ///   - taken: the names in use.
    /// - Returns: the name, or the name with the first number that is free.
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
        // A letter or digit of any script; emoji count as neither.
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

/// A firmware revision as controllers take it: `x[.y[.z]]`, digits only (HAP 9.5).
public enum FirmwareRevision {
    /// Makes any text a revision.
    ///
    /// - Parameter text: what the device says, such as `v1.4.2-beta` or `20230717`.
    /// - Returns: its first numbers, or `0.0.1` if there are none.
    public static func normalized(_ text: String?) -> String {
        let runs = (text ?? "").utf8.split { !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        let numbers = runs.prefix(3).compactMap { UInt32(String(decoding: $0, as: UTF8.self)) }
        guard !numbers.isEmpty, numbers.contains(where: { $0 > 0 }) else { return "0.0.1" }
        return numbers.map(String.init).joined(separator: ".")
    }

    /// Returns the later of two versions, so that a revision never falls.
    ///
    /// - Parameters:
    ///   - known: the version so far.
    ///   - reported: the version that the device reports now.
    /// - Returns: `reported`, unless it is missing or its revision is lower than that of `known`.
    public static func latest(_ known: String?, _ reported: String?) -> String? {
        guard let known, let reported else { return reported ?? known }
        return numbers(reported).lexicographicallyPrecedes(numbers(known)) ? known : reported
    }

    private static func numbers(_ text: String) -> [UInt32] {
        let numbers = normalized(text).split(separator: ".").compactMap { UInt32($0) }
        return numbers + Array(repeating: 0, count: 3 - numbers.count)
    }

    /// Whether a text is a revision.
    ///
    /// - Parameter text: any text.
    /// - Returns: whether it is one to three numbers with points between them.
    public static func isValid(_ text: String) -> Bool {
        let numbers = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return numbers.count <= 3
            && numbers.allSatisfy { number in
                number.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
                    && UInt32(String(decoding: number, as: UTF8.self)) != nil
            }
    }
}
