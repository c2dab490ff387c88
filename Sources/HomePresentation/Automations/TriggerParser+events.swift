package import HomeModel
import Texts

extension TriggerParser {
    /// Parses an event: `hall sensor motion=yes`, `bedroom window open for 10m`, `kitchen switch double press`,
    /// `Hall Lamp unreachable`, `Anna arrives`, or a time.
    ///
    /// - Parameters:
    ///   - typed: The text of the event.
    ///   - duration: The time for which the state must last; `nil` unless the text contains one.
    /// - Returns: The event.
    /// - Throws: `HomeError` with code 2 or 3.
    package func event(typed: String, for duration: Duration? = nil) throws(HomeError) -> TriggerEvent {
        if duration == nil, let event = scheduledEvent(typed) { return event }
        var words = try Self.words(typed)
        if words.first?.lowercased() == "when", words.count > 1 { words.removeFirst() }
        if duration == nil, words.count > 1, words[0].lowercased() == "every",
            let event = try? intervalEvent(typed: words.dropFirst().joined(separator: " "))
        {
            return event
        }
        var lasting = duration
        if let (count, typed) = Self.lasting(words) {
            lasting = typed
            words.removeSubrange(count...)
        }
        if let presence = try presenceEvent(words) {
            guard lasting == nil else {
                throw HomeError(.invalidParameter, detail: "an arrival or departure can't have a duration")
            }
            return presence
        }
        do throws(HomeError) {
            return try test(words).event(for: lasting)
        } catch {
            guard error.code == .notFound, case .some = try? presence(words) else { throw error }
            throw HomeError(
                .invalidParameter,
                detail: localized(
                    "\"\(words.joined(separator: " ").shown)\" is a condition; use an event, such as \"anyone arrives\" or \"last person leaves\""
                ))
        }
    }

    /// Returns the number of words before "for" and the duration after it; `nil` if there is no duration.
    static func lasting(_ words: [String]) -> (count: Int, Duration)? {
        guard let index = words.lastIndex(where: { $0.lowercased() == "for" }), index > 0,
            let duration = TypedDuration.parse(words[(index + 1)...].joined())
        else { return nil }
        return (index, duration)
    }

    /// Parses an event that ends a run: a duration, or any event that can also start a run.
    ///
    /// - Throws: `HomeError` with code 2 or 3.
    package func endEvent(typed: String) throws(HomeError) -> TriggerEvent {
        if let duration = TypedDuration.parse(typed) { return .duration(duration) }
        return try event(typed: typed)
    }

    // MARK: Presence

    private static let arrivals: Set = ["arrives", "arrive", "arrived", "comes home", "come home", "gets home"]
    private static let departures: Set = ["leaves", "leave", "left", "leaves home", "leave home", "goes away"]

    /// Returns the event for people arriving or leaving; `nil` if the words mean something else.
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
        case "the first person", "first person", "the first":
            if isArrival { return .presence(.firstEntry, people: []) }
        case "the last person", "last person", "the last", "everyone", "everybody":
            if !isArrival { return .presence(.lastExit, people: []) }
        default: break
        }
        for (prefix, isFirst) in [
            ("the first of ", true), ("first of ", true), ("the last of ", false), ("last of ", false),
        ]
        where text.hasPrefix(prefix) && isFirst == isArrival {
            let names = Array(subject.dropFirst(prefix.split(separator: " ").count))
            return .presence(isArrival ? .firstEntry : .lastExit, people: try people(names)?.ids ?? [])
        }
        do throws(HomeError) {
            return .presence(isArrival ? .everyEntry : .everyExit, people: try people(subject)?.ids ?? [])
        } catch {
            guard text.hasPrefix("the ") || ["first", "last", "every"].contains(where: text.hasPrefix) else {
                throw error
            }
            throw .unclear(
                (subject + [isArrival ? "arrives" : "leaves"]).joined(separator: " "),
                localized(
                    "use anyone arrives, first person arrives, anyone leaves, last person leaves, or the name of a person"
                ))
        }
    }
}
