import Glibc

/// A date and time like Python's `datetime`, with or without an offset from UTC.
package struct JinjaDateTime: Equatable, Sendable {
    /// The seconds since 1970 in UTC.
    ///
    /// If the offset is unknown, this value treats the date and time as UTC.
    let seconds: Int
    let microseconds: Int
    /// The offset from UTC in seconds, positive to the east, or `nil` if it's unknown.
    let offset: Int?

    /// The valid values of `seconds`: the years 1 to 9999.
    private static let range = -62_135_596_800..<253_402_300_800

    init?(seconds: Int, microseconds: Int = 0, offset: Int?) {
        guard Self.range.contains(seconds), (0..<1_000_000).contains(microseconds),
            (-86_399...86_399).contains(offset ?? 0)
        else { return nil }
        self.seconds = seconds
        self.microseconds = microseconds
        self.offset = offset
    }

    /// Creates a date from a number of seconds since 1970.
    init?(timestamp: Double, offset: Int = 0) {
        guard timestamp.isFinite, timestamp.magnitude < 1e12 else { return nil }
        let micros = Int((timestamp * 1_000_000).rounded(.toNearestOrEven))
        let seconds = Int((Double(micros) / 1_000_000).rounded(.down))
        self.init(seconds: seconds, microseconds: micros - seconds * 1_000_000, offset: offset)
    }

    /// Creates a date from its parts, or returns `nil` if they don't form a valid date.
    init?(
        _ year: Int, _ month: Int, _ day: Int, _ hour: Int = 0, _ minute: Int = 0, _ second: Int = 0,
        microseconds: Int = 0, offset: Int? = nil
    ) {
        guard (1...9999).contains(year), (1...12).contains(month), (0...23).contains(hour), (0...59).contains(minute),
            (0...59).contains(second)
        else { return nil }
        var parts = tm()
        parts.tm_year = Int32(year - 1900)
        parts.tm_mon = Int32(month - 1)
        parts.tm_mday = Int32(day)
        let midnight = timegm(&parts)
        // timegm(3) converts a day beyond the end of the month to a day of the next month.
        guard day >= 1, parts.tm_mday == Int32(day), parts.tm_mon == Int32(month - 1) else { return nil }
        self.init(
            seconds: midnight + hour * 3600 + minute * 60 + second - (offset ?? 0), microseconds: microseconds,
            offset: offset)
    }

    /// The components of the date and time, such as year and hour, at the date's offset from UTC.
    var parts: tm {
        var time = seconds + (offset ?? 0)
        var parts = tm()
        gmtime_r(&time, &parts)
        return parts
    }

    /// The same point in time in this computer's time zone.
    ///
    /// A date without an offset is interpreted in that time zone.
    var local: JinjaDateTime {
        var parts = tm()
        guard offset == nil else {
            var time = seconds
            localtime_r(&time, &parts)
            return JinjaDateTime(seconds: seconds, microseconds: microseconds, offset: parts.tm_gmtoff) ?? self
        }
        parts = self.parts
        parts.tm_isdst = -1
        let time = mktime(&parts)
        return JinjaDateTime(seconds: time, microseconds: microseconds, offset: parts.tm_gmtoff) ?? self
    }

    /// The seconds since 1970.
    ///
    /// A date without an offset is interpreted in this computer's time zone.
    var timestamp: Double {
        Double(offset == nil ? local.seconds : seconds) + Double(microseconds) / 1_000_000
    }

    /// Returns whether this date is earlier than another date, or `nil` if only one of them has an offset.
    func isBefore(_ other: JinjaDateTime) -> Bool? {
        guard (offset == nil) == (other.offset == nil) else { return nil }
        return (seconds, microseconds) < (other.seconds, other.microseconds)
    }

    // MARK: Text

    /// Returns the date and time in ISO 8601, with the given separator between date and time.
    func text(separator: String) -> String {
        let parts = parts
        var text = Self.digits(Int(parts.tm_year) + 1900, 4)
        for part in [parts.tm_mon + 1, parts.tm_mday] { text += "-" + Self.digits(Int(part), 2) }
        text += separator + Self.digits(Int(parts.tm_hour), 2)
        for part in [parts.tm_min, parts.tm_sec] { text += ":" + Self.digits(Int(part), 2) }
        if microseconds > 0 { text += "." + Self.digits(microseconds, 6) }
        return text + offsetText(separator: ":")
    }

    private func offsetText(separator: String) -> String {
        guard let offset else { return "" }
        let minutes = abs(offset) / 60
        let seconds = abs(offset) % 60
        return (offset < 0 ? "-" : "+") + Self.digits(minutes / 60, 2) + separator + Self.digits(minutes % 60, 2)
            + (seconds > 0 ? separator + Self.digits(seconds, 2) : "")
    }

    private static func digits(_ number: Int, _ count: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, count - digits.utf8.count)) + digits
    }

    /// Returns the date in a `strftime` format, or `nil` if the format is too long or has an invalid directive.
    func formatted(_ format: String) -> String? {
        guard format.utf8.count <= 256, !format.utf8.contains(0) else { return nil }
        // C's strftime(3) doesn't have `%f`, and would write UTC's offset and name for `%z` and `%Z`.
        let own = [
            "%f": Self.digits(microseconds, 6), "%z": offsetText(separator: ""), "%Z": offset == 0 ? "UTC" : zone,
        ]
        var result = ""
        var rest = Substring(format)
        while let percent = rest.firstIndex(of: "%") {
            result += rest[..<percent]
            var directive = String(rest[percent...].prefix(2))
            if directive == "%-" { directive = String(rest[percent...].prefix(3)) }
            rest = rest[percent...].dropFirst(directive.count)
            if let text = own[directive] {
                result += text
                continue
            }
            guard directive.last?.isLetter == true || directive == "%%" else { return nil }
            var parts = parts
            var buffer = [CChar](repeating: 0, count: 128)
            let count = strftime(&buffer, buffer.count, directive, &parts)
            result += String(decoding: buffer.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        }
        return result + rest
    }

    /// The name of this computer's time zone if the date has that zone's offset, otherwise the offset.
    private var zone: String {
        guard let offset else { return "" }
        var time = seconds
        var parts = tm()
        localtime_r(&time, &parts)
        guard parts.tm_gmtoff == offset, let name = parts.tm_zone else { return "UTC" + offsetText(separator: ":") }
        return String(cString: name)
    }

    // MARK: Parsing

    /// Parses a date, optionally with a time, in ISO 8601 as Home Assistant does.
    ///
    /// It returns `nil` if the text is invalid.
    init?(iso text: String) {
        var reader = DigitReader(text)
        guard let year = reader.number(4), reader.take("-"), let month = reader.number(1...2), reader.take("-"),
            let day = reader.number(1...2)
        else { return nil }
        var (hour, minute, second, micros) = (0, 0, 0, 0)
        var offset: Int?
        if !reader.isAtEnd {
            guard reader.take("T") || reader.take(" "), let h = reader.number(1...2), reader.take(":"),
                let m = reader.number(1...2)
            else { return nil }
            (hour, minute) = (h, m)
            if reader.take(":") {
                guard let s = reader.number(1...2) else { return nil }
                second = s
                if reader.take(".") || reader.take(",") {
                    guard let fraction = reader.fraction() else { return nil }
                    micros = fraction
                }
            }
            _ = reader.take(" ")
            offset = reader.offset()
            guard reader.isAtEnd else { return nil }
        }
        self.init(year, month, day, hour, minute, second, microseconds: micros, offset: offset)
    }

    /// Parses a date in a `strptime` format, or returns `nil` if the text doesn't match the format or the format isn't
    /// supported.
    init?(_ text: String, format: String) {
        var reader = DigitReader(text)
        var (year, month, day, hour, minute, second, micros) = (1900, 1, 1, 0, 0, 0, 0)
        var dayOfYear: Int?
        var (isAfternoon, offset): (Bool?, Int?) = (nil, nil)
        var directives = format.makeIterator()
        while let character = directives.next() {
            guard character == "%" else {
                if character.isWhitespace { reader.skipSpaces() } else if !reader.take(character) { return nil }
                continue
            }
            var value: Int? = 0
            switch directives.next() {
            case "Y": value = reader.number(4); year = value ?? 0
            case "y": value = reader.number(2); year = (value ?? 0) + (value ?? 0 < 69 ? 2000 : 1900)
            case "m": value = reader.number(1...2); month = value ?? 0
            case "d": value = reader.number(1...2); day = value ?? 0
            case "j": value = reader.number(1...3); dayOfYear = value
            case "H", "I": value = reader.number(1...2); hour = value ?? 0
            case "M": value = reader.number(1...2); minute = value ?? 0
            case "S": value = reader.number(1...2); second = value ?? 0
            case "f": value = reader.fraction(); micros = value ?? 0
            case "p": value = reader.word(["am", "pm"]); isAfternoon = value == 1
            case "b": value = reader.word(Self.months.map { String($0.prefix(3)) }); month = (value ?? 0) + 1
            case "B": value = reader.word(Self.months); month = (value ?? 0) + 1
            case "a": value = reader.word(Self.weekdays.map { String($0.prefix(3)) })
            case "A": value = reader.word(Self.weekdays)
            case "z": offset = reader.offset(); value = offset
            case "Z": value = reader.word(["utc", "gmt", "z"]); offset = offset ?? 0
            case "%": value = reader.take("%") ? 0 : nil
            default: return nil
            }
            guard value != nil else { return nil }
        }
        guard reader.isAtEnd else { return nil }
        if let isAfternoon {
            guard (1...12).contains(hour) else { return nil }
            hour = hour % 12 + (isAfternoon ? 12 : 0)
        }
        if let dayOfYear {
            guard let first = JinjaDateTime(year, 1, 1), (1...366).contains(dayOfYear),
                let date = JinjaDateTime(seconds: first.seconds + (dayOfYear - 1) * 86_400, offset: nil)
            else { return nil }
            (month, day) = (Int(date.parts.tm_mon) + 1, Int(date.parts.tm_mday))
        }
        self.init(year, month, day, hour, minute, second, microseconds: micros, offset: offset)
    }

    private static let months = [
        "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
        "december",
    ]
    private static let weekdays = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"]
}

