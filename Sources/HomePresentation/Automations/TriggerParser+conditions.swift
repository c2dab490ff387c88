package import HomeModel
import Texts

extension TriggerParser {
    /// The maximum number of words in a condition.
    private static let longestCondition = 200
    /// The maximum number of pieces that are joined into one statement, because a name may contain "and" or "or".
    private static let joinedPieces = 3

    /// Parses a condition: `anyone home and (after sunset or hall sensor brightness<20)`.
    ///
    /// - Throws: `HomeError` with code 2 or 3.
    package func condition(typed: String) throws(HomeError) -> TriggerCondition {
        let words = try Self.words(typed)
        guard words.count <= Self.longestCondition else {
            throw HomeError(
                .invalidParameter, detail: localized("the condition has more than \(Self.longestCondition) words"))
        }
        return try condition(words[...], depth: 0)
    }

    private func condition(_ words: ArraySlice<String>, depth: Int) throws(HomeError) -> TriggerCondition {
        guard let first = words.first else {
            throw HomeError(
                .invalidParameter,
                detail: "a condition is missing next to \"and\", \"or\", \"not\" or a parenthesis")
        }
        guard depth <= 2 * TriggerLimits.conditionDepth else {
            throw HomeError(
                .invalidParameter,
                detail: localized("conditions can be nested up to \(TriggerLimits.conditionDepth) levels"))
        }
        if first == "(", words.closing(of: words.startIndex) == words.endIndex - 1 {
            return try condition(words.dropFirst().dropLast(), depth: depth + 1)
        }
        let failure: HomeError
        do throws(HomeError) { return try simpleCondition(words) } catch { failure = error }
        var problem: HomeError?
        for (word, combine) in [("or", TriggerCondition.any), ("and", TriggerCondition.all)] {
            guard let pieces = try words.split(at: word) else { continue }
            do throws(HomeError) {
                return combine(try conditions(pieces, separator: word, depth: depth + 1))
            } catch {
                problem = problem ?? error
                // An accessory can be called "Or".
                guard pieces.contains(where: \.isCut) else { break }
            }
        }
        if let problem { throw problem }
        if first.lowercased() == "not" { return .not(try condition(words.dropFirst(), depth: depth + 1)) }
        throw failure
    }

    /// Parses the parts of a combination.
    ///
    /// Names and "between A and B" can contain the separator, so pieces are joined until they are a valid condition.
    private func conditions(
        _ pieces: [ArraySlice<String>], separator: String, depth: Int
    ) throws(HomeError) -> [TriggerCondition] {
        var conditions: [TriggerCondition] = []
        var start = 0
        while start < pieces.count {
            var failure: HomeError?
            var found: TriggerCondition?
            for end in start..<min(pieces.count, start + Self.joinedPieces) where found == nil {
                let joined = pieces[start...end].map(Array.init).joined(separator: [separator])
                do throws(HomeError) {
                    found =
                        try end == start
                        ? condition(pieces[start], depth: depth) : simpleCondition(Array(joined)[...])
                    start = end + 1
                } catch {
                    // "between" needs the next piece, too, so the error for both together is clearer.
                    let isBetween = end == start + 1 && pieces[start].first?.lowercased() == "between"
                    failure = isBetween ? error : failure ?? error
                }
            }
            guard let found else { throw failure ?? HomeError(.invalidParameter) }
            conditions.append(found)
        }
        return conditions
    }

    /// Parses a statement, or "not" and a statement.
    private func simpleCondition(_ words: ArraySlice<String>) throws(HomeError) -> TriggerCondition {
        do throws(HomeError) {
            return try statement(words)
        } catch {
            guard words.first?.lowercased() == "not", let part = try? statement(words.dropFirst()) else { throw error }
            return .not(part)
        }
    }

    /// Parses a condition without "and" and "or".
    private func statement(_ words: ArraySlice<String>) throws(HomeError) -> TriggerCondition {
        let typed = words.joined(separator: " ")
        guard !words.contains("("), !words.contains(")") else {
            throw .unclear(typed, localized("check the parentheses and the words next to them"))
        }
        var plain = words.map { $0.lowercased() }[...]
        if plain.first == "if" { plain = plain.dropFirst() }
        if plain.starts(with: ["it", "is"]) { plain = plain.dropFirst(2) }
        if plain.first == "it's" { plain = plain.dropFirst() }
        let rest = plain.dropFirst().joined(separator: " ")
        // The name of an accessory can begin with these words, too.
        var unclear: HomeError?
        switch plain.first {
        case "between" where plain.count > 1, "from" where plain.count > 1:
            do throws(HomeError) { return try between(typed, rest) } catch { unclear = error }
        case "after" where plain.count > 1, "before" where plain.count > 1:
            if let condition = relation(plain.first == "after" ? .after : .before, rest) { return condition }
            unclear = .unclear(typed, localized("use a time such as after sunset, before 7:00 or after sunset-30m"))
        case "on" where plain.count > 1:
            if let days = Weekdays(typed: rest) { return .weekday(days) }
        default:
            if let days = Weekdays(typed: plain.joined(separator: " ")) { return .weekday(days) }
        }
        let words = Array(words.suffix(plain.count))
        if let presence = try presence(words) { return presence }
        do throws(HomeError) {
            return try test(words).condition
        } catch {
            if let affirmed = Self.affirmed(words), let part = try? test(affirmed).condition { return .not(part) }
            if let unclear { throw unclear }
            guard error.code == .notFound else { throw error }
            // "Ana home" is a typo of a person's name.
            if !home.people.isEmpty, let presence = try presence(words, isWhole: false) { return presence }
            guard Self.lasting(words) == nil else {
                throw HomeError(
                    .invalidParameter,
                    detail: "a condition can't have a duration; use an event instead, such as \"hall lamp on for 5m\"")
            }
            throw error
        }
    }

