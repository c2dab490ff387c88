import SystemKit

/// A point in wall-clock time.
public struct Timestamp: Hashable, Sendable, Comparable, CustomStringConvertible {
    /// Milliseconds since January 1, 1970 (UTC).
    public let millisecondsSince1970: Int64

    /// Creates a timestamp from milliseconds since January 1, 1970 (UTC).
    public init(millisecondsSince1970: Int64) { self.millisecondsSince1970 = millisecondsSince1970 }

    /// The current wall-clock time.
    public static var now: Timestamp { Timestamp(millisecondsSince1970: WallClock.now) }

    /// Returns the time from this timestamp to another; negative if the other is earlier.
    ///
    /// The result is wrong if the clock was set in between.
    public func duration(to other: Timestamp) -> Duration {
        .milliseconds(other.millisecondsSince1970) - .milliseconds(millisecondsSince1970)
    }

    /// The timestamp in RFC 3339 format, in UTC: `2026-11-21T18:05:09.042Z`.
    public var description: String { WallClock.text(of: millisecondsSince1970, showsMilliseconds: true) }

    /// Orders timestamps chronologically.
    public static func < (a: Timestamp, b: Timestamp) -> Bool { a.millisecondsSince1970 < b.millisecondsSince1970 }
}

extension Timestamp: Codable {
    /// Decodes ``millisecondsSince1970``.
    public init(from decoder: any Decoder) throws {
        millisecondsSince1970 = try decoder.singleValueContainer().decode(Int64.self)
    }

    /// Encodes ``millisecondsSince1970``.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(millisecondsSince1970)
    }
}
