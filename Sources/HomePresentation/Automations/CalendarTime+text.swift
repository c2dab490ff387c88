package import HomeModel
import Texts

extension CalendarTime {
    private static let months = [
        "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
        "december",
    ]

    /// Parses `7:00`, `18:00 on December 24`, `9:00 on day 1` or `6:30 in July`; returns `nil` if the text isn't a time of
    /// day.
    package init?(typed: String) {
        if let time = TimeOfDay(typed: typed) {
            self.init(time)
            return
        }
        var time: TimeOfDay?
        var month: Int?
        var day: Int?
        var words: [String] = []
        for word in typed.lowercased().split(whereSeparator: { $0 == " " || $0 == "," }).map(String.init) {
            if ["am", "pm"].contains(word), let last = words.popLast() {
                words.append(last + word)
            } else {
                words.append(word)
            }
        }
        for word in words where !["at", "on", "in", "of", "the", "day", "each", "every", "month"].contains(word) {
            if let found = TimeOfDay(typed: String(word)), time == nil {
                time = found
            } else if word.count > 2, month == nil, let found = Self.months.firstIndex(where: { $0.hasPrefix(word) }) {
                month = found + 1
            } else if day == nil, let found = Self.day(word) {
                day = found
            } else {
                return nil
            }
        }
        // "7:00 every month" has no day.
        guard let time, day != nil || !words.contains("month") else { return nil }
        self.init(time, month: month, day: day)
    }

    /// Parses a day of the month: `24`, `1st`.
    private static func day(_ word: String) -> Int? {
        let digits = word.prefix { $0.isASCII && $0.isNumber }
        guard let day = Int(digits), 1...31 ~= day,
            ["", "st", "nd", "rd", "th"].contains(String(word.dropFirst(digits.count)))
        else { return nil }
        return day
    }

    /// The time in its typed form, such as `07:00` or `18:00 on december 24`.
    package var typedText: String {
        let month = month.flatMap { 1...12 ~= $0 ? Self.months[$0 - 1] : nil }
        return switch (month, day) {
        case (nil, nil): "\(time)"
        case (let month?, nil): "\(time) in \(month)"
        case (let month?, let day?): "\(time) on \(month) \(day)"
        case (nil, let day?): "\(time) on day \(day)"
        }
    }

    /// The time in words: `at 07:00`, `at 18:00 on December 24`.
    package var phrase: String {
        let month = month.flatMap { CivilDate.name(ofMonth: $0) }
        return switch (month, day) {
        case (nil, nil): localized("at \(time)")
        case (let month?, nil): localized("at \(time) in \(month)")
        case (let month?, let day?): localized("at \(time) on \(month) \(day)")
        case (nil, let day?): localized("at \(time) on day \(day)")
        }
    }
}

extension CivilDate {
    private static let monthNames: [LocalizableText] = [
        "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
        "December",
    ]

    /// Returns the name of a month from 1 to 12 in the language of the request; `nil` for other numbers.
    static func name(ofMonth month: Int) -> String? { 1...12 ~= month ? monthNames[month - 1].localized : nil }
}
