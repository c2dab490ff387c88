/// A local time of day, in whole minutes.
public struct TimeOfDay: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The minutes since midnight, from 0 to 1439.
    public let minutes: Int

    /// The beginning of a day.
    package static let midnight = TimeOfDay(minutes: 0)

    private init(minutes: Int) { self.minutes = minutes }

    /// Creates a time, or returns `nil` if the hour isn't from 0 to 23 or the minute isn't from 0 to 59.
    public init?(hour: Int, minute: Int) {
        guard 0..<24 ~= hour, 0..<60 ~= minute else { return nil }
        minutes = hour * 60 + minute
    }

    /// Parses `06:30`.
    public init?(_ text: String) {
        let parts = text.utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ $0.count == 2 && $0.allSatisfy(\.isDigit) }) else {
            return nil
        }
        let numbers = parts.map { $0.reduce(0) { $0 * 10 + Int($1 - 0x30) } }
        self.init(hour: numbers[0], minute: numbers[1])
    }

    /// The hour, from 0 to 23.
    public var hour: Int { minutes / 60 }

    /// The minute of the hour.
    public var minute: Int { minutes % 60 }

    /// The time with two digits each: `06:30`.
    public var description: String {
        [hour, minute].map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
    }

    /// Orders times from midnight to midnight.
    public static func < (a: TimeOfDay, b: TimeOfDay) -> Bool { a.minutes < b.minutes }
}

extension TimeOfDay: TextCodable {}
