/// Identifies the values that must never appear in an error.
enum Secrets {
    private static let words = ["setup-code", "password", "token"]
    private static let code = "code"

    /// Returns whether the value of a key, or a value within it, is secret.
    static func holds(_ path: [any CodingKey]) -> Bool {
        path.contains { key in words.contains { key.stringValue.lowercased().hasPrefix($0) } }
            // `code` is secret for a lock or an alarm panel. At the top level, it is the code of a simulation in
            // hapsim's files.
            || path.dropFirst().contains { $0.stringValue.lowercased() == code }
    }

    /// Returns a word from the file in a form that can be used in an error: truncated, and without the text after a
    /// secret's name.
    ///
    /// YAML parses `password:x` as one word, because the space between the key and the value is missing.
    static func shown(_ text: String) -> String {
        let lowercased = text.lowercased()
        for word in words + [code] {
            guard lowercased.count == text.count, let range = lowercased.firstRange(of: word) else { continue }
            let end = lowercased.distance(from: lowercased.startIndex, to: range.upperBound)
            let rest = text.dropFirst(end)
            guard let separator = rest.firstIndex(where: { $0 == ":" || $0 == "=" || $0.isWhitespace }) else {
                continue
            }
            return String(text[..<separator].prefix(40)) + "..."
        }
        return text.count > 40 ? text.prefix(40) + "..." : text
    }
}

extension Secrets {
    private static let suffixes = ["setup-code", "password", "token", "secret", "code", "key"]

    /// Returns whether the value of a key may be secret.
    ///
    /// A key such as `password-file` contains only a path, and `hue/00:17:88:01:02:0a:key` is a device.
    static func mayName(_ key: some StringProtocol) -> Bool {
        let key = key.lowercased()
        guard !key.contains("/") else { return false }
        return key.hasPrefix("password") && !key.hasSuffix("-file")
            || suffixes.contains { key.hasSuffix($0) || key.hasSuffix("\($0)s") }
    }

    /// Returns whether a text seems to contain a secret: `password=x`, `token: x` or `mqtt://user:x@host`.
    static func mayBe(in text: some StringProtocol) -> Bool {
        for (index, character) in zip(text.indices, text) where character == ":" || character == "=" {
            let name = text[..<index].reversed().drop { $0 == " " || $0 == "\"" || $0 == "'" }
                .prefix { $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" }
            let rest = text[text.index(after: index)...]
            if mayName(String(name.reversed())), !rest.allSatisfy(\.isWhitespace) { return true }
            if rest.hasPrefix("//"), rest.contains("@") { return true }
        }
        return false
    }
}
