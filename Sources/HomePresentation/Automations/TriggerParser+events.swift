package import HomeModel

extension TriggerParser {
    /// Parses an event: `hall sensor motion=yes`, `bedroom window open for 10m`, `kitchen switch double press`,
    /// `Hall Lamp unreachable`, `Anna arrives`, or a time.
    ///
    /// - Parameters:
    ///   - typed: The text.
    ///   - duration: The time for which the state must last; `nil` unless the text contains one.
    /// - Returns: The event.
    /// - Throws: `HomeError` with code 2 or 3.
    package func event(typed: String, for duration: Duration? = nil) throws(HomeError) -> TriggerEvent {
        if duration == nil, let event = scheduledEvent(typed) { return event }
        var words = try Self.words(typed)
        if words.first?.lowercased() == "when", words.count > 1 { words.removeFirst() }
        var lasting = duration
        if let index = words.lastIndex(where: { $0.lowercased() == "for" }), index > 0,
            let typed = TypedDuration.parse(words[(index + 1)...].joined())
        {
            lasting = typed
            words.removeSubrange(index...)
        }
        if let presence = try presenceEvent(words) {
            guard lasting == nil else {
                throw HomeError(.invalidParameter, detail: "an arrival or departure can't last")
            }
            return presence
        }
        return try test(words).event(for: lasting)
    }

    /// Parses an event that ends a run: one that can also start a run, or a duration.
    ///
    /// - Throws: `HomeError` with code 2 or 3.
    package func endEvent(typed: String) throws(HomeError) -> TriggerEvent {
        if let duration = TypedDuration.parse(typed) { return .duration(duration) }
        return try event(typed: typed)
    }

    // MARK: Presence

    private static let arrivals: Set = ["arrives", "arrive", "arrived", "comes home", "come home", "gets home"]
    private static let departures: Set = ["leaves", "leave", "left", "leaves home", "leave home", "goes away"]

    /// Returns the event of people who come or leave; `nil` if the words mean something else.
    private func presenceEvent(_ words: [String]) throws(HomeError) -> TriggerEvent? {
        for count in [2, 1] where words.count > count {
            let verb = words.suffix(count).joined(separator: " ").lowercased()
            let isArrival = Self.arrivals.contains(verb)
            guard isArrival || Self.departures.contains(verb) else { continue }
            return try presenceEvent(of: Array(words.dropLast(count)), isArrival: isArrival)
        }
        return nil
    }

    private func presenceEvent(of subject: [String], isArrival: Bool) throws(HomeError) -> TriggerEvent {
        let text = subject.joined(separator: " ").lowercased()
        switch text {
        case "anyone", "anybody", "someone", "somebody", "a person":
            return .presence(isArrival ? .everyEntry : .everyExit, people: [])
        case "the first person", "first person", "the first": if isArrival { return .presence(.firstEntry, people: []) }
        case "the last person", "last person", "the last", "everyone", "everybody":
            if !isArrival { return .presence(.lastExit, people: []) }
        default: break
        }
        for (prefix, isFirst) in [
            ("the first of ", true), ("first of ", true), ("the last of ", false), ("last of ", false),
        ]
        where text.hasPrefix(prefix) && isFirst == isArrival {
            let people = try people(String(text.dropFirst(prefix.count)))
            return .presence(isArrival ? .firstEntry : .lastExit, people: people)
        }
        return .presence(isArrival ? .everyEntry : .everyExit, people: try people(text))
    }

    /// Parses names with commas, "and" or "or".
    private func people(_ typed: String) throws(HomeError) -> [Resident.ID] {
        // A complete name may contain these words.
        if let person = home.people.named(typed).first { return [person.id] }
        var ids: [Resident.ID] = []
        let names = typed.replacing(" and ", with: ",").replacing(" or ", with: ",").split(separator: ",")
        for name in names.map({ $0.split(separator: " ").joined(separator: " ") }) where !name.isEmpty {
            let id = try home.person(addressed: name).id
            if !ids.contains(id) { ids.append(id) }
        }
        guard !ids.isEmpty else { throw .unclear(typed, "use the name of a person, or anyone") }
        return ids
    }
}
