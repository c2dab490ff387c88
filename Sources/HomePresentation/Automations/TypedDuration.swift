import Texts

/// Durations as people type and read them.
package enum TypedDuration {
    /// The longest duration that the parser accepts, in seconds: a year.
    private static let longest = 366.0 * 86_400

    private static let units: [(seconds: Int64, letter: String, words: Set<String>)] = [
        (86_400, "d", ["d", "day", "days"]),
        (3600, "h", ["h", "hr", "hrs", "hour", "hours"]),
        (60, "m", ["m", "min", "mins", "minute", "minutes"]),
        (1, "s", ["s", "sec", "secs", "second", "seconds"]),
    ]

    /// Parses `90s`, `10m`, `1h30m`, `1.5 hours` or `2 weeks`; returns `nil` if the text isn't a duration or
    /// is longer than a year.
    package static func parse(_ typed: String) -> Duration? {
        var rest = typed.lowercased().filter { $0 != " " }[...]
        guard !rest.isEmpty, rest.utf8.count <= 64 else { return nil }
        var seconds = 0.0
        while !rest.isEmpty {
            let digits = rest.prefix { $0.isASCII && $0.isNumber || $0 == "." }
            rest = rest.dropFirst(digits.count)
            let unit = rest.prefix(while: \.isLetter)
            rest = rest.dropFirst(unit.count)
            guard digits.first?.isNumber == true, digits.last?.isNumber == true, let number = Double(digits),
                let scale = scale(of: String(unit))
            else { return nil }
            seconds += number * scale
            guard seconds <= longest else { return nil }
        }
        return .seconds(Int64(seconds.rounded()))
    }

    private static func scale(of unit: String) -> Double? {
        if ["w", "week", "weeks"].contains(unit) { return 7 * 86_400 }
        return units.first { $0.words.contains(unit) }.map { Double($0.seconds) }
    }

    /// Returns the duration in its typed form, such as `1h30m`.
    package static func text(of duration: Duration) -> String {
        let parts = parts(of: duration).map { "\($0.count)\($0.unit.letter)" }
        return parts.isEmpty ? "0s" : parts.joined()
    }

    /// Returns the duration in words, such as `1 hour 30 minutes`.
    package static func words(of duration: Duration) -> String {
        let parts = parts(of: duration).map { words(of: Int($0.count), $0.unit) }
        return parts.isEmpty ? localized("0 seconds") : parts.joined(separator: " ")
    }

    /// Returns the interval of repeated events in words, such as `every hour` or `every 2 hours`.
    package static func interval(_ duration: Duration) -> String {
        let parts = parts(of: duration)
        switch (parts.count, parts.first?.count, parts.first?.unit.seconds) {
        case (1, 1, 86_400): return localized("every day")
        case (1, 1, 3600): return localized("every hour")
        case (1, 1, 60): return localized("every minute")
        default: return localized("every \(words(of: duration))")
        }
    }

    private static func words(of count: Int, _ unit: Unit) -> String {
        switch unit.seconds {
        case 86_400: localized("\(count) day", plural: "\(count) days", count: count)
        case 3600: localized("\(count) hour", plural: "\(count) hours", count: count)
        case 60: localized("\(count) minute", plural: "\(count) minutes", count: count)
        default: localized("\(count) second", plural: "\(count) seconds", count: count)
        }
    }

    private typealias Unit = (seconds: Int64, letter: String, words: Set<String>)

    /// Returns the counts of the units that aren't zero, largest first.
    private static func parts(of duration: Duration) -> [(count: Int64, unit: Unit)] {
        var rest = duration.components.seconds.magnitude
        var parts: [(count: Int64, unit: Unit)] = []
        for unit in units {
            let count = rest / UInt64(unit.seconds)
            rest %= UInt64(unit.seconds)
            if count > 0 { parts.append((Int64(clamping: count), unit)) }
        }
        return parts
    }
}
