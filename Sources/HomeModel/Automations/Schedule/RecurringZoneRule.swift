/// A rule for the offsets of future years, such as `CET-1CEST,M3.5.0,M10.5.0/3` (POSIX, "TZ"; RFC 8536, 3.3.1).
struct RecurringZoneRule: Sendable, Hashable {
    /// The seconds to add to UTC outside daylight saving time.
    let standardOffset: Int
    private let daylight: Daylight?

    private struct Daylight: Sendable, Hashable {
        var offset: Int
        var start: YearlyTime
        var end: YearlyTime
    }

    /// A local time in each year.
    private struct YearlyTime: Sendable, Hashable {
        var day: YearlyDay
        /// The seconds since midnight, which may be negative or more than a day.
        var seconds: Int

        /// Returns the time in seconds since 1970, as if it were UTC.
        func local(in year: Int) -> Int { day.date(in: year).day1970 * 86_400 + seconds }
    }

    private enum YearlyDay: Sendable, Hashable {
        /// A day from 1 to 365; February 29 isn't counted.
        case dayWithoutLeapDay(Int)
        /// A day from 0 to 365.
        case day(Int)
        /// A weekday from 0 (Sunday) to 6 in a week of a month; week 5 means the last such weekday of the month.
        case weekday(Int, week: Int, month: Int)

        func date(in year: Int) -> CivilDate {
            switch self {
            case .dayWithoutLeapDay(let day):
                let first = CivilDate(year: year, month: 1, day: 1)
                let isAfterLeapDay = day > 59 && CivilDate.days(inMonth: 2, of: year) == 29
                return first.adding(days: isAfterLeapDay ? day : day - 1)
            case .day(let day): return CivilDate(year: year, month: 1, day: 1).adding(days: day)
            case .weekday(let weekday, let week, let month):
                let first = CivilDate(year: year, month: month, day: 1)
                // January 1, 1970 was a Thursday.
                let distance = (weekday - first.day1970 - 4).remainder(by: 7)
                let day = 1 + distance + (week - 1) * 7
                return first.adding(days: (day > CivilDate.days(inMonth: month, of: year) ? day - 7 : day) - 1)
            }
        }
    }

    /// Returns the transitions from the first to the last year, in order; empty if there is no daylight saving time.
    func transitions(from first: Int, to last: Int) -> [TimeZoneRules.Transition] {
        guard let daylight else { return [] }
        let transitions = (first...last).flatMap { year in
            [
                TimeZoneRules.Transition(
                    start: daylight.start.local(in: year) - standardOffset, offset: daylight.offset),
                TimeZoneRules.Transition(
                    start: daylight.end.local(in: year) - daylight.offset, offset: standardOffset),
            ]
        }
        return transitions.sorted { $0.start < $1.start }
    }
}

extension RecurringZoneRule {
    /// Parses a rule; returns `nil` if it isn't valid.
    init?(_ text: ArraySlice<UInt8>) {
        var parser = Parser(rest: text)
        guard text.count <= 128, parser.skipName(), let west = parser.time(maximumHours: 24) else { return nil }
        standardOffset = -west
        guard !parser.rest.isEmpty else {
            daylight = nil
            return
        }
        guard parser.skipName() else { return nil }
        var offset = standardOffset + 3600
        if parser.rest.first != UInt8(ascii: ",") {
            guard let west = parser.time(maximumHours: 24) else { return nil }
            offset = -west
        }
        guard let start = parser.yearlyTime(), let end = parser.yearlyTime(), parser.rest.isEmpty else { return nil }
        daylight = Daylight(offset: offset, start: start, end: end)
    }

    private struct Parser {
        var rest: ArraySlice<UInt8>

        mutating func skip(_ character: Character) -> Bool {
            guard let first = rest.first, first == character.asciiValue else { return false }
            rest = rest.dropFirst()
            return true
        }

        /// Skips letters, or anything in angle brackets.
        mutating func skipName() -> Bool {
            if skip("<") {
                rest = rest.drop { $0 != UInt8(ascii: ">") }
                return skip(">")
            }
            let count = rest.prefix(while: \.isLetter).count
            rest = rest.dropFirst(count)
            return count >= 3
        }

        mutating func number(_ range: ClosedRange<Int>) -> Int? {
            let digits = rest.prefix(while: \.isDigit)
            guard 1...3 ~= digits.count else { return nil }
            rest = rest.dropFirst(digits.count)
            let number = digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
            return range ~= number ? number : nil
        }

        /// Parses `[+-]hours[:minutes[:seconds]]` and returns the seconds.
        mutating func time(maximumHours: Int) -> Int? {
            let sign = skip("-") ? -1 : 1
            if sign > 0 { _ = skip("+") }
            guard let hours = number(0...maximumHours) else { return nil }
            var seconds = hours * 3600
            for unit in [60, 1] where skip(":") {
                guard let count = number(0...59) else { return nil }
                seconds += count * unit
            }
            return sign * seconds
        }

        /// Parses a comma and a day, optionally followed by a slash and a time.
        mutating func yearlyTime() -> YearlyTime? {
            guard skip(","), let day = yearlyDay() else { return nil }
            guard skip("/") else { return YearlyTime(day: day, seconds: 7200) }
            return time(maximumHours: 167).map { YearlyTime(day: day, seconds: $0) }
        }

        private mutating func yearlyDay() -> YearlyDay? {
            if skip("J") { return number(1...365).map { .dayWithoutLeapDay($0) } }
            guard skip("M") else { return number(0...365).map { .day($0) } }
            guard let month = number(1...12), skip("."), let week = number(1...5), skip("."),
                let weekday = number(0...6)
            else { return nil }
            return .weekday(weekday, week: week, month: month)
        }
    }
}
