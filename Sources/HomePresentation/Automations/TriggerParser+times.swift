package import HomeModel
import Texts

extension TriggerParser {
    /// Parses the time of an event: `7:00`, `sunset-30m`, `18:00 on December 24` or `2026-12-24 18:00`.
    ///
    /// - Throws: `HomeError` with code 3.
    package func timeEvent(typed: String) throws(HomeError) -> TriggerEvent {
        guard let event = scheduledEvent(typed) else {
            let hasDays = typed.split(separator: " ").contains { Weekdays(typed: String($0)) != nil }
            guard !hasDays else {
                throw .unclear(typed, localized("a time can't contain days of the week; set the days separately"))
            }
            throw .unclear(typed, localized("use a time such as 7:00, sunset, sunset-30m or \"2026-12-24 18:00\""))
        }
        return event
    }

    /// Returns the event at a typed time, or `nil` if the text isn't a time.
    func scheduledEvent(_ typed: String) -> TriggerEvent? {
        guard typed.utf8.count <= Self.longestText else { return nil }
        var text = typed.lowercased()
        if text.hasPrefix("at ") { text.removeFirst(3) }
        if let sun = SunTime(typed: text) { return .significant(sun) }
        if let calendar = CalendarTime(typed: text) { return .calendar(calendar) }
        return time.time(typed: text).map { .timer(first: $0, every: nil) }
    }

    /// Parses the interval of an event: `2h`, or `2h from 7:00`.
    ///
    /// Without a first time, the intervals count from the last midnight.
    ///
    /// - Throws: `HomeError` with code 3.
    package func intervalEvent(typed: String) throws(HomeError) -> TriggerEvent {
        let remedy = localized("use an interval such as 2h, or \"2h from 7:00\"")
        guard typed.utf8.count <= Self.longestText else { throw .unclear(typed, remedy) }
        let text = typed.lowercased()
        let from = text.firstRange(of: " from ")
        guard let interval = TypedDuration.parse(String(text[..<(from?.lowerBound ?? text.endIndex)])) else {
            throw .unclear(typed, remedy)
        }
        let today = time.local(time.now).date
        guard let from else { return .timer(first: time.time(of: today, .midnight), every: interval) }
        let start = String(text[from.upperBound...])
        guard let first = TimeOfDay(typed: start).map({ time.time(of: today, $0) }) ?? time.time(typed: start) else {
            throw .unclear(start, remedy)
        }
        return .timer(first: first, every: interval)
    }

    /// Parses a duration.
    ///
    /// - Throws: `HomeError` with code 3.
    package func duration(typed: String) throws(HomeError) -> Duration {
        guard let duration = TypedDuration.parse(typed) else {
            throw .unclear(typed, localized("use a duration such as 30s, 10m or 1h30m"))
        }
        return duration
    }

    /// Parses days of the week.
    ///
    /// - Throws: `HomeError` with code 3.
    package func weekdays(typed: String) throws(HomeError) -> Weekdays {
        guard typed.utf8.count <= Self.longestText, let days = Weekdays(typed: typed) else {
            throw .unclear(typed, localized("use days such as mon-fri, sat,sun, weekdays or weekend"))
        }
        return days
    }

    /// Parses the policy for missed runs: `skip`, or the longest delay.
    ///
    /// - Throws: `HomeError` with code 3.
    package func missedRunPolicy(typed: String) throws(HomeError) -> MissedRunPolicy {
        if typed.lowercased() == "skip" { return .skip }
        guard let duration = TypedDuration.parse(typed) else {
            throw .unclear(typed, localized("use skip, or the longest delay of a missed run, such as 10m"))
        }
        return .runWithin(duration)
    }
}
