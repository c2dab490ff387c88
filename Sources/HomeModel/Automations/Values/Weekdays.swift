/// A set of days of the week.
public struct Weekdays: OptionSet, Sendable, Hashable {
    /// One bit for each day; bit 0 is Monday.
    public let rawValue: UInt8

    /// Creates a set from its bits; ignores bit 7, which is unused.
    public init(rawValue: UInt8) { self.rawValue = rawValue & 0x7F }

    /// Monday.
    public static let monday = Weekdays(rawValue: 1 << 0)
    /// Tuesday.
    public static let tuesday = Weekdays(rawValue: 1 << 1)
    /// Wednesday.
    public static let wednesday = Weekdays(rawValue: 1 << 2)
    /// Thursday.
    public static let thursday = Weekdays(rawValue: 1 << 3)
    /// Friday.
    public static let friday = Weekdays(rawValue: 1 << 4)
    /// Saturday.
    public static let saturday = Weekdays(rawValue: 1 << 5)
    /// Sunday.
    public static let sunday = Weekdays(rawValue: 1 << 6)

    /// Monday to Friday.
    public static let workdays: Weekdays = [monday, tuesday, wednesday, thursday, friday]
    /// Saturday and Sunday.
    public static let weekend: Weekdays = [saturday, sunday]
    /// All seven days.
    public static let everyDay: Weekdays = [workdays, weekend]
}

extension Weekdays: Codable {
    private static let names = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]

    /// The names of the days in English, Monday first.
    package var names: [String] { Self.names.indices.filter { rawValue >> $0 & 1 == 1 }.map { Self.names[$0] } }

    /// Decodes a list of names in English, such as `["monday","friday"]`.
    public init(from decoder: any Decoder) throws {
        let names = try decoder.singleValueContainer().decode([String].self)
        var days = Weekdays()
        for name in names {
            guard let index = Self.names.firstIndex(of: name) else {
                throw HomeError(.invalidParameter, detail: "\"\(name.prefix(16))\" isn't a day of the week")
            }
            days.insert(Weekdays(rawValue: 1 << index))
        }
        self = days
    }

    /// Encodes ``names``.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(names)
    }
}
