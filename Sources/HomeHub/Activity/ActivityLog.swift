import HomeModel

import enum HAPModel.CharacteristicValue

/// The latest entries of the activity, which aren't stored yet.
///
/// Changes with the same cause form one entry:
///
/// - All changes of a call or of a run of an automation belong together.
/// - Values that an accessory reports within ``reportInterval`` belong together.
/// - A gradual change, such as a slider that is being dragged, continues the previous change of the same value.
struct ActivityLog {
    /// A group of changes with one cause.
    enum Act: Sendable, Hashable {
        /// An app's call.
        case call(Call)
        /// A run of an automation.
        case run(RunID)
        /// The accessory itself.
        case report(Accessory.ID)
        /// A change of a home that no app requested.
        case change(Home.ID, revision: UInt64)
        /// An automation that didn't run.
        case evaluation(TriggerRecord.ID)
    }

    /// The entry that an act continues, and the time of its last change.
    private struct Latest {
        let id: ActivityEntry.ID
        var time: Timestamp
    }

    /// A gradual change of a value by one app or accessory.
    private struct Gradual: Hashable {
        let characteristic: Characteristic.ID
        let cause: ActivityCause
    }

    /// The number of an accessory's own changes in a period.
    private struct Rate {
        var start: Timestamp
        var count: Int
    }

    /// The entries that will be stored with the next write, oldest first.
    private var pending: [ActivityEntry] = []
    /// The entries that are being stored.
    private var saving: [ActivityEntry] = []
    private var lastID = ActivityEntry.ID(number: 0)
    private var latest: [Act: Latest] = [:]
    private var gradual: [Gradual: Latest] = [:]
    private var rates: [Accessory.ID: Rate] = [:]

    /// The number of entries and changes that will be stored with the next write.
    private(set) var size = 0
    /// A number that increases with each change of the entries.
    private(set) var revision: UInt64 = 0

    var isEmpty: Bool { pending.isEmpty }

    // MARK: Recording

    /// Adds an entry for the act, unless it already has one.
    mutating func begin(_ act: Act, because cause: ActivityCause, in home: Home.ID, at time: Timestamp) {
        if index(latest[act], at: time, within: Self.actInterval) == nil {
            _ = append(act, ActivityEntry(id: makeID(time), home: home, time: time, cause: cause))
        }
        dropOldest()
    }

    /// Adds a change.
    ///
    /// It's dropped if the accessory reports too many changes.
    mutating func add(
        _ change: ActivityChange, of act: Act, because cause: ActivityCause, in home: Home.ID, at time: Timestamp,
        isGradual: Bool = false
    ) {
        defer { dropOldest() }
        if case .report(let accessory) = act, !isGradual, !admits(accessory, at: time) { return }
        let key = change.characteristic.map { Gradual(characteristic: $0, cause: cause) }
        if isGradual, !cause.isRun, let key, let index = index(gradual[key], at: time, within: Self.gradualInterval) {
            update(index) { $0.replaceValue(change) }
            gradual[key]?.time = time
            latest[act] = Latest(id: pending[index].id, time: time)
            return
        }
        let index =
            continued(by: change, of: act, at: time)
            ?? append(act, ActivityEntry(id: makeID(time), home: home, time: time, cause: cause))
        update(index) { $0.add(change) }
        latest[act]?.time = time
        if isGradual, let key { gradual[key] = Latest(id: pending[index].id, time: time) }
    }

    /// Removes the failure of an earlier attempt to write a value.
    mutating func succeeded(_ characteristic: Characteristic.ID, of act: Act) {
        guard let index = index(latest[act], at: nil, within: .zero) else { return }
        update(index) { entry in
            entry.changes.removeAll { change in
                guard case .failure(_, characteristic, _, _) = change else { return false }
                return true
            }
        }
    }

    /// Returns the index of the act's entry if the change continues it.
    private func continued(by change: ActivityChange, of act: Act, at time: Timestamp) -> Int? {
        guard case .report = act else { return index(latest[act], at: time, within: Self.actInterval) }
        // Each change of the same value is a separate entry, such as motion and no motion.
        guard let characteristic = change.characteristic,
            let index = index(latest[act], at: time, within: Self.reportInterval),
            !pending[index].changes.contains(where: { $0.characteristic == characteristic || $0.characteristic == nil })
        else { return nil }
        return index
    }