/// Reads the parts of a date from a string, in order.
private struct DigitReader {
    private var rest: Substring

    init(_ text: String) { rest = text[...] }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func take(_ character: Character) -> Bool {
        guard rest.first == character else { return false }
        rest.removeFirst()
        return true
    }

    mutating func skipSpaces() { rest = rest.drop(while: \.isWhitespace) }

    mutating func number(_ count: Int) -> Int? { number(count...count) }

    mutating func number(_ count: ClosedRange<Int>) -> Int? {
        let digits = rest.prefix(count.upperBound).prefix { $0.isASCII && $0.isNumber }
        guard count.contains(digits.count) else { return nil }
        rest = rest.dropFirst(digits.count)
        return Int(digits)
    }

    /// Reads the digits of a decimal fraction and returns it in millionths.
    ///
    /// Digits after the sixth are ignored.
    mutating func fraction() -> Int? {
        let digits = rest.prefix { $0.isASCII && $0.isNumber }
        guard !digits.isEmpty else { return nil }
        rest = rest.dropFirst(digits.count)
        let six = digits.prefix(6)
        return Int(six + String(repeating: "0", count: 6 - six.count))
    }

    /// Reads one of the given lowercase words, ignoring case, and returns its index.
    mutating func word(_ words: [String]) -> Int? {
        guard let index = words.firstIndex(where: { rest.prefix($0.count).lowercased() == $0 }) else { return nil }
        rest = rest.dropFirst(words[index].count)
        return index
    }

