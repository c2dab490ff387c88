import HAPProtocol

/// When the homes take over what an accessory server consists of, and how often the server has broken HAP's rules.
///
/// A database that comes soon after the last one, while that is being stored, or could not be stored, waits; of several only
/// the newest is taken over.
struct DatabaseHistory {
    enum Step: Equatable {
        case takeOver
        /// Ask ``due()`` then.
        case retry(at: ContinuousClock.Instant)
        /// It takes the place of one that waits.
        case wait
    }

    private var decidedAt: ContinuousClock.Instant?
    private var waiting: AccessoryDatabase?
    private(set) var isStoring = false
    private var violations = 0
    /// Whether it consists of what no home can take.
    private var isUnusable = false

    /// A database was read; two are taken over an interval apart.
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

    /// The time of a database that waited has come; returns the newest one, or `nil` if none waits any more.
    mutating func due() -> AccessoryDatabase? {
        defer { waiting = nil }
        return waiting
    }

    /// One is about to be stored.
    mutating func storing() { isStoring = true }

    /// One was stored, or could not be; returns a newer one that came meanwhile.
    mutating func stored() -> AccessoryDatabase? {
        isStoring = false
        return due()
    }

    var isWaiting: Bool { waiting != nil }

    /// The homes have taken it over, with or without a change.
    mutating func takenOver(isChanged: Bool, now: ContinuousClock.Instant) {
        if isChanged { decidedAt = now }
        isUnusable = false
        violations = 0
    }

    /// No home can take it.
    mutating func refused(isUnusable: Bool, now: ContinuousClock.Instant) {
        decidedAt = now
        if isUnusable { self.isUnusable = true }
    }

    /// It is to be taken over later.
    mutating func postpone(_ database: AccessoryDatabase, until time: ContinuousClock.Instant) -> Step {
        defer { waiting = database }
        return waiting == nil ? .retry(at: time) : .wait
    }

    /// The server keeps to the rules for connections; whether also with what it consists of is known already.
    mutating func connected() { if !isUnusable { violations = 0 } }

    /// The server has broken the rules; returns whether it has done so too often.
    mutating func violated() -> Bool {
        violations += 1
        return violations >= Self.maximumViolations
    }
}
