package import HomeModel

extension TriggerParser {
    /// The maximum number of words in a condition.
    private static let longestCondition = 200
    /// The maximum number of "and" or "or" in one statement, such as the name of an accessory.
    private static let joinedPieces = 3

    /// Parses a condition: `anyone home and (after sunset or hall sensor brightness<20)`.
    ///
    /// - Throws: `HomeError` with code 2 or 3.
    package func condition(typed: String) throws(HomeError) -> TriggerCondition {
        let words = try Self.words(typed)
        guard words.count <= Self.longestCondition else {
            throw HomeError(.invalidParameter, detail: "the condition has more than \(Self.longestCondition) words")
        }
        return try condition(words[...], depth: 0)
    }

    private func condition(_ words: ArraySlice<String>, depth: Int) throws(HomeError) -> TriggerCondition {
        guard let first = words.first else {
            throw HomeError(.invalidParameter, detail: "a condition is missing next to and, or, not or a parenthesis")
        }
        guard depth <= 2 * TriggerLimits.conditionDepth else {
            throw HomeError(
                .invalidParameter, detail: "conditions can be nested up to \(TriggerLimits.conditionDepth) levels")
        }
        if first == "(", words.closing(of: words.startIndex) == words.endIndex - 1 {
            return try condition(words.dropFirst().dropLast(), depth: depth + 1)
        }
        let failure: HomeError
        do throws(HomeError) { return try statement(words) } catch { failure = error }
        for (word, combine) in [("or", TriggerCondition.any), ("and", TriggerCondition.all)] {
            guard let pieces = try words.split(at: word) else { continue }
            return combine(try conditions(pieces, separator: word, depth: depth + 1))
        }
        if first.lowercased() == "not" { return .not(try condition(words.dropFirst(), depth: depth + 1)) }
        throw failure
    }