    /// Reads an offset from UTC, such as `Z`, `+02:00`, `+0200` or `+02`, and returns it in seconds.
    mutating func offset() -> Int? {
        if take("Z") { return 0 }
        guard let sign = rest.first, sign == "+" || sign == "-" else { return nil }
        rest.removeFirst()
        guard let hours = number(2) else { return nil }
        _ = take(":")
        let minutes = number(2) ?? 0
        guard hours < 24, minutes < 60 else { return nil }
        return (sign == "-" ? -1 : 1) * (hours * 3600 + minutes * 60)
    }
}

/// Home Assistant's filters and functions for dates.
///
/// The current time isn't available, because the result of a template must depend only on its variables.
extension JinjaRenderer {
    /// Converts a value to a date, or returns `nil` if that's impossible.
    ///
    /// Numbers are seconds since 1970, and strings must be in ISO 8601.
    private func date(of value: JinjaValue) -> JinjaDateTime? {
        if case .datetime(let date) = value { return date }
        if let number = Self.read(value) { return JinjaDateTime(timestamp: number) }
        guard case .string(let text) = value else { return nil }
        return JinjaDateTime(iso: text.trimmingWhitespace)
    }

    private func date(
        of value: JinjaValue, default fallback: JinjaValue?, _ make: (JinjaDateTime) -> JinjaValue?
    ) throws(JinjaError) -> JinjaValue {
        if let result = date(of: try defined(value)).flatMap(make) ?? fallback { return result }
        throw JinjaError("a value of type \(value.typeName) isn't a date")
    }

