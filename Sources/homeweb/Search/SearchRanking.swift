import HomeModel
import TerminalKit

/// The order of search results.
///
/// Case and accents don't matter, and the words of a query can be in any order. A whole word precedes the beginning of a
/// word, and that precedes the middle of a word. Words with a typo match only if nothing else does.
struct SearchRanking: Sendable {
    /// The maximum length of a query, in characters.
    static let maximumLength = 100
    /// The maximum number of words of a query.
    private static let maximumWords = 8

    /// The quality of a match, best first.
    enum Match: Int, Comparable {
        case name, word, prefix, infix, typo

        static func < (a: Match, b: Match) -> Bool { a.rawValue < b.rawValue }
    }

    /// The rank of an entry, best first.
    struct Rank: Comparable {
        /// The match of the worst word.
        var match: Match
        /// The number of words that only the entry's context contains, such as its room.
        var contextWords: Int
        /// The sum of all matches.
        var sum: Int

        static func < (a: Rank, b: Rank) -> Bool {
            (a.match, a.contextWords, a.sum) < (b.match, b.contextWords, b.sum)
        }
    }

    private let words: [String]
    private let whole: String

    init(_ query: String) {
        let text = String(query.prefix(Self.maximumLength))
        words = Array(text.searchWords.prefix(Self.maximumWords))
        whole = text.searchWords.joined()
    }

    var isEmpty: Bool { words.isEmpty }

    /// Returns the entries that match, best first.
    ///
    /// Entries with the same rank keep their order.
    func ranked<Entry>(_ entries: [Entry], _ text: (Entry) -> SearchText) -> [Entry] {
        let texts = entries.map(text)
        for allowsTypos in [false, true] {
            let found = texts.indices.compactMap { index in
                rank(texts[index], allowsTypos: allowsTypos).map { (index: index, rank: $0) }
            }
            guard found.isEmpty else {
                return found.sorted { ($0.rank, $0.index) < ($1.rank, $1.index) }.map { entries[$0.index] }
            }
        }
        return []
    }

    /// Returns the rank of an entry, or `nil` if it doesn't match.
    func rank(_ text: SearchText, allowsTypos: Bool) -> Rank? {
        guard !words.isEmpty, text.verbs.isEmpty || hasVerb(of: text) else { return nil }
        if text.whole == whole { return Rank(match: .name, contextWords: 0, sum: 0) }
        var rank = Rank(match: .name, contextWords: 0, sum: 0)
        for word in words {
            let own = match(word, text.words, text.whole, allowsTypos)
            let other = match(word, text.context, "", allowsTypos)
            guard let best = [own, other].compactMap(\.self).min() else { return nil }
            if own == nil { rank.contextWords += 1 }
            rank.match = max(rank.match, own ?? best)
            rank.sum += (own ?? best).rawValue
        }
        return rank
    }

    private func hasVerb(of text: SearchText) -> Bool {
        words.contains { word in word.count > 1 && text.verbs.contains { $0.hasPrefix(word) } }
    }

    private func match(_ word: String, _ words: [String], _ whole: String, _ allowsTypos: Bool) -> Match? {
        if words.contains(word) { return .word }
        if words.contains(where: { $0.hasPrefix(word) }) || whole.hasPrefix(word) { return .prefix }
        if word.utf8.count > 1, whole.contains(word) || words.contains(where: { $0.contains(word) }) { return .infix }
        // In a short word, one letter makes too much of a difference.
        guard allowsTypos, word.count > 3 else { return nil }
        return words.contains { $0.isOneTypo(from: word) } ? .typo : nil
    }
}

/// The searchable text of an entry.
struct SearchText: Sendable {
    let words: [String]
    /// The words without spaces.
    let whole: String
    /// Words that also describe the entry, such as its room and its kind.
    let context: [String]
    /// The words of which a query must contain at least one; empty for entries that aren't commands.
    let verbs: [String]

    /// Creates the text of a page, or of a command if `object` is the name of its object.
    ///
    /// The other words of a command are its verbs, in any language.
    init(_ name: String, context: [String] = [], object: String? = nil) {
        words = name.searchWords
        verbs =
            object.map { object in
                let others = Set(object.searchWords)
                return name.searchWords.filter { !others.contains($0) }
            } ?? []
        whole = words.joined()
        self.context = context.flatMap(\.searchWords)
    }
}

extension String {
    /// The words in a form without case, accents and apostrophes.
    fileprivate var searchWords: [String] {
        split { !$0.isLetter && !$0.isNumber && $0 != "'" && $0 != "\u{2019}" }.map {
            NameKey(String($0)).description.withoutAccents
        }.filter { !$0.isEmpty }
    }

    /// Returns whether two words differ by one inserted, removed, replaced or swapped letter.
    fileprivate func isOneTypo(from other: String) -> Bool {
        abs(count - other.count) <= 1 && editDistance(to: other) == 1
    }
}