    /// Returns the words without a negation, such as `lamp on` for `lamp isn't on`; `nil` if they contain no negation.
    private static func affirmed(_ words: [String]) -> [String]? {
        guard let index = words.lastIndex(where: { negations.contains($0.lowercased()) }), index > 0 else { return nil }
        return Array(words[..<index] + words[(index + 1)...])
    }

    // MARK: Times

    private func relation(_ relation: SunRelation, _ typed: String) -> TriggerCondition? {
        if let sun = SunTime(typed: typed) { return .sun(relation, sun) }
        guard let time = TimeOfDay(typed: typed), time != .midnight else { return nil }
        return relation == .after ? .time(from: time, to: .midnight) : .time(from: .midnight, to: time)
    }

    /// Parses two times with "and" or "to" between them.
    private func between(_ typed: String, _ rest: String) throws(HomeError) -> TriggerCondition {
        guard let found = rest.firstRange(of: " and ") ?? rest.firstRange(of: " to "),
            let start = IntervalEnd(typed: String(rest[..<found.lowerBound])),
            let end = IntervalEnd(typed: String(rest[found.upperBound...]))
        else { throw .unclear(typed, localized("use two times, such as between 22:00 and 6:00")) }
        guard let condition = start.condition(until: end) else {
            throw .unclear(typed, localized("use two times on one day, such as between sunset and 23:00"))
        }
        return condition
    }

    // MARK: Presence

    private static let negations: Set = ["not", "isn't", "aren't"]

    /// Returns the condition for people being home or away; `nil` if the words mean something else.
    ///
    /// - Throws: `HomeError` with code 2 or 3 if `isWhole` is `false` and a name is unknown or ambiguous.
    func presence(_ words: [String], isWhole: Bool = true) throws(HomeError) -> TriggerCondition? {
        var subject = words
        guard words.count > 1, let place = subject.popLast()?.lowercased(), place == "home" || place == "away" else {
            return nil
        }
        var isNegated = false
        while subject.count > 1, let last = subject.last?.lowercased() {
            if Self.negations.contains(last) {
                isNegated.toggle()
            } else if !["is", "are", "at"].contains(last) {
                break
            }
            subject.removeLast()
        }
        let isHome = (place == "home") != isNegated
        switch (subject.joined(separator: " ").lowercased(), isHome) {
        case ("anyone", true), ("anybody", true), ("someone", true), ("somebody", true): return .presence(.anyoneHome)
        case ("no one", true), ("noone", true), ("nobody", true), ("everyone", false), ("everybody", false):
            return isNegated ? nil : .presence(.noOneHome)
        case ("everyone", true), ("everybody", true):
            guard !isWhole else { return nil }
            throw .unclear(words.joined(separator: " "), localized("name the people, such as Anna home and Ben home"))
        default: break
        }
        guard let list = try people(subject, isWhole: isWhole) else { return nil }
        let parts = list.ids.map { id -> TriggerCondition in
            isHome ? .presence(.home(id)) : .not(.presence(.home(id)))
        }
        guard parts.count > 1 else { return parts.first }
        return list.isAlternative ? .any(parts) : .all(parts)
    }
}

extension ArraySlice<String> {
    /// A Boolean value that indicates whether the words begin or end with "and" or "or".
    fileprivate var isCut: Bool {
        guard let first = first?.lowercased(), let last = last?.lowercased() else { return true }
        return ["and", "or"].contains(first) || ["and", "or"].contains(last)
    }

    /// Returns the index of the parenthesis that closes the one at the given index; `nil` if it's missing.
    fileprivate func closing(of start: Int) -> Int? {
        var depth = 0
        for index in start..<endIndex {
            if self[index] == "(" { depth += 1 }
            if self[index] == ")" { depth -= 1 }
            if depth == 0 { return index }
        }
        return nil
    }

    /// Splits the words at each occurrence of a word outside parentheses; returns `nil` if the word doesn't occur.
    ///
    /// - Throws: `HomeError` with code 3 if a parenthesis is missing.
    fileprivate func split(at word: String) throws(HomeError) -> [ArraySlice<String>]? {
        var pieces: [ArraySlice<String>] = []
        var depth = 0
        var start = startIndex
        for index in indices {
            switch self[index].lowercased() {
            case "(": depth += 1
            case ")": depth -= 1
            case word where depth == 0:
                pieces.append(self[start..<index])
                start = index + 1
            default: break
            }
            if depth < 0 { break }
        }
        guard depth == 0 else {
            throw HomeError(.invalidParameter, detail: "a parenthesis in the condition is missing")
        }
        guard !pieces.isEmpty else { return nil }
        return pieces + [self[start...]]
    }
}