    mutating func apply(
        dateFilter filter: Filter, to value: JinjaValue, _ given: GivenArguments
    ) throws(JinjaError) -> JinjaValue {
        switch filter {
        case .asTimestamp:
            if let number = Self.read(try defined(value)) { return .float(number) }
            return try date(of: value, default: given.value(0, "default")) { .float($0.timestamp) }
        case .asDateTime: return try date(of: value, default: given.value(0, "default")) { .datetime($0) }
        case .asLocal: return try date(of: value, default: nil) { .datetime($0.local) }
        case .strptime:
            let format = try given.requiredText(0, "fmt")
            let text = try text(of: try defined(value))
            guard let date = JinjaDateTime(text, format: format) else {
                guard let fallback = given.value(1, "default") else {
                    throw JinjaError("the string isn't a date in the format \(format.prefix(32))")
                }
                return fallback
            }
            return .datetime(date)
        case .timestampCustom:
            let format = try given.text(0, "date_format") ?? "%Y-%m-%d %H:%M:%S"
            let isLocal = given.value(1, "local")?.isTrue ?? true
            try count(format.utf8.count * 16)
            return try timestamp(value, given.value(2, "default")) { date in
                (isLocal ? date.local : date).formatted(format)
            }
        case .timestampLocal: return try timestamp(value, given.value(0, "default")) { $0.local.text(separator: "T") }
        case .timestampUTC: return try timestamp(value, given.value(0, "default")) { $0.text(separator: "T") }
        default: throw JinjaError("\(filter.rawValue) isn't a filter for dates")
        }
    }

    private func timestamp(
        _ value: JinjaValue, _ fallback: JinjaValue?, _ make: (JinjaDateTime) -> String?
    ) throws(JinjaError) -> JinjaValue {
        guard let date = value.number.flatMap({ JinjaDateTime(timestamp: $0.double) }), let text = make(date) else {
            guard let fallback else { throw JinjaError("a value of type \(value.typeName) isn't a timestamp") }
            return fallback
        }
        return .string(text)
    }

    mutating func call(
        _ method: Method, of date: JinjaDateTime, _ given: GivenArguments
    ) throws(JinjaError) -> JinjaValue {
        switch method {
        case .timestamp: return .float(date.timestamp)
        case .isoformat: return .string(date.text(separator: try given.text(0, "sep") ?? "T"))
        case .weekday: return .int((Int(date.parts.tm_wday) + 6) % 7)
        case .isoweekday: return .int(date.parts.tm_wday == 0 ? 7 : Int(date.parts.tm_wday))
        case .strftime:
            let format = try given.requiredText(0, "format")
            try count(format.utf8.count * 16)
            guard let text = date.formatted(format) else { throw JinjaError("the date format isn't supported") }
            return try string(text)
        default: throw JinjaError("a date has no method \(method.rawValue)")
        }
    }
}

extension JinjaDateTime {
    /// Returns the date component with the given name, such as `hour`, or `nil` if the name is unknown.
    func part(_ name: String) -> JinjaValue? {
        let parts = parts
        switch name {
        case "year": return .int(Int(parts.tm_year) + 1900)
        case "month": return .int(Int(parts.tm_mon) + 1)
        case "day": return .int(Int(parts.tm_mday))
        case "hour": return .int(Int(parts.tm_hour))
        case "minute": return .int(Int(parts.tm_min))
        case "second": return .int(Int(parts.tm_sec))
        case "microsecond": return .int(microseconds)
        default: return nil
        }
    }
}
