import SystemKit

/// A moment, as people's clocks show it.
public struct Timestamp: Hashable, Sendable, Comparable, CustomStringConvertible {
    /// Milliseconds since the beginning of 1970 (UTC).
    public let millisecondsSince1970: Int64

    /// Makes a moment of milliseconds since the beginning of 1970 (UTC).
    public init(millisecondsSince1970: Int64) { self.millisecondsSince1970 = millisecondsSince1970 }

    /// What the clock shows now.
    public static var now: Timestamp { Timestamp(millisecondsSince1970: WallClock.now) }

    /// The time from this moment to another; negative if the other one was before.
    ///
    /// A clock may be set meanwhile.
    public func duration(to other: Timestamp) -> Duration {
        .milliseconds(other.millisecondsSince1970) - .milliseconds(millisecondsSince1970)
    }

    /// The moment by RFC 3339, in UTC: `2026-11-21T18:05:09.042Z`.
    public var description: String { WallClock.text(of: millisecondsSince1970, showsMilliseconds: true) }

    /// Orders moments as they come.
    public static func < (a: Timestamp, b: Timestamp) -> Bool { a.millisecondsSince1970 < b.millisecondsSince1970 }
}

extension Timestamp: Codable {
    /// Reads ``millisecondsSince1970``.
    public init(from decoder: any Decoder) throws {
        millisecondsSince1970 = try decoder.singleValueContainer().decode(Int64.self)
    }

    /// Writes ``millisecondsSince1970``.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(millisecondsSince1970)
    }
}
