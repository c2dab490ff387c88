internal import HAPModel
internal import HAPProtocol

/// The known characteristic values of an accessory server.
///
/// Responses, events and writes arrive in any order. A value from a read is current unless an event or a write for the
/// same characteristic came after the read began. In that case, the event's value is kept, because the accessory
/// reports every later change with another event.
struct LinkValues: Sendable {
    /// The period after a write during which an event may be older than the write.
    private static let recentWriteTime = Duration.seconds(1)

    private var known: [CharacteristicID: CharacteristicValue] = [:]
    /// The number of events and writes so far, which serves as a time stamp.
    private(set) var changes = 0
    private var lastChanges: [CharacteristicID: Int] = [:]
    /// The characteristics that this controller wrote since the last check.
    ///
    /// The accessory doesn't report the effects of these writes to this controller (HAP 10.2).
    private var written: Set<CharacteristicID> = []
    /// This controller's latest writes; an event that contradicts one may be older than the write.
    private var recentWrites: [CharacteristicID: (value: CharacteristicValue, time: ContinuousClock.Instant)] = [:]
    /// The characteristics whose known values may be wrong.
    private var uncertain: Set<CharacteristicID> = []

    /// Replaces the known values with the values in a newly read database.
    mutating func begin(with database: AccessoryDatabase) {
        (known, lastChanges, written) = ([:], [:], [])
        for (id, characteristic) in database.characteristics { known[id] = characteristic.value }
    }

    mutating func sessionEnded() { (recentWrites, uncertain) = ([:], []) }

    // MARK: Reads and events

    /// Returns the readings that no event or write has made stale.
    ///
    /// `began` is the value that ``changes`` had when the read began.
    func current(_ readings: [CharacteristicID: Reading], since began: Int) -> [CharacteristicID: Reading] {
        readings.filter { lastChanges[$0.key, default: 0] <= began }
    }

    /// Stores current readings.
    ///
    /// - Returns: The characteristics whose value changed without a write by this controller.
    mutating func learned(_ readings: [CharacteristicID: Reading]) -> Set<CharacteristicID> {
        var changed: Set<CharacteristicID> = []
        for case (let id, .success(let value)) in readings {
            guard let former = known.updateValue(value, forKey: id), former != value else { continue }
            if !written.contains(id) { changed.insert(id) }
        }
        return changed
    }

    /// Stores the values of an event.
    ///
    /// - Returns: Whether a value contradicts a write from the last second. Such a value must be read again, because
    ///   the accessory may have collected the event before the write.
    mutating func reported(_ readings: [CharacteristicID: Reading], now: ContinuousClock.Instant) -> Bool {
        changes += 1
        var isContradiction = false
        for case (let id, .success(let value)) in readings {
            known[id] = value
            lastChanges[id] = changes
            guard let write = recentWrites[id], write.value != value else { continue }
            recentWrites[id] = nil
            guard now < write.time + Self.recentWriteTime else { continue }
            uncertain.insert(id)
            isContradiction = true
        }
        return isContradiction
    }

    /// Marks characteristics as uncertain, because a canceled caller missed a response about them.
    mutating func lostAnswer(about ids: some Sequence<CharacteristicID>) { uncertain.formUnion(ids) }

    /// Removes and returns the uncertain characteristics, which must be read.
    mutating func takeUncertain() -> Set<CharacteristicID> {
        defer { uncertain = [] }
        return uncertain
    }

    // MARK: Writes

    /// Marks the results of pending reads of the given characteristics as stale, because a write follows.
    mutating func willWrite(_ ids: some Sequence<CharacteristicID>) {
        changes += 1
        for id in ids { lastChanges[id] = changes }
    }

    /// Records writes that are being sent.
    mutating func writing(_ writes: [AccessoryWrite], now: ContinuousClock.Instant) {
        willWrite(writes.map(\.id))
        recentWrites = recentWrites.filter { now < $0.value.time + Self.recentWriteTime }
        for write in writes {
            written.insert(write.id)
            recentWrites[write.id] = (write.value, now)
        }
    }

    /// Stores the value of an accepted write.
    mutating func wrote(_ value: CharacteristicValue, to id: CharacteristicID, now: ContinuousClock.Instant) {
        written.insert(id)
        recentWrites[id]?.time = now
        known[id] = value
    }

    // MARK: Lost events

    /// Begins a check for lost events.
    ///
    /// - Parameters:
    ///   - ids: The characteristics to read.
    ///   - reported: The characteristics whose changes the accessory reports.
    /// - Returns: The characteristics whose changes the accessory must have reported with events.
    mutating func beginCheck(
        of ids: [CharacteristicID], reported: Set<CharacteristicID>
    ) -> Set<CharacteristicID> {
        defer { written.subtract(ids) }
        return reported.subtracting(written)
    }
}
