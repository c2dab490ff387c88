/// Which values never appear in an error.
enum Secrets {
    private static let words = ["setup-code", "password", "token"]

    /// Whether the value of a key, or what lies within it, is to be kept quiet.
    static func holds(_ path: [any CodingKey]) -> Bool {
        path.contains { key in words.contains { key.stringValue.lowercased().hasPrefix($0) } }
    }

    /// A word from the file as an error may show it: short, and without what follows a secret's name.
    ///
    /// `password:x`, without the space that makes a key and a value of it, is one word to YAML.
    static func shown(_ text: String) -> String {
        let lowercased = text.lowercased()
        for word in words {
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
