import HomeModel

/// A time at which an interval of a day begins or ends: a time of day or a sun event.
enum IntervalEnd {
    case clock(TimeOfDay)
    case sun(SunTime)

    /// Parses `22:00`, `24:00` or `sunset-30m`; returns `nil` for other text.
    init?(typed: String) {
        if let sun = SunTime(typed: typed) {
            self = .sun(sun)
        } else if let time = TimeOfDay(typed: typed) {
            self = .clock(time)
        } else if typed == "24:00" {
            self = .clock(.midnight)
        } else {
            return nil
        }
    }

    /// Noon, which separates sunrise from sunset.
    private static let noon = TimeOfDay(hour: 12, minute: 0) ?? .midnight

    /// Returns the condition that the current time is between this time and the given end.
    ///
    /// A sun condition holds for a whole night or day. Therefore, the day is divided at noon and midnight, when no sun
    /// event occurs, and each sun condition applies only to its half of the day.
    ///
    /// - Returns: The condition, or `nil` if it's unknown which sun event is first.
    func condition(until end: IntervalEnd) -> TriggerCondition? {
        if case .clock(let start) = self, case .clock(let end) = end { return .time(from: start, to: end) }
        if case .sun(let start) = self, case .sun(let end) = end, start.offset == .zero, end.offset == .zero,
            start.event.opposite == end.event
        {
            return .sun(.after, start)
        }
        guard isInMorning == end.isEndInMorning else {
            return .any([start(isInMorning), end.end(isInMorning: end.isEndInMorning)])
        }
        let (first, last) = Self.half(isInMorning)
        switch (self, end) {
        case (.clock, .clock): return nil
        case (.sun(let start), .clock(let end)):
            // "Between sunrise and 1:00" ends after midnight.
            if isInMorning, end.minutes <= 3 * 60 { return .any([self.start(true), .time(from: last, to: end)]) }
            return .all([.sun(.after, start), .time(from: first, to: end)])
        case (.clock(let start), .sun(let sun)):
            // "Between 23:00 and sunset" ends on the next day.
            if !isInMorning, start.hour == 23 {
                return .any([.time(from: start, to: first), end.end(isInMorning: false)])
            }
            return .all([.sun(.before, sun), .time(from: start, to: last)])
        case (.sun(let start), .sun(let end)):
            guard start.offset < end.offset || start.offset == end.offset && start.event != end.event,
                start.event == end.event || start.event.isBefore(end.event)
            else { return nil }
            return .all([.sun(.after, start), .sun(.before, end), .time(from: first, to: last)])
        }
    }

    private static func half(_ isInMorning: Bool) -> (TimeOfDay, TimeOfDay) {
        isInMorning ? (.midnight, noon) : (noon, .midnight)
    }

    private var isInMorning: Bool {
        switch self {
        case .clock(let time): time < Self.noon
        case .sun(let time): time.event.isRising
        }
    }

    /// A Boolean value that indicates whether this time, as the end of an interval, is in the first half of the day.
    ///
    /// Noon ends the first half, and midnight ends the second.
    private var isEndInMorning: Bool {
        switch self {
        case .clock(let time): time != .midnight && time <= Self.noon
        case .sun(let time): time.event.isRising
        }
    }

    /// Returns the condition that the current time is after this time in the same half of the day.
    private func start(_ isInMorning: Bool) -> TriggerCondition {
        let (first, last) = Self.half(isInMorning)
        return switch self {
        case .clock(let time): .time(from: time, to: last)
        case .sun(let time): .all([.sun(.after, time), .time(from: first, to: last)])
        }
    }

    /// Returns the condition that the current time is before this time in the same half of the day.
    private func end(isInMorning: Bool) -> TriggerCondition {
        let (first, last) = Self.half(isInMorning)
        return switch self {
        case .clock(let time): .time(from: first, to: time)
        case .sun(let time): .all([.sun(.before, time), .time(from: first, to: last)])
        }
    }
}

extension SunEvent {
    /// The event in the other half of the day at which the sun has the same elevation.
    fileprivate var opposite: SunEvent {
        switch self {
        case .sunrise: .sunset
        case .sunset: .sunrise
        case .civilDawn: .civilDusk
        case .civilDusk: .civilDawn
        }
    }

    /// Returns whether this event is before another event in the same half of the day.
    fileprivate func isBefore(_ other: SunEvent) -> Bool {
        (self, other) == (.civilDawn, .sunrise) || (self, other) == (.sunset, .civilDusk)
    }
}
