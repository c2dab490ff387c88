/// The words of a name, for finding other names in it.
struct NameWords {
    private(set) var words: [String]
    private var keys: [NameKey]

    init(_ name: String) {
        words = name.spacedWords
        keys = words.map { NameKey($0) }
    }

    var text: String { words.joined(separator: " ") }

    /// Returns the range of the words that match a key, regardless of the spaces between them.
    ///
    /// The last word may have a possessive *'s*.
    func firstRange(of key: NameKey, shielding shielded: [Range<Int>] = []) -> Range<Int>? {
        guard !key.isEmpty else { return nil }
        for start in words.indices {
            var joined = ""
            for end in start..<words.count {
                let rest = key.description.utf8.dropFirst(joined.utf8.count)
                let range = start..<(end + 1)
                if keys[end].description.utf8.elementsEqual(rest) || withoutPossessive(end).utf8.elementsEqual(rest),
                    !shielded.contains(where: { $0.overlaps(range) })
                {
                    return range
                }
                joined += keys[end].description
                guard key.description.utf8.starts(with: joined.utf8) else { break }
            }
        }
        return nil
    }

    private func withoutPossessive(_ index: Int) -> String {
        let scalars = Array(words[index].unicodeScalars)
        guard scalars.count > 2, scalars[scalars.count - 2].isApostrophe,
            "sS".unicodeScalars.contains(scalars[scalars.count - 1])
        else { return keys[index].description }
        return String(keys[index].description.dropLast())
    }

    /// Removes words, along with the small words that connected them to the rest.
    mutating func remove(_ range: Range<Int>) {
        var range = range
        while range.lowerBound > 0, isGlue(range.lowerBound - 1) { range = (range.lowerBound - 1)..<range.upperBound }
        while range.upperBound < words.count, isGlue(range.upperBound) {
            range = range.lowerBound..<(range.upperBound + 1)
        }
        words.removeSubrange(range)
        keys.removeSubrange(range)
    }

    mutating func removeAll(where shouldBeRemoved: (String) -> Bool) {
        self = NameWords(words.filter { !shouldBeRemoved($0) }.joined(separator: " "))
    }

    private func isGlue(_ index: Int) -> Bool { Self.glue.contains(keys[index].description) }

    private static let glue: Set<String> = [
        "in", "at", "on", "of", "for", "to", "the", "a", "an", "inside", "near", "by",
    ]
}

extension String {
    /// The parts of the string between spaces.
    ///
    /// A space separates words even if a combining mark follows it, so that both form a single `Character`.
    var spacedWords: [String] { utf8.split(separator: UInt8(ascii: " ")).map { String(Substring($0)) } }
}
