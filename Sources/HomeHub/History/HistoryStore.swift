package import HomeModel

/// The storage for past values of characteristics, and for the activity.
///
/// The store decides how long it keeps them. Like the ``HomeStore``, it never blocks the hub's executor.
package protocol HistoryStore: Sendable {
    /// Adds past values, in chronological order for each characteristic, and entries of the activity, and removes those
    /// that exceed the maximum age or number.
    ///
    /// - Throws: The store's error. Nothing is stored in that case.
    func append(_ samples: [HistorySample], _ activity: [ActivityEntry]) async throws

    /// Returns past values, as described for `HistoryRequest`.
    func entries(_ request: HistoryRequest) async throws -> [HistoryEntry]

    /// Returns entries of the activity, newest first.
    func activity(_ query: ActivityQuery) async throws -> [ActivityEntry]

    /// Removes all past values and changes except those of the given objects.
    func removeAll(except objects: HistoryObjects) async throws

    /// Removes the past values and changes of an accessory.
    func remove(_ accessory: Accessory.ID, characteristics: Set<Characteristic.ID>) async throws

    /// Removes the activity of a home, and the past values of the given characteristics.
    func remove(_ home: Home.ID, characteristics: Set<Characteristic.ID>) async throws
}

/// The objects whose history is kept.
package struct HistoryObjects: Sendable {
    package var homes: Set<Home.ID> = []
    package var accessories: Set<Accessory.ID> = []
    package var characteristics: Set<Characteristic.ID> = []

    package init() {}

    init(_ graph: HomeGraph) {
        homes = Set(graph.homes.map(\.id))
        for accessory in graph.homes.lazy.flatMap(\.accessories) {
            accessories.insert(accessory.id)
            characteristics.formUnion(accessory.services.lazy.flatMap(\.characteristics).map(\.id))
        }
    }
}

/// A selection of entries of the activity.
package struct ActivityQuery: Sendable {
    package var home: Home.ID
    /// The accessories whose changes are returned, in entries without other changes; `nil` for all.
    package var accessories: Set<Accessory.ID>?
    package var ids: Range<ActivityEntry.ID>
    /// The maximum number of entries.
    package var count: Int

    package init(home: Home.ID, accessories: Set<Accessory.ID>?, ids: Range<ActivityEntry.ID>, count: Int) {
        self.home = home
        self.accessories = accessories
        self.ids = ids
        self.count = count
    }

    /// Returns the part of an entry that matches; `nil` if it doesn't match.
    package func part(of entry: ActivityEntry) -> ActivityEntry? {
        guard entry.home == home, ids.contains(entry.id) else { return nil }
        guard let accessories else { return entry }
        return entry.only(accessories)
    }
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
