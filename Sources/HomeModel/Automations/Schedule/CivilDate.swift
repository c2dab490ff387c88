/// A date of the Gregorian calendar.
package struct CivilDate: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The days since January 1, 1970.
    package let day1970: Int
    /// The year.
    package let year: Int
    /// The month, from 1 to 12.
    package let month: Int
    /// The day of the month.
    package let day: Int

    /// Creates the date that is the given number of days after January 1, 1970.
    ///
    /// The algorithm counts from March 1, so that the leap day is the last day of a year.
    package init(day1970: Int) {
        let days = day1970 + 719_468
        let era = days.floorDivided(by: 146_097)
        let dayOfEra = days - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        self.day1970 = day1970
        day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    /// Creates a date from a year, a month from 1 to 12, and a day.
    ///
    /// A day outside the month gives a date in a neighboring month.
    package init(year: Int, month: Int, day: Int) {
        let yearFromMarch = month <= 2 ? year - 1 : year
        let era = yearFromMarch.floorDivided(by: 400)
        let yearOfEra = yearFromMarch - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        self.init(day1970: era * 146_097 + dayOfEra - 719_468)
    }

    /// The day of the week.
    package var weekday: Weekdays { Weekdays(rawValue: 1 << UInt8((day1970 + 3).remainder(by: 7))) }

    /// Returns the date that is the given number of days later.
    package func adding(days: Int) -> CivilDate { CivilDate(day1970: day1970 + days) }

    /// Returns the number of days of a month from 1 to 12.
    static func days(inMonth month: Int, of year: Int) -> Int {
        let next =
            month == 12 ? CivilDate(year: year + 1, month: 1, day: 1) : CivilDate(year: year, month: month + 1, day: 1)
        return next.day1970 - CivilDate(year: year, month: month, day: 1).day1970
    }

    /// The date as in ISO 8601: `2027-03-28`.
    package var description: String {
        "\(year)-" + [month, day].map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: "-")
    }

    /// Orders dates chronologically.
    package static func < (a: CivilDate, b: CivilDate) -> Bool { a.day1970 < b.day1970 }
}

extension Int {
    /// Divides and rounds toward negative infinity.
    func floorDivided(by divisor: Int) -> Int { (self - remainder(by: divisor)) / divisor }

    /// Returns the remainder from 0 to the divisor.
    func remainder(by divisor: Int) -> Int { (self % divisor + divisor) % divisor }
}
