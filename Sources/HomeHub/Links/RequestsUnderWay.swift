import HAPController
import HAPModel

/// Delays reports of values that are being read or written.
///
/// The link reports the values in the answer to a read in the same way as events. These values are applied when the
/// request ends, and the session that receives them in its answer isn't notified. An event that arrives during a write
/// is newer than the write and is applied after it.
struct RequestsUnderWay: Sendable, Equatable {
    private var counts: [CharacteristicID: Int] = [:]
    private var late: [CharacteristicID: Reading] = [:]

    /// Begins a read or write of values.
    mutating func begin(_ ids: some Sequence<CharacteristicID>) { for id in ids { counts[id, default: 0] += 1 } }

    /// Handles reported values; returns the readings to apply immediately.
    mutating func received(_ readings: [CharacteristicID: Reading]) -> [CharacteristicID: Reading] {
        guard !counts.isEmpty else { return readings }
        late.merge(readings.filter { counts[$0.key] != nil }) { $1 }
        return readings.filter { counts[$0.key] == nil }
    }

    /// Releases earlier reports before a write.
    ///
    /// - Returns: The delayed reports, which are older than the write.
    mutating func willWrite(_ ids: some Sequence<CharacteristicID>) -> [CharacteristicID: Reading] {
        var older: [CharacteristicID: Reading] = [:]
        for id in ids { older[id] = late.removeValue(forKey: id) }
        return older
    }

    /// Ends a request, answered or not; returns the delayed reports.
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
