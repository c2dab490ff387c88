extension String {
    /// The letters and digits in lower case, for comparisons.
    package var squashed: String { lowercased().filter { $0.isLetter || $0.isNumber } }

    /// Returns the most similar word, or `nil` if none is similar enough.
    ///
    /// A short word may have one typo, and a long word one per three letters.
    package func nearest(in words: some Sequence<String>) -> String? {
        let typed = Array(lowercased().unicodeScalars.prefix(64))
        let candidates = words.map { (word: $0, distance: Self.distance(typed, Array($0.lowercased().unicodeScalars))) }
        guard let best = candidates.min(by: { ($0.distance, $0.word) < ($1.distance, $1.word) }) else { return nil }
        return best.distance <= max(1, typed.count / 3) ? best.word : nil
    }

    /// Returns the number of letters to insert, remove, replace or swap with their neighbor to get another word.
    package func editDistance(to other: String) -> Int {
        Self.distance(Array(unicodeScalars.prefix(64)), Array(other.unicodeScalars))
    }

    /// Returns the edit distance: the number of letters to insert, remove, replace or swap with their neighbor.
    private static func distance(_ a: [Unicode.Scalar], _ b: [Unicode.Scalar]) -> Int {
        guard b.count <= 128 else { return .max }
        var beforeLast: [Int] = []
        var last = Array(0...b.count)
        for (i, x) in a.enumerated() {
            var row = [i + 1]
            for (j, y) in b.enumerated() {
                var best = Swift.min(row[j] + 1, last[j + 1] + 1, last[j] + (x == y ? 0 : 1))
                if i > 0, j > 0, x == b[j - 1], a[i - 1] == y { best = Swift.min(best, beforeLast[j - 1] + 1) }
                row.append(best)
            }
            (beforeLast, last) = (last, row)
        }
        return last[b.count]
    }
}
