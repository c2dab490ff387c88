package import HomeModel

/// The storage for past values of characteristics.
///
/// The store decides how long it keeps them. Like the ``HomeStore``, it never blocks the hub's executor.
package protocol HistoryStore: Sendable {
    /// Adds past values, in chronological order for each characteristic, and removes values that exceed the maximum age
    /// or number.
    ///
    /// - Throws: The store's error. Nothing is stored in that case.
    func append(_ samples: [HistorySample]) async throws

    /// Returns past values, as described for `HistoryRequest`.
    func entries(_ request: HistoryRequest) async throws -> [HistoryEntry]

    /// Removes the past values of all characteristics except the given ones.
    func removeAll(except ids: Set<Characteristic.ID>) async throws
}

/// A past value of a characteristic.
package struct HistorySample: Sendable, Hashable {
    package var characteristic: Characteristic.ID
    package var entry: HistoryEntry

    package init(_ characteristic: Characteristic.ID, _ entry: HistoryEntry) {
        self.characteristic = characteristic
        self.entry = entry
    }
}
