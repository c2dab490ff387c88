package import HomeModel
import SystemKit
import Texts

/// Local times of a home, as people type and read them.
package struct HomeTime: Sendable {
    /// The home's time zone.
    package let zone: TimeZoneRules
    /// The current time.
    package let now: Timestamp

    /// Creates the local times of a home.
    package init(zone: TimeZoneRules, now: Timestamp) {
        self.zone = zone
        self.now = now
    }

    /// Returns a time with its date: `2026-12-24 18:00`.
    package func text(of time: Timestamp) -> String {
        let (date, clock) = local(time)
        return "\(date) \(clock)"
    }

    /// Returns a time with its date in the language of the request: `2026-12-24 18:00`.
    package func shownText(of time: Timestamp) -> String {
        let (date, clock) = local(time)
        return "\(words(of: date)) \(clock)"
    }

    /// Returns a date in the language of the request: `2026-12-24`.
    private func words(of date: CivilDate) -> String {
        let parts = "\(date)".split(separator: "-").map(String.init)
        guard parts.count == 3 else { return "\(date)" }
        return localized("\(parts[0])-\(parts[1])-\(parts[2])", context: "date")
    }

    /// Returns a time without its date: `18:00`.
    package func clock(_ time: Timestamp) -> String { "\(local(time).clock)" }

    /// Returns a time with words for a date near today: `today 18:00`, `tomorrow 07:00`, `Monday 07:00`.
    package func words(for time: Timestamp) -> String {
        let (date, clock) = local(time)
        switch date.day1970 - local(now).date.day1970 {
        case -1: return localized("yesterday \(clock)")
        case 0: return localized("today \(clock)")
        case 1: return localized("tomorrow \(clock)")
        case 2...6: return "\(date.weekday.nouns) \(clock)"
        default: return "\(words(of: date)) \(clock)"
        }
    }

    /// Returns the date and the time of day, rounded down to a minute.
    func local(_ time: Timestamp) -> (date: CivilDate, clock: TimeOfDay) {
        let limit: Int64 = 1 << 40
        let seconds = min(max(time.millisecondsSince1970 / 1000, -limit), limit)
        let (date, second) = zone.local(Int(seconds))
        let clock = TimeOfDay(hour: second / 3600, minute: second / 60 % 60) ?? .midnight
        return (date, clock)
    }

    /// Returns the timestamp of a local date and time of day.
    func time(of date: CivilDate, _ clock: TimeOfDay) -> Timestamp {
        Timestamp(millisecondsSince1970: Int64(zone.time(of: date, seconds: clock.minutes * 60)) * 1000)
    }

    /// Parses `2026-12-24 18:00`; returns `nil` if the text isn't a date with a time.
    func time(typed: String) -> Timestamp? {
        let words = typed.split { $0 == " " || $0 == "t" || $0 == "T" }.map(String.init)
        guard words.count > 1, let date = Self.date(typed: words[0]),
            let clock = TimeOfDay(typed: words.dropFirst().joined(separator: " "))
        else { return nil }
        return time(of: date, clock)
    }

    /// Parses `2026-12-24`.
    private static func date(typed: String) -> CivilDate? {
        let parts = typed.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0].count == 4, parts.allSatisfy({ $0.allSatisfy { $0.isASCII && $0.isNumber } }),
            let year = Int(parts[0]), let month = Int(parts[1]), let day = Int(parts[2]), 1...12 ~= month, 1...31 ~= day
        else { return nil }
        let date = CivilDate(year: year, month: month, day: day)
        return date.month == month ? date : nil
    }
}

extension TimeOfDay {
    /// Parses `7:00`, `07:00`, `7am`, `7:30 pm`, `noon` or `midnight`.
    package init?(typed: String) {
        var text = typed.lowercased().filter { $0 != " " }
        switch text {
        case "noon": self.init(hour: 12, minute: 0)
        case "midnight": self.init(hour: 0, minute: 0)
        default:
            var half: String?
            for suffix in ["am", "pm"] where text.hasSuffix(suffix) {
                half = suffix
                text.removeLast(2)
            }
            let parts = text.split(separator: ":", omittingEmptySubsequences: false)
            guard parts.count == 2 || parts.count == 1 && half != nil,
                parts.allSatisfy({ 1...2 ~= $0.count && $0.allSatisfy { $0.isASCII && $0.isNumber } }),
                parts.count == 1 || parts[1].count == 2, var hour = Int(parts[0])
            else { return nil }
            let minute = parts.count == 2 ? Int(parts[1]) : 0
            if let half {
                guard 1...12 ~= hour else { return nil }
                hour = hour % 12 + (half == "pm" ? 12 : 0)
            }
            guard let minute else { return nil }
            self.init(hour: hour, minute: minute)
        }
    }
}

extension HomeTime {
    /// Returns the local time of a home according to this computer's time zone files.
    ///
    /// The time zone is UTC if its file can't be read.
    package static func current(of home: Home, now: Timestamp = .now) -> HomeTime {
        let zone = ZoneFile.bytes(of: home.location?.timeZone) ?? ZoneFile.bytes(of: nil)
        return HomeTime(zone: zone.flatMap { TimeZoneRules(file: $0) } ?? .utc, now: now)
    }
}
