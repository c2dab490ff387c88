/// A local time, on all days or only in a given month or on a given day.
public struct CalendarTime: Codable, Sendable, Hashable {
    /// The time of day.
    public var time: TimeOfDay
    /// The month, from 1 to 12; `nil` for all months.
    public var month: Int?
    /// The day of the month; `nil` for all days.
    ///
    /// Months without this day are skipped.
    public var day: Int?

    /// Creates a time.
    public init(_ time: TimeOfDay, month: Int? = nil, day: Int? = nil) {
        self.time = time
        self.month = month
        self.day = day
    }

    /// A Boolean value that indicates whether a year exists that has such a date.
    var isValid: Bool {
        guard month.map({ 1...12 ~= $0 }) ?? true else { return false }
        guard let day else { return true }
        // 2000 is a leap year.
        return 1...(month.map { CivilDate.days(inMonth: $0, of: 2000) } ?? 31) ~= day
    }

    /// Returns a Boolean value that indicates whether the time exists on a date.
    func matches(_ date: CivilDate) -> Bool { month ?? date.month == date.month && day ?? date.day == date.day }
}
