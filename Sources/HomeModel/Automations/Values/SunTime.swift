/// An event of the sun's daily course.
@nonexhaustive
public enum SunEvent: String, Codable, Sendable, Hashable, CaseIterable {
    /// The upper edge of the sun appears.
    case sunrise
    /// The upper edge of the sun disappears.
    case sunset
    /// The sun rises above 6° below the horizon: reading outdoors becomes possible.
    case civilDawn
    /// The sun sinks below 6° below the horizon.
    case civilDusk
}

/// A time relative to a sun event.
public struct SunTime: Codable, Sendable, Hashable {
    /// The event.
    public var event: SunEvent
    /// The time after the event; negative if it's before the event.
    public var offset: Duration

    /// Creates a time.
    public init(_ event: SunEvent, offset: Duration = .zero) {
        self.event = event
        self.offset = offset
    }
}
