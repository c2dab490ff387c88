import HomeHub
import HomeModel
import Synchronization

/// An in-memory history that a test can break.
final class TestHistory: HistoryStore {
    struct Broken: Error {}

    private let state = Mutex<(samples: [HistorySample], batches: Int, isBroken: Bool)>(([], 0, false))

    /// The number of stored batches.
    var batches: Int { state.withLock(\.batches) }

    func breakDown(_ isBroken: Bool) { state.withLock { $0.isBroken = isBroken } }

    func append(_ samples: [HistorySample]) async throws {
        try state.withLock { state in
            guard !state.isBroken else { throw Broken() }
            state.samples += samples
            state.batches += 1
        }
    }

    func entries(_ request: HistoryRequest) async throws -> [HistoryEntry] {
        state.withLock { $0.samples.filter { $0.characteristic == request.characteristic }.map(\.entry) }
    }

    func removeAll(except ids: Set<Characteristic.ID>) async throws {
        state.withLock { state in state.samples.removeAll { !ids.contains($0.characteristic) } }
    }
}
