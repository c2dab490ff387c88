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
