import HomeModel
import Logging

/// The past values of accessories and the activity: those in the store, and those recorded since the last write to it.
final class ValueHistory {
    private let store: any HistoryStore
    private let interval: Duration
    private let logger: Logger
    private var pending: [HistorySample] = []
    /// The values that are being stored.
    private var saving: [HistorySample] = []
    /// The last recorded measurement of each characteristic: its index in `pending`, and the time of the first value
    /// recorded at that index.
    private var measurements: [Characteristic.ID: (index: Int, since: Timestamp)] = [:]
    /// The time of the next write; `nil` if there are no values.
    private(set) var nextDeadline: ContinuousClock.Instant?
    private var isSaving = false
    private var activity = ActivityLog()

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

    /// A number that increases with each change of the activity.
    var activityRevision: UInt64 { activity.revision }

    /// Records activity; returns whether there is a new deadline.
    func recordActivity(_ record: (inout ActivityLog) -> Void) -> Bool {
        let before = activity.size
        record(&activity)
        guard activity.size > before else { return false }
        let isFull = before < ActivityLog.maximumPending && activity.size >= ActivityLog.maximumPending
        guard nextDeadline == nil || isFull else { return false }
        nextDeadline = isFull ? .now : .now + interval
        return true
    }

    /// Returns a Boolean value that indicates whether ``save()`` must be called.
    func deadlinePassed(now: ContinuousClock.Instant) -> Bool {
        guard let deadline = nextDeadline, deadline <= now else { return false }
        nextDeadline = pending.isEmpty && activity.isEmpty ? nil : now + interval
        return !isSaving
    }

    /// Stores the recorded values and activity.
    ///
    /// If that fails, they are stored together with later ones.
    func save() async {
        guard !isSaving, !pending.isEmpty || !activity.isEmpty else { return }
        isSaving = true
        defer { isSaving = false }
        take()
        do {
            try await store.append(saving, activity.take())
            activity.saved(isStored: true)
        } catch {
            activity.saved(isStored: false)
            logger.error("history write failed", metadata: ["error": "\(error)"])
            putBack()
        }
        saving = []
    }

    /// Stores the recorded values if they include the requested characteristic, and returns past values from the store.
    func entries(_ request: HistoryRequest) async throws -> [HistoryEntry] {
        if pending.contains(where: { $0.characteristic == request.characteristic }) { await save() }
        return try await store.entries(request)
    }

    /// Returns entries of the activity, newest first.
    ///
    /// Entries that aren't stored yet are included without storing them, so that apps can load the activity often.
    func activity(_ query: ActivityQuery) async throws -> [ActivityEntry] {
        let unsaved = activity.unsaved
        let stored = try await store.activity(query)
        var entries = Dictionary(stored.map { ($0.id, $0) }) { $1 }
        for entry in unsaved + activity.unsaved { entries[entry.id] = query.part(of: entry) }
        return Array(entries.values.sorted { $0.id > $1.id }.prefix(query.count))
    }

    /// Deletes the past values and the activity of an accessory of a home, or of all of them.
    func remove(_ accessory: Accessory?, of home: Home) async throws {
        let accessories = accessory.map { [$0] } ?? home.accessories
        let characteristics = Set(accessories.flatMap(\.services).flatMap(\.characteristics).map(\.id))
        pending.removeAll { characteristics.contains($0.characteristic) }
        saving.removeAll { characteristics.contains($0.characteristic) }
        // The indexes in `measurements` are no longer valid.
        measurements = [:]
        if let accessory {
            activity.remove { $0.accessory == accessory.id }
            try await store.remove(accessory.id, characteristics: characteristics)
        } else {
            activity.removeAll(of: home.id)
            try await store.remove(home.id, characteristics: characteristics)
        }
    }

    /// Removes the past values and activity of all objects except the given ones.
    func removeAll(except objects: HistoryObjects) async {
        activity.remove { change in change.accessory.map { !objects.accessories.contains($0) } ?? false }
        activity.keepRates(of: objects.accessories)
        do {
            try await store.removeAll(except: objects)
        } catch {
            logger.error("history write failed", metadata: ["error": "\(error)"])
        }
    }

    private func take() {
        (saving, pending, measurements, nextDeadline) = (pending, [], [:], nil)
    }

    private func putBack() {
        pending = saving + pending
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
