internal import HAPModel
internal import HAPProtocol

/// The known values of an accessory server, and the order of answers, events and writes.
///
/// These reach the link in any order. A value that was read counts unless an event or a write of its characteristic came after the
/// read began: every later change is reported by another event, so the event's value is never the wrong one to keep.
struct LinkValues: Sendable {
    /// The time within which an event may be older than a write.
    private static let recentWriteTime = Duration.seconds(1)

    private var known: [CharacteristicID: CharacteristicValue] = [:]
    /// The number of events and writes.
    private(set) var changes = 0
    private var lastChanges: [CharacteristicID: Int] = [:]
    /// The values that we wrote since the last check: the accessory doesn't report their consequences to us (HAP 10.2).
    private var written: Set<CharacteristicID> = []
    /// Our newest writes: an event that contradicts one may be older than it.
    private var recentWrites: [CharacteristicID: (value: CharacteristicValue, time: ContinuousClock.Instant)] = [:]
    /// The characteristics whose known values may be wrong.
    private var uncertain: Set<CharacteristicID> = []

    /// A database was read.
    mutating func begin(with database: AccessoryDatabase) {
        (known, lastChanges, written) = ([:], [:], [])
        for (id, characteristic) in database.characteristics { known[id] = characteristic.value }
    }

    mutating func sessionEnded() { (recentWrites, uncertain) = ([:], []) }

    // MARK: Reads and events

    /// Returns the answer to a read without values that an event or a write has made stale; `began` is ``changes`` at its start.
    func current(_ readings: [CharacteristicID: Reading], since began: Int) -> [CharacteristicID: Reading] {
        readings.filter { lastChanges[$0.key, default: 0] <= began }
    }

    /// Current readings have arrived.
    ///
    /// - Returns: the characteristics whose value differs from the known one although we didn't write it.
    mutating func learned(_ readings: [CharacteristicID: Reading]) -> Set<CharacteristicID> {
        var changed: Set<CharacteristicID> = []
        for case (let id, .success(let value)) in readings {
            guard let former = known.updateValue(value, forKey: id), former != value else { continue }
            if !written.contains(id) { changed.insert(id) }
        }
        return changed
    }

    /// An event has arrived.
    ///
    /// - Returns: whether a value contradicts a write that is younger than a second: it must be read, because the accessory may
    ///   have gathered the event before the write.
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

    /// The answer to a write or a read is lost with its canceled caller.
    mutating func lostAnswer(about ids: some Sequence<CharacteristicID>) { uncertain.formUnion(ids) }

    /// Takes the characteristics to read because their known values may be wrong.
    mutating func takeUncertain() -> Set<CharacteristicID> {
        defer { uncertain = [] }
        return uncertain
    }

    // MARK: Writes

    /// Characteristics are about to be written: the answers to reads that began before are older.
    mutating func willWrite(_ ids: some Sequence<CharacteristicID>) {
        changes += 1
        for id in ids { lastChanges[id] = changes }
    }

    /// A write is sent.
    mutating func writing(_ writes: [AccessoryWrite], now: ContinuousClock.Instant) {
        willWrite(writes.map(\.id))
        recentWrites = recentWrites.filter { now < $0.value.time + Self.recentWriteTime }
        for write in writes {
            written.insert(write.id)
            recentWrites[write.id] = (write.value, now)
        }
    }

    /// The accessory has accepted a write.
    mutating func wrote(_ value: CharacteristicValue, to id: CharacteristicID, now: ContinuousClock.Instant) {
        written.insert(id)
        recentWrites[id]?.time = now
        known[id] = value
    }

    // MARK: Lost events

    /// A check for lost events begins.
    ///
    /// - Parameters:
    ///   - ids: the characteristics to read.
    ///   - reported: the characteristics that the accessory reports.
    /// - Returns: the characteristics whose events are the only source of changes.
    mutating func beginCheck(
        of ids: [CharacteristicID], reported: Set<CharacteristicID>
    ) -> Set<CharacteristicID> {
        defer { written.subtract(ids) }
        return reported.subtracting(written)
    }
}
