/// The times of scheduled events: calendar times, sun events and timers.
///
/// Times are always computed from local dates and the rules of the time zone, and never by adding 24 hours.
package struct TriggerSchedule: Sendable, Hashable {
    /// The home's time zone.
    package let zone: TimeZoneRules
    /// The home's location; without it, sun events don't happen.
    package let location: HomeLocation?

    /// One of the times at which an event fires.
    package struct Occurrence: Sendable, Hashable {
        /// The time.
        package let time: Timestamp
        /// The number of the local date, or of the interval since a timer's first time.
        ///
        /// It identifies the occurrence even after the clock or the time zone has changed.
        package let number: Int
    }

    package init(zone: TimeZoneRules, location: HomeLocation?) {
        self.zone = zone
        self.location = location
    }

    /// Returns the first occurrence of an event after a time; `nil` if it doesn't happen again.
    ///
    /// The search covers nine years for calendar times, and one year for sun events.
    package func next(
        of event: TriggerEvent, after time: Timestamp, on weekdays: Weekdays = .everyDay
    ) -> Occurrence? {
        if case .timer(let first, let interval) = event {
            let timer = IntervalTimer(first: first, interval: interval)
            // The times of two weeks fall on all weekdays, unless the timer always fires on the same days.
            return timer?.occurrences(after: time).first { weekdays.contains(weekday(at: $0.time)) }
        }
        let today = localDate(at: time)
        // Every leap day occurs within eight years. The polar night ends within one year.
        let years = if case .calendar = event { 9 } else { 1 }
        // The sun event of a date can be on one of the next two days because of its offset.
        return (-2..<years * 366).lazy.compactMap { occurrence(of: event, on: today.adding(days: $0), weekdays) }
            .first { $0.time > time }
    }

    /// Returns the last occurrence of an event up to a time; `nil` if it didn't happen in the last five weeks.
    package func last(
        of event: TriggerEvent, through time: Timestamp, on weekdays: Weekdays = .everyDay
    ) -> Occurrence? {
        if case .timer(let first, let interval) = event {
            let timer = IntervalTimer(first: first, interval: interval)
            return timer?.occurrences(through: time).first { weekdays.contains(weekday(at: $0.time)) }
        }
        let today = localDate(at: time)
        return (-35...1).reversed().lazy.compactMap { occurrence(of: event, on: today.adding(days: $0), weekdays) }
            .first { $0.time <= time }
    }

    /// Returns the time of a sun event on a date at the home's location; `nil` if it doesn't happen on that date.
    package func time(of event: SunEvent, on date: CivilDate) -> Timestamp? {
        guard let location else { return nil }
        let sun = SunPosition(location: location)
        let noon = sun.noon(nearestTo: Double(zone.time(of: date, seconds: 43_200)))
        return sun.time(of: event, noon: noon).map { Timestamp(seconds: Int($0)) }
    }

    /// Returns the local date at a time.
    package func localDate(at time: Timestamp) -> CivilDate { zone.local(time.seconds).date }

    /// Returns the local time of day.
    func timeOfDay(at time: Timestamp) -> Int { zone.local(time.seconds).seconds }

    /// Returns the day of the week at a time.
    func weekday(at time: Timestamp) -> Weekdays { localDate(at: time).weekday }

    /// Returns a Boolean value that indicates whether a time is before or after a sun event.
    ///
    /// The night begins at sunset and ends at sunrise; an offset moves the sun event that the condition names. The
    /// condition is false if the home has no location.
    package func isTime(_ time: Timestamp, _ relation: SunRelation, _ sunTime: SunTime) -> Bool {
        guard let location else { return false }
        let sun = SunPosition(location: location)
        let seconds = Double(time.millisecondsSince1970) / 1000
        let offset = Double(sunTime.offset.milliseconds) / 1000
        // In the evening, the sun is below the horizon after the event; in the morning, before it.
        let wantsBelow = sunTime.event.isRising == (relation == .before)
        let isNow = sun.isBelow(sunTime.event, at: seconds) == wantsBelow
        guard offset != 0 else { return isNow }
        let isShifted = sun.isBelow(sunTime.event, at: seconds - offset) == wantsBelow
        let isLonger = (offset < 0) == (relation == .after)
        return isLonger ? isNow || isShifted : isNow && isShifted
    }

    private func occurrence(of event: TriggerEvent, on date: CivilDate, _ weekdays: Weekdays) -> Occurrence? {
        guard weekdays.contains(date.weekday) else { return nil }
        switch event {
        case .calendar(let time):
            guard time.matches(date), zone.has(date) else { return nil }
            let seconds = zone.time(of: date, seconds: time.time.minutes * 60)
            return Occurrence(time: Timestamp(seconds: seconds), number: date.day1970)
        case .significant(let sunTime):
            guard let time = time(of: sunTime.event, on: date) else { return nil }
            return Occurrence(time: time.adding(sunTime.offset), number: date.day1970)
        case .timer, .characteristic, .range, .held, .button, .unreachable, .presence, .duration: return nil
        }
    }
}

/// The times of a timer event: a first time, and optionally one at each multiple of an interval.
private struct IntervalTimer {
    /// The first time, in milliseconds since 1970.
    let first: Int
    /// The interval in milliseconds; `nil` if there is only the first time.
    let interval: Int?

    /// Creates a timer; returns `nil` for times far beyond the limits of ``TriggerValidation``.
    init?(first: Timestamp, interval: Duration?) {
        let range: ClosedRange<Int64> = 0...1 << 48
        guard range ~= first.millisecondsSince1970, interval.map({ 1000...(1 << 48) ~= $0.milliseconds }) ?? true else {
            return nil
        }
        self.first = Int(first.millisecondsSince1970)
        self.interval = interval.map { Int($0.milliseconds) }
    }

    /// The number of occurrences to search, which is enough to find one on any day of the week.
    private static let searched = 2 * 7 * 288

    /// Returns the next occurrences after a time.
    func occurrences(after time: Timestamp) -> some Sequence<TriggerSchedule.Occurrence> {
        let start = (number(at: time) ?? -1) + 1
        return (start..<start + Self.searched).lazy.compactMap(occurrence)
    }

    /// Returns the last occurrences up to a time, latest first.
    func occurrences(through time: Timestamp) -> some Sequence<TriggerSchedule.Occurrence> {
        let last = number(at: time) ?? -1
        return (max(0, last - Self.searched)..<max(0, last) + (last < 0 ? 0 : 1)).reversed().lazy.compactMap(occurrence)
    }

    /// Returns the number of the last occurrence up to a time; `nil` before the first.
    private func number(at time: Timestamp) -> Int? {
        let time = Int(time.millisecondsSince1970)
        guard time >= first else { return nil }
        return interval.map { (time - first) / $0 } ?? 0
    }

    private func occurrence(_ number: Int) -> TriggerSchedule.Occurrence? {
        guard interval != nil || number == 0 else { return nil }
        let time = first + number * (interval ?? 0)
        return TriggerSchedule.Occurrence(time: Timestamp(millisecondsSince1970: Int64(time)), number: number)
    }
}

extension Timestamp {
    /// Creates a timestamp from seconds since January 1, 1970 (UTC).
    init(seconds: Int) { self.init(millisecondsSince1970: Int64(seconds) * 1000) }

    /// The whole seconds since January 1, 1970 (UTC).
    var seconds: Int { Int(millisecondsSince1970).floorDivided(by: 1000) }
}
