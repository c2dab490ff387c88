internal import HAPModel

/// Decides when to check whether an accessory still reports its changes.
///
/// Checks are rare while events arrive, and frequent after a lost event. They become rare again after an event or a new
/// connection, so that one lost event doesn't cause frequent checks forever.
struct PushWatch: Equatable, Sendable {
    /// The kind of check.
    enum Check: Equatable {
        /// Reads the next batch of values.
        ///
        /// A change without an event shows that the accessory loses events.
        case events
        /// Reads the next batch of values to verify the connection.
        ///
        /// A change without an event proves nothing, because the session dropped events.
        case liveness
        /// Reads the values of all desired characteristics, because the session dropped events.
        case everything
    }

    /// The maximum number of values in a check while events arrive.
    private static let batchSize = 50

    private let quiet: Duration
    private let poll: Duration
    /// A Boolean value that indicates whether the accessory has lost an event, and no event has arrived since.
    private(set) var isPolling = false
    private var nextCheck: ContinuousClock.Instant
    /// The time to read all values again after dropped events; `nil` if no events were dropped since the last such
    /// read.
    private var rereadAt: ContinuousClock.Instant?
    private var hasDroppedEvents = false
    /// The last characteristic of the latest batch.
    private var lastChecked: CharacteristicID?

    init(quiet: Duration, poll: Duration, now: ContinuousClock.Instant) {
        self.quiet = quiet
        self.poll = poll
        nextCheck = now + quiet
    }

    /// The time of the next check.
    var dueAt: ContinuousClock.Instant { min(nextCheck, rereadAt ?? nextCheck) }

    /// Restarts the schedule, because a session has begun and all values were read.
    mutating func connected(now: ContinuousClock.Instant) { eventCame(now: now) }

    mutating func sessionEnded() { (rereadAt, hasDroppedEvents) = (nil, false) }

    /// Records that an event has arrived.
    mutating func eventCame(now: ContinuousClock.Instant) {
        isPolling = false
        nextCheck = now + quiet
    }

    /// Records that the session dropped events because there were too many.
    ///
    /// - Returns: Whether these are the first dropped events on this connection.
    mutating func dropped(now: ContinuousClock.Instant) -> Bool {
        defer { hasDroppedEvents = true }
        rereadAt = rereadAt ?? now + EventBudget.noticeInterval
        return !hasDroppedEvents
    }

    /// Begins a check and returns its kind.
    mutating func begin(now: ContinuousClock.Instant) -> Check {
        guard let rereadAt else { return .events }
        guard rereadAt <= now else { return .liveness }
        self.rereadAt = nil
        return .everything
    }

    /// Returns the characteristics to read: all if the accessory is losing events or the session dropped events,
    /// otherwise the next batch.
    mutating func batch(of ids: [CharacteristicID], for check: Check) -> [CharacteristicID] {
        guard check != .everything, !isPolling, ids.count > Self.batchSize else { return ids }
        let next = ids.drop { id in lastChecked.map { id <= $0 } ?? false }
        let batch = Array((next.isEmpty ? ids[...] : next).prefix(Self.batchSize))
        lastChecked = batch.last
        return batch
    }

    /// Ends a check.
    ///
    /// - Parameters:
    ///   - hasMissedEvents: Whether a value changed without the expected event.
    ///   - now: The time.
    mutating func looked(hasMissedEvents: Bool, now: ContinuousClock.Instant) {
        isPolling = isPolling || hasMissedEvents
        nextCheck = now + (isPolling ? poll : quiet)
    }
}
