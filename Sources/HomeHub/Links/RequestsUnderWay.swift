import HAPController
import HAPModel

/// Holds back reports of values that are being read or written.
///
/// The link reports current answers to reads like events; they are applied when the request ends, without a notification to the
/// session that has them in its answer. An event that arrives during a write is newer than the write, and is applied after it.
struct RequestsUnderWay: Sendable, Equatable {
    private var counts: [CharacteristicID: Int] = [:]
    private var late: [CharacteristicID: Reading] = [:]

    /// Values are being read or written.
    mutating func begin(_ ids: some Sequence<CharacteristicID>) { for id in ids { counts[id, default: 0] += 1 } }

    /// Values were reported; returns the readings to apply at once.
    mutating func received(_ readings: [CharacteristicID: Reading]) -> [CharacteristicID: Reading] {
        guard !counts.isEmpty else { return readings }
        late.merge(readings.filter { counts[$0.key] != nil }) { $1 }
        return readings.filter { counts[$0.key] == nil }
    }

    /// Values are about to be written: earlier reports are no longer held back.
    ///
    /// - Returns: the reports that were held back until now; they are older than the write.
    mutating func willWrite(_ ids: some Sequence<CharacteristicID>) -> [CharacteristicID: Reading] {
        var older: [CharacteristicID: Reading] = [:]
        for id in ids { older[id] = late.removeValue(forKey: id) }
        return older
    }

    /// The answer came, or never will; returns the reports that were held back.
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
