/// An entry in the activity of a home: a cause with its effects.
public struct ActivityEntry: Codable, Sendable, Hashable, Identifiable {
    /// The ID of an entry.
    ///
    /// Later entries have higher IDs, unless the clock was set back in between.
    public struct ID: Sendable, Hashable, Comparable, CustomStringConvertible {
        package let number: Int64

        package init(number: Int64) { self.number = number }

        /// Parses the text form.
        public init?(_ text: String) {
            guard let number = Int64(text) else { return nil }
            self.number = number
        }

        /// The text form, a decimal number.
        public var description: String { "\(number)" }

        /// Orders the IDs of earlier entries first.
        public static func < (a: ID, b: ID) -> Bool { a.number < b.number }
    }

    /// The entry's ID.
    public let id: ID
    /// The home.
    public let home: Home.ID
    /// The time of the first change.
    public let time: Timestamp
    /// The cause of the changes.
    public let cause: ActivityCause
    /// The changes in order; empty for a scene or an automation that ran without changing anything.
    public package(set) var changes: [ActivityChange]

    package init(id: ID, home: Home.ID, time: Timestamp, cause: ActivityCause, changes: [ActivityChange] = []) {
        self.id = id
        self.home = home
        self.time = time
        self.cause = cause
        self.changes = changes
    }

    /// Returns the entry with only the changes of the given accessories; `nil` if there are none.
    package func only(_ accessories: Set<Accessory.ID>) -> ActivityEntry? {
        var entry = self
        entry.changes.removeAll { change in change.accessory.map { !accessories.contains($0) } ?? true }
        return entry.changes.isEmpty ? nil : entry
    }
}

extension ActivityEntry: HomeMessage {}

extension ActivityEntry.ID: Codable {
    /// Decodes the number.
    public init(from decoder: any Decoder) throws {
        number = try decoder.singleValueContainer().decode(Int64.self)
    }

    /// Encodes the number.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(number)
    }
}

extension ActivityEntry.ID {
    /// The number of IDs in a millisecond.
    private static let inMillisecond: Int64 = 1024

    /// The time of an entry with this ID.
    package var time: Timestamp { Timestamp(millisecondsSince1970: number / Self.inMillisecond) }

    /// Returns the lowest ID of an entry at the given time.
    package static func first(at time: Timestamp) -> Self {
        let limit = Int64.max / inMillisecond
        return Self(number: min(max(time.millisecondsSince1970, 0), limit) * inMillisecond)
    }

    /// Returns the ID after this ID.
    package var next: Self { Self(number: number &+ 1) }
}
