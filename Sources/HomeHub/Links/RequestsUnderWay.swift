import HAPController
import HAPModel

/// Holds reports of values back that come while the same values are being read or written.
///
/// What a read finds reaches the hub twice, as the answer and as a report, and in any order; whoever asked has it in its
/// answer and is not told again. An event that comes meanwhile is newer than what was asked for, and is told behind it.
struct RequestsUnderWay: Sendable, Equatable {
    private var counts: [CharacteristicID: Int] = [:]
    private var late: [CharacteristicID: Reading] = [:]
    /// The number of write requests, and of the last one for each value.
    private(set) var writeCount = 0
    private var lastWrites: [CharacteristicID: Int] = [:]

    /// Values are being read or written.
    mutating func begin(_ ids: some Sequence<CharacteristicID>) { for id in ids { counts[id, default: 0] += 1 } }

    /// Values were reported.
    ///
    /// - Returns: what can be notified at once.
    mutating func received(_ readings: [CharacteristicID: Reading]) -> [CharacteristicID: Reading] {
        guard !counts.isEmpty else { return readings }
        late.merge(readings.filter { counts[$0.key] != nil }) { $1 }
        return readings.filter { counts[$0.key] == nil }
    }

    /// Values are about to be written: what was reported of them before is not held back any more.
    ///
    /// - Returns: the reports that were held back until now; they are older than what is written.
    mutating func willWrite(_ ids: some Sequence<CharacteristicID>) -> [CharacteristicID: Reading] {
        var older: [CharacteristicID: Reading] = [:]
        writeCount += 1
        for id in ids {
            older[id] = late.removeValue(forKey: id)
            lastWrites[id] = writeCount
        }
        return older
    }

    /// Returns the readings that no write has made stale.
    ///
    /// - Parameters:
    ///   - readings: the answer to a read.
    ///   - count: ``writeCount`` when the read began.
    /// - Returns: the readings of values that weren't written since.
    func current(_ readings: [CharacteristicID: Reading], since count: Int) -> [CharacteristicID: Reading] {
        readings.filter { lastWrites[$0.key, default: 0] <= count }
    }

    /// The answer came, or never will.
    ///
    /// - Returns: the reports that were held back.
    mutating func end(_ ids: some Sequence<CharacteristicID>) -> [CharacteristicID: Reading] {
        var kept: [CharacteristicID: Reading] = [:]
        for id in ids {
            kept[id] = late.removeValue(forKey: id) ?? kept[id]
            guard let count = counts[id] else { continue }
            counts[id] = count > 1 ? count - 1 : nil
        }
        return kept
    }
}
