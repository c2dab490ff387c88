import HomeModel
import Logging

/// The past values of accessories: the values in the store, and the values recorded since the last write to it.
final class ValueHistory {
    private let store: any HistoryStore
    private let interval: Duration
    private let logger: Logger
    private var pending: [HistorySample] = []
    /// The last recorded measurement of each characteristic: its index in `pending`, and the time of the first value
    /// recorded at that index.
    private var measurements: [Characteristic.ID: (index: Int, since: Timestamp)] = [:]
    /// The time of the next write; `nil` if there are no values.
    private(set) var nextDeadline: ContinuousClock.Instant?
    private var isSaving = false

    init(store: any HistoryStore, interval: Duration, logger: Logger) {
        self.store = store
        self.interval = interval
        self.logger = logger
    }

    /// Records a new value; returns whether there is a new deadline.
    ///
    /// A measurement replaces the previous measurement within the same ``measurementInterval``.
    func record(_ value: HistoryEntry, of id: Characteristic.ID, isMeasurement: Bool) -> Bool {
        let sample = HistorySample(id, value)
        if isMeasurement, let (index, since) = measurements[id],
            (.zero..<Self.measurementInterval).contains(since.duration(to: value.time))
        {
            pending[index] = sample
            return false
        }
        if pending.count == 2 * Self.maximumPending { dropOldest() }
        if isMeasurement { measurements[id] = (pending.count, value.time) }
        pending.append(sample)
        guard nextDeadline == nil || pending.count == Self.maximumPending else { return false }
        nextDeadline = pending.count < Self.maximumPending ? .now + interval : .now
        return true
    }

    /// Returns a Boolean value that indicates whether ``save()`` must be called.
    func deadlinePassed(now: ContinuousClock.Instant) -> Bool {
        guard let deadline = nextDeadline, deadline <= now else { return false }
        nextDeadline = pending.isEmpty ? nil : now + interval
        return !isSaving
    }

    /// Stores the recorded values.
    ///
    /// If that fails, they are stored together with later values.
    func save() async {
        guard !isSaving, !pending.isEmpty else { return }
        isSaving = true
        defer { isSaving = false }
        let saved = take()
        do {
            try await store.append(saved)
        } catch {
            logger.error("history write failed", metadata: ["error": "\(error)"])
            putBack(saved)
        }
    }

    /// Stores the recorded values if they include the requested characteristic, and returns past values from the store.
    func entries(_ request: HistoryRequest) async throws -> [HistoryEntry] {
        if pending.contains(where: { $0.characteristic == request.characteristic }) { await save() }
        return try await store.entries(request)
    }

    /// Removes the past values of all characteristics except the given ones.
    func removeAll(except ids: Set<Characteristic.ID>) async {
        do {
            try await store.removeAll(except: ids)
        } catch {
            logger.error("history write failed", metadata: ["error": "\(error)"])
        }
    }

    private func take() -> [HistorySample] {
        defer {
            pending = []
            measurements = [:]
            nextDeadline = nil
        }
        return pending
    }

    private func putBack(_ saved: [HistorySample]) {
        pending = saved + pending
        dropOldest()
        nextDeadline = .now + interval
    }

    /// Drops the oldest values beyond the maximum, which is needed while the store fails or doesn't return.
    private func dropOldest() {
        pending = pending.suffix(Self.maximumPending)
        // The indexes in `measurements` are no longer valid.
        measurements = [:]
    }
}
