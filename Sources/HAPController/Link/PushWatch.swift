/// Decides when to look at an accessory that ought to report by itself: rarely while its events come, often once it was
/// caught losing one, and rarely again after an event or a new connection (push is never given up for good).
struct PushWatch: Equatable, Sendable {
    private let quiet: Duration
    private let poll: Duration
    /// Whether the accessory has been caught losing events on this connection.
    private(set) var isPolling = false
    /// When to look next.
    package private(set) var dueAt: ContinuousClock.Instant

    package init(quiet: Duration, poll: Duration, now: ContinuousClock.Instant) {
        self.quiet = quiet
        self.poll = poll
        dueAt = now + quiet
    }

    /// A session stands and everything has been read.
    package mutating func connected(now: ContinuousClock.Instant) {
        isPolling = false
        dueAt = now + quiet
    }

    /// An event came.
    mutating func eventCame(now: ContinuousClock.Instant) {
        isPolling = false
        dueAt = now + quiet
    }

    /// Everything that can change has been read.
    ///
    /// - Parameters:
    ///   - hasMissedEvents: whether a value was another one that an event should have reported.
    ///   - now: the time.
    package mutating func looked(hasMissedEvents: Bool, now: ContinuousClock.Instant) {
        isPolling = isPolling || hasMissedEvents
        dueAt = now + (isPolling ? poll : quiet)
    }
}