    /// Parses the parts of a combination.
    ///
    /// Names and "between A and B" can contain the separator, so pieces are joined until they have a meaning.
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
                    found = try end == start ? condition(pieces[start], depth: depth) : statement(Array(joined)[...])
                    start = end + 1
                } catch {
                    failure = failure ?? error
                }
            }
            guard let found else { throw failure ?? HomeError(.invalidParameter) }
            conditions.append(found)
        }
        return conditions
    }

    /// Parses a condition without "and", "or" and "not".
    private func statement(_ words: ArraySlice<String>) throws(HomeError) -> TriggerCondition {
        let typed = words.joined(separator: " ")
        guard !words.contains("("), !words.contains(")") else {
            throw .unclear(typed, "a parenthesis is missing, or a word next to one")
        }
        var plain = words.map { $0.lowercased() }[...]
        if plain.first == "if" { plain = plain.dropFirst() }
        if plain.starts(with: ["it", "is"]) { plain = plain.dropFirst(2) }
        if plain.first == "it's" { plain = plain.dropFirst() }
        let rest = plain.dropFirst().joined(separator: " ")
        switch plain.first {
        case "between" where plain.count > 1: return try between(rest)
        case "after" where plain.count > 1, "before" where plain.count > 1:
            if let condition = relation(plain.first == "after" ? .after : .before, rest) { return condition }
            throw .unclear(typed, "use a time such as after sunset, before 7:00 or after sunset-30m")
        case "on" where plain.count > 1:
            if let days = Weekdays(typed: rest) { return .weekday(days) }
        default:
            if let days = Weekdays(typed: plain.joined(separator: " ")) { return .weekday(days) }
        }
        if let presence = presence(Array(plain)) { return .presence(presence) }
        do throws(HomeError) {
            return try test(Array(words.suffix(plain.count))).condition
        } catch {
            // "Ana home" is a typo of a person's name.
            guard error.code == .notFound, let last = plain.last, ["home", "away"].contains(last), plain.count > 1,
                !home.people.isEmpty
            else { throw error }
            return .presence(.home(try home.person(addressed: plain.dropLast().joined(separator: " ")).id))
        }
    }

    // MARK: Times

    private func relation(_ relation: SunRelation, _ typed: String) -> TriggerCondition? {
        if let sun = SunTime(typed: typed) { return .sun(relation, sun) }
        guard let time = TimeOfDay(typed: typed), time != .midnight else { return nil }
        return relation == .after ? .time(from: time, to: .midnight) : .time(from: .midnight, to: time)
    }

    /// The middle of the day, which separates the evening from the morning.
    private static let noon = TimeOfDay(hour: 12, minute: 0) ?? .midnight

    /// Parses two times, of which one can be a sun event.
    private func between(_ typed: String) throws(HomeError) -> TriggerCondition {
        let remedy = "use two times, such as between 22:00 and 6:00"
        guard let and = typed.firstRange(of: " and ") else { throw .unclear("between " + typed, remedy) }
        let ends = [String(typed[..<and.lowerBound]), String(typed[and.upperBound...])]
        let times = ends.map { TimeOfDay(typed: $0) }
        let suns = ends.map { SunTime(typed: $0) }
        switch (times[0], times[1], suns[0], suns[1]) {
        case (let start?, let end?, _, _): return .time(from: start, to: end)
        // "After sunset" lasts until sunrise, so the other time limits it to one side of the night or the day.
        case (nil, let end?, let sun?, _):
            let start = sun.event.isMorning ? TimeOfDay.midnight : Self.noon
            return start == end ? .sun(.after, sun) : .all([.sun(.after, sun), .time(from: start, to: end)])
        case (let start?, nil, _, let sun?):
            let end = sun.event.isMorning ? Self.noon : TimeOfDay.midnight
            return start == end ? .sun(.before, sun) : .all([.sun(.before, sun), .time(from: start, to: end)])
        case (nil, nil, let start?, let end?)
        where start.offset == .zero && end.offset == .zero && start.event.opposite == end.event:
            return .sun(.after, start)
        case (nil, nil, _?, _?):
            throw .unclear(
                "between " + typed, "use after \(ends[0]), which ends when the sun reaches the same height again")
        default: throw .unclear("between " + typed, remedy)
        }
    }

    // MARK: Presence

    private func presence(_ words: [String]) -> PresenceState? {
        var words = words
        guard words.count > 1 else { return nil }
        let place = words.removeLast()
        while words.count > 1, let last = words.last, ["is", "at"].contains(last) { words.removeLast() }
        guard place == "home" || place == "away" else { return nil }
        let name = words.joined(separator: " ")
        switch (name, place) {
        case ("anyone", "home"), ("anybody", "home"), ("someone", "home"), ("somebody", "home"): return .anyoneHome
        case ("no one", "home"), ("noone", "home"), ("nobody", "home"), ("everyone", "away"), ("everybody", "away"):
            return .noOneHome
        default: return place == "home" ? home.people.named(name).first.map { .home($0.id) } : nil
        }
    }
}

extension SunEvent {
    /// A Boolean value that indicates whether the event is in the morning.
    fileprivate var isMorning: Bool { self == .sunrise || self == .civilDawn }

    /// The event of the other half of the day at which the sun has the same height.
    fileprivate var opposite: SunEvent {
        switch self {
        case .sunrise: .sunset
        case .sunset: .sunrise
        case .civilDawn: .civilDusk
        case .civilDusk: .civilDawn
        }
    }
}

extension ArraySlice<String> {
    /// Returns the index of the parenthesis that closes the one at an index; `nil` if it's missing.
    fileprivate func closing(of start: Int) -> Int? {
        var depth = 0
        for index in start..<endIndex {
            if self[index] == "(" { depth += 1 }
            if self[index] == ")" { depth -= 1 }
            if depth == 0 { return index }
        }
        return nil
    }

    /// Returns the pieces between a word outside parentheses; `nil` if it doesn't occur.
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
