/// A leaky bucket that limits the events that a session processes: a burst, then a steady rate.
///
/// An accessory reports changes at most once per second, and button presses immediately (HAP 10.2), so only a
/// malfunctioning accessory exceeds the budget. Events over the budget are dropped without parsing, and the values are
/// read later.
struct EventBudget: Equatable, Sendable {
    /// The maximum number of events in a burst.
    static let burst = 200
    /// The interval between events after a burst.
    static let interval = Duration.milliseconds(20)
    /// The shortest interval between two notices of dropped events.
    static let noticeInterval = Duration.seconds(1)

    /// The time at which the bucket will be empty.
    private var emptyAt: ContinuousClock.Instant?
    private var noticedAt: ContinuousClock.Instant?

    /// Returns whether an event would be dropped now.
    func isExhausted(now: ContinuousClock.Instant) -> Bool {
        emptyAt.map { $0 - now > Self.interval * (Self.burst - 1) } ?? false
    }

    /// Counts an event.
    ///
    /// - Returns: Whether to process the event.
    mutating func take(now: ContinuousClock.Instant) -> Bool {
        guard !isExhausted(now: now) else { return false }
        emptyAt = max(emptyAt ?? now, now) + Self.interval
        return true
    }

    /// Counts a dropped event.
    ///
    /// - Returns: Whether to notify the listener: after the first drop, and then at most once per interval.
    mutating func dropped(now: ContinuousClock.Instant) -> Bool {
        if let noticedAt, now < noticedAt + Self.noticeInterval { return false }
        noticedAt = now
        return true
    }
}