    private func index(_ latest: Latest?, at time: Timestamp?, within interval: Duration) -> Int? {
        guard let latest else { return nil }
        if let time, !(Duration.zero...interval).contains(latest.time.duration(to: time)) { return nil }
        return pending.lastIndex { $0.id == latest.id }
    }

    private mutating func append(_ act: Act, _ entry: ActivityEntry) -> Int {
        pending.append(entry)
        size += entry.size
        revision += 1
        latest[act] = Latest(id: entry.id, time: entry.time)
        return pending.count - 1
    }

    private mutating func update(_ index: Int, _ change: (inout ActivityEntry) -> Void) {
        let former = pending[index]
        change(&pending[index])
        guard pending[index] != former else { return }
        size += pending[index].size - former.size
        revision += 1
    }

    /// Drops the oldest entries beyond the maximum, which is needed while the store fails or doesn't return.
    private mutating func dropOldest() {
        guard size > 2 * Self.maximumPending else { return }
        var count = 0
        while size > Self.maximumPending, count < pending.count {
            size -= pending[count].size
            count += 1
        }
        pending.removeFirst(count)
        let kept = Set(pending.map(\.id))
        latest = latest.filter { kept.contains($0.value.id) }
        gradual = gradual.filter { kept.contains($0.value.id) }
    }

    private mutating func makeID(_ time: Timestamp) -> ActivityEntry.ID {
        let isAhead = time.duration(to: lastID.time) > Self.maximumLead
        lastID = isAhead ? .first(at: time) : max(.first(at: time), lastID.next)
        return lastID
    }

    private mutating func admits(_ accessory: Accessory.ID, at time: Timestamp) -> Bool {
        var rate = rates[accessory] ?? Rate(start: time, count: 0)
        if !(.zero..<Self.period).contains(rate.start.duration(to: time)) { rate = Rate(start: time, count: 0) }
        rate.count += 1
        rates[accessory] = rate
        return rate.count <= Self.changesInPeriod
    }

    // MARK: Storing

    /// Removes and returns the entries to store.
    mutating func take() -> [ActivityEntry] {
        saving = pending
        (pending, size, latest, gradual) = ([], 0, [:], [:])
        return saving
    }

    /// Handles the end of the write of the taken entries.
    mutating func saved(isStored: Bool) {
        if !isStored {
            pending = saving + pending
            measure()
            dropOldest()
        }
        saving = []
    }

    private mutating func measure() { size = pending.reduce(0) { $0 + $1.size } }

    /// Returns the entries that may not be stored yet, oldest first.
    var unsaved: [ActivityEntry] { saving + pending }

    /// Removes matching changes, and the entries without other changes.
    mutating func remove(where isRemoved: (ActivityChange) -> Bool) {
        func remaining(_ entries: [ActivityEntry]) -> [ActivityEntry] {
            entries.compactMap { entry in
                var entry = entry
                let wasEmpty = entry.changes.isEmpty
                entry.changes = entry.changes.filter { !isRemoved($0) }
                return entry.changes.isEmpty && !wasEmpty ? nil : entry
            }
        }
        (pending, saving) = (remaining(pending), remaining(saving))
        measure()
        revision += 1
    }

    /// Forgets the rates of accessories that are no longer in a home.
    mutating func keepRates(of accessories: Set<Accessory.ID>) {
        rates = rates.filter { accessories.contains($0.key) }
    }

    /// Removes all entries of a home.
    mutating func removeAll(of home: Home.ID) {
        pending.removeAll { $0.home == home }
        saving.removeAll { $0.home == home }
        measure()
        revision += 1
    }
}

extension ActivityEntry {
    /// The number of stored objects: the entry itself and its changes.
    fileprivate var size: Int { 1 + changes.count }

    /// Adds a change, unless there are too many.
    ///
    /// A later result for the same value replaces a failure.
    fileprivate mutating func add(_ change: ActivityChange) {
        if let id = change.characteristic {
            changes.removeAll { former in
                guard case .failure(_, id, _, _) = former else { return false }
                return true
            }
        }
        guard changes.count < Self.maximumChanges else { return }
        changes.append(change)
    }

    /// Replaces the new value of a change.
    fileprivate mutating func replaceValue(_ change: ActivityChange) {
        guard case .value(let accessory, let characteristic, _, let new) = change,
            let index = changes.lastIndex(where: { $0.characteristic == characteristic }),
            case .value(_, _, let old, _) = changes[index]
        else { return add(change) }
        changes[index] = .value(accessory: accessory, characteristic: characteristic, old: old, new: new)
    }
}
