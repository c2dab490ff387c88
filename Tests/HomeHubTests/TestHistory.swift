import HomeHub
import HomeModel
import Synchronization

/// An in-memory history that a test can break.
final class TestHistory: HistoryStore {
    struct Broken: Error {}

    private struct State {
        var samples: [HistorySample] = []
        var activity: [ActivityEntry] = []
        var batches = 0
        var isBroken = false
        var keepsRemovedAccessories = false

        mutating func removeChanges(of isRemoved: (Accessory.ID) -> Bool) {
            activity = activity.compactMap { entry in
                var entry = entry
                let wasEmpty = entry.changes.isEmpty
                entry.changes.removeAll { $0.accessory.map(isRemoved) ?? false }
                return entry.changes.isEmpty && !wasEmpty ? nil : entry
            }
        }
    }

    private let state = Mutex(State())

    /// The number of stored batches.
    var batches: Int { state.withLock(\.batches) }

    func breakDown(_ isBroken: Bool) { state.withLock { $0.isBroken = isBroken } }

    /// Keeps the values and activity of removed accessories, like a store whose removal fails.
    func keepRemovedAccessories() { state.withLock { $0.keepsRemovedAccessories = true } }

    /// The gate that writes pass.
    let gate = Gate()

    func append(_ samples: [HistorySample], _ activity: [ActivityEntry]) async throws {
        await gate.pass()
        try state.withLock { state in
            guard !state.isBroken else { throw Broken() }
            state.samples += samples
            state.activity += activity
            state.batches += 1
        }
    }

    func entries(_ request: HistoryRequest) async throws -> [HistoryEntry] {
        state.withLock { $0.samples.filter { $0.characteristic == request.characteristic }.map(\.entry) }
    }

    func activity(_ query: ActivityQuery) async throws -> [ActivityEntry] {
        let entries = state.withLock(\.activity).compactMap(query.part).sorted { $0.id > $1.id }
        return Array(entries.prefix(query.count))
    }

    func removeAll(except objects: HistoryObjects) async throws {
        state.withLock { state in
            guard !state.keepsRemovedAccessories else { return }
            state.samples.removeAll { !objects.characteristics.contains($0.characteristic) }
            state.removeChanges { !objects.accessories.contains($0) }
            state.activity.removeAll { !objects.homes.contains($0.home) }
        }
    }

    func remove(_ accessory: Accessory.ID, characteristics: Set<Characteristic.ID>) async throws {
        state.withLock { state in
            state.samples.removeAll { characteristics.contains($0.characteristic) }
            state.removeChanges { $0 == accessory }
        }
    }

    func remove(_ home: Home.ID, characteristics: Set<Characteristic.ID>) async throws {
        state.withLock { state in
            state.samples.removeAll { characteristics.contains($0.characteristic) }
            state.activity.removeAll { $0.home == home }
        }
    }
}
