/// Limits the events that one connection may have processed: a burst, then a steady rate (a leaky bucket).
///
/// An accessory reports a change once a second at most and a press at once (HAP 10.2), so only one that floods exceeds it.
/// Events over the budget are dropped unread; their values are read later.
struct EventBudget: Equatable, Sendable {
    /// How many events may come at once.
    static let burst = 200
    /// The time that each further event takes.
    static let interval = Duration.milliseconds(20)
    /// The time between two notices of dropped events.
    static let noticeInterval = Duration.seconds(1)

    /// When the bucket will be empty.
    private var emptyAt: ContinuousClock.Instant?
    private var noticedAt: ContinuousClock.Instant?

    /// A Boolean value that indicates whether an event now would be dropped.
    func isExhausted(now: ContinuousClock.Instant) -> Bool {
        emptyAt.map { $0 - now > Self.interval * (Self.burst - 1) } ?? false
    }

    /// An event came.
    ///
    /// - Returns: whether it is processed.
    mutating func take(now: ContinuousClock.Instant) -> Bool {
        guard !isExhausted(now: now) else { return false }
        emptyAt = max(emptyAt ?? now, now) + Self.interval
        return true
    }

    /// An event was dropped.
    ///
    /// - Returns: whether the listener must be notified: at the first, and then once in each interval with drops.
    mutating func dropped(now: ContinuousClock.Instant) -> Bool {
        if let noticedAt, now < noticedAt + Self.noticeInterval { return false }
        noticedAt = now
        return true
    }
}
