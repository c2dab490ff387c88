internal import HAPModel

/// Decides when to check an accessory that ought to report its changes: rarely while its events come, often once it has lost one,
/// and rarely again after an event or a new connection (push is never given up permanently).
struct PushWatch: Equatable, Sendable {
    /// A check of values.
    enum Check: Equatable {
        /// Read some values in turn: a change without an event shows that the accessory loses events.
        case events
        /// Read some values in turn; dropped events explain the differences.
        case liveness
        /// Read all reported values, because events were dropped.
        case everything
    }

    /// The most values that are read at once to find lost events.
    private static let batchSize = 50

    private let quiet: Duration
    private let poll: Duration
    /// Whether the accessory has been caught losing events on this connection.
    private(set) var isPolling = false
    private var nextCheck: ContinuousClock.Instant
    /// When everything must be read again, because events were dropped.
    private var rereadAt: ContinuousClock.Instant?
    private var hasDroppedEvents = false
    /// The last value that was checked.
    private var lastChecked: CharacteristicID?

    init(quiet: Duration, poll: Duration, now: ContinuousClock.Instant) {
        self.quiet = quiet
        self.poll = poll
        nextCheck = now + quiet
    }

    /// The time of the next check.
    var dueAt: ContinuousClock.Instant { min(nextCheck, rereadAt ?? nextCheck) }

    /// A session has begun and everything has been read.
    mutating func connected(now: ContinuousClock.Instant) { eventCame(now: now) }

    mutating func sessionEnded() { (rereadAt, hasDroppedEvents) = (nil, false) }

    /// An event came.
    mutating func eventCame(now: ContinuousClock.Instant) {
        isPolling = false
        nextCheck = now + quiet
    }

    /// Events were dropped, because there were too many.
    ///
    /// - Returns: whether they are the first on this connection.
    mutating func dropped(now: ContinuousClock.Instant) -> Bool {
        defer { hasDroppedEvents = true }
        rereadAt = rereadAt ?? now + EventBudget.noticeInterval
        return !hasDroppedEvents
    }

    /// A check begins.
    mutating func begin(now: ContinuousClock.Instant) -> Check {
        guard let rereadAt else { return .events }
        guard rereadAt <= now else { return .liveness }
        self.rereadAt = nil
        return .everything
    }

    /// Returns the values to read: all while events are lost or were dropped, otherwise some in turn.
    mutating func batch(of ids: [CharacteristicID], for check: Check) -> [CharacteristicID] {
        guard check != .everything, !isPolling, ids.count > Self.batchSize else { return ids }
        let next = ids.drop { id in lastChecked.map { id <= $0 } ?? false }
        let batch = Array((next.isEmpty ? ids[...] : next).prefix(Self.batchSize))
        lastChecked = batch.last
        return batch
    }

    /// A check has ended.
    ///
    /// - Parameters:
    ///   - hasMissedEvents: whether a value differed that an event should have reported.
    ///   - now: the time.
    mutating func looked(hasMissedEvents: Bool, now: ContinuousClock.Instant) {
        isPolling = isPolling || hasMissedEvents
        nextCheck = now + (isPolling ? poll : quiet)
    }
}
