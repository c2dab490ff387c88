import HAPProtocol

/// The schedule for applying an accessory server's databases to the homes, and the server's protocol violations.
///
/// A database waits if it arrives soon after the last one or while the last one is being stored, or if it couldn't be
/// stored. Only the newest waiting database is applied.
struct DatabaseHistory {
    enum Step: Equatable {
        case takeOver
        /// Call ``due()`` at the given time.
        case retry(at: ContinuousClock.Instant)
        /// Do nothing. The database has replaced another database that was waiting.
        case wait
    }

    private var decidedAt: ContinuousClock.Instant?
    private var waiting: AccessoryDatabase?
    private(set) var isStoring = false
    private var violations = 0
    /// A Boolean value that indicates whether no home can represent the database.
    private var isUnusable = false

    /// Handles a database that was read.
    ///
    /// `interval` is the minimum time between a database that changed the homes or was rejected and the next database.
    mutating func received(_ database: AccessoryDatabase, interval: Duration, now: ContinuousClock.Instant) -> Step {
        guard !isStoring else {
            waiting = database
            return .wait
        }
        guard let decidedAt, now < decidedAt + interval else {
            waiting = nil
            return .takeOver
        }
        return postpone(database, until: decidedAt + interval)
    }

    /// Removes and returns the waiting database at its deadline; `nil` if none is waiting.
    mutating func due() -> AccessoryDatabase? {
        defer { waiting = nil }
        return waiting
    }

    /// Marks the start of storing a database.
    mutating func storing() { isStoring = true }

    /// Marks the end of storing, successful or not; returns a newer database that arrived in the meantime.
    mutating func stored() -> AccessoryDatabase? {
        isStoring = false
        return due()
    }

    var isWaiting: Bool { waiting != nil }

    /// Records that a database was applied to the homes, whether or not it changed them.
    mutating func takenOver(isChanged: Bool, now: ContinuousClock.Instant) {
        if isChanged { decidedAt = now }
        isUnusable = false
        violations = 0
    }

    /// Records that the homes rejected a database.
    mutating func refused(isUnusable: Bool, now: ContinuousClock.Instant) {
        decidedAt = now
        if isUnusable { self.isUnusable = true }
    }

    /// Keeps a database for later.
    mutating func postpone(_ database: AccessoryDatabase, until time: ContinuousClock.Instant) -> Step {
        defer { waiting = database }
        return waiting == nil ? .retry(at: time) : .wait
    }

    /// Resets the violations after a valid connection, unless the database is known to be unusable.
    mutating func connected() { if !isUnusable { violations = 0 } }

    /// Counts a violation; returns whether the accessory must be blocked.
    mutating func violated() -> Bool {
        violations += 1
        return violations >= Self.maximumViolations
    }
}
