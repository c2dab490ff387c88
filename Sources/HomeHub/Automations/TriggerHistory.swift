import BoundedJSON
import HomeModel

/// The history entries of automations whose actions are in progress, and the entries that aren't stored yet.
struct TriggerHistory {
    /// The outcomes of a part of a run.
    private struct Part {
        let plan: UInt64
        var outcomes: [ActionOutcome] = []
        /// A Boolean value that indicates whether all actions have ended.
        var isOver = false
    }

    /// An entry with the outcomes of the parts of its run.
    private struct Entry {
        var record: TriggerRecord
        /// The parts, in order.
        var parts: [Part] = []
        /// The outcomes from before a restart of the hub.
        let former: [ActionOutcome]

        var isInProgress: Bool { parts.contains { !$0.isOver } }
    }

    private var current: [RunID: Entry] = [:]
    /// The entries to store, oldest first for each trigger: entries with new outcomes, and entries that couldn't be
    /// stored.
    private var unsaved: [Trigger.ID: LastRecords] = [:]
    /// The entries that are being stored; `nil` if none are.
    private var saving: [TriggerRecord]?
    /// The latest entries of automations.
    private var latest: [Trigger.ID: TriggerRecord] = [:]
    /// The homes whose latest entries have been loaded.
    private var homesWithLatest: Set<Home.ID> = []
    private var recent = RecentHistories()

    /// Adds an entry that isn't stored.
    mutating func add(_ record: TriggerRecord) {
        save(record)
        track(record)
    }

    /// Adds an entry that is stored.
    mutating func track(_ record: TriggerRecord) {
        latest[record.trigger] = record
        recent.put(record)
        resume(record)
    }

    /// Adds the entry of a run that continues after a restart of the hub.
    mutating func resume(_ record: TriggerRecord) {
        guard let run = record.runID else { return }
        current[run] = Entry(record: record, former: record.outcomes)
        // Later runs have replaced earlier runs, whose outcomes no longer change.
        let ofTrigger = current.keys.filter { $0.trigger == record.trigger }.sorted { $0.number < $1.number }
        for run in ofTrigger.dropLast(Self.latestRuns) where current[run]?.isInProgress == false { current[run] = nil }
    }

    /// Adds a part to the entry of its run.
    ///
    /// The entry is kept until ``update(_:_:)`` has reported the end of all actions.
    mutating func begin(_ plan: RunPlan.ID) {
        guard current[plan.run]?.parts.contains(where: { $0.plan == plan.number }) == false else { return }
        current[plan.run]?.parts.append(Part(plan: plan.number))
    }

    /// Returns the entry of a run; `nil` if it isn't known.
    func record(of run: RunID) -> TriggerRecord? { current[run]?.record }

    /// Updates the outcomes of a part of a run; returns the changed entry.
    mutating func update(_ plan: RunPlan.ID, _ outcomes: [ActionOutcome]) -> TriggerRecord? {
        begin(plan)
        guard var entry = current[plan.run] else { return nil }
        for index in entry.parts.indices where entry.parts[index].plan == plan.number {
            entry.parts[index].outcomes = outcomes
            entry.parts[index].isOver = outcomes.allSatisfy { $0.time != nil }
        }
        let all = entry.former + entry.parts.flatMap(\.outcomes)
        let isChanged = all != entry.record.outcomes
        entry.record.outcomes = all
        current[plan.run] = entry
        guard isChanged else { return nil }
        if latest[plan.run.trigger]?.id == entry.record.id { latest[plan.run.trigger] = entry.record }
        save(entry.record)
        return entry.record
    }

    /// Forgets the entries of removed triggers and homes.
    mutating func keep(where isPresent: (Trigger.ID) -> Bool, homes: [Home.ID]) {
        latest = latest.filter { isPresent($0.key) }
        homesWithLatest.formIntersection(homes)
        current = current.filter { isPresent($0.key.trigger) }
        unsaved = unsaved.filter { isPresent($0.key) }
        recent.keep(where: isPresent)
    }

    // MARK: Latest entries

    /// Returns a Boolean value that indicates whether ``latest(of:)`` knows the entries of a home's automations.
    func hasLatest(of home: Home.ID) -> Bool { homesWithLatest.contains(home) }

    /// Keeps the latest entries of a home's automations, newest first, except those that newer ones have replaced.
    mutating func keepLatest(_ records: [TriggerRecord], of home: Home.ID) {
        homesWithLatest.insert(home)
        for record in records where latest[record.trigger] == nil { latest[record.trigger] = record }
    }

    /// Returns the latest entry of an automation; `nil` if there is none.
    func latest(of trigger: Trigger.ID) -> TriggerRecord? { latest[trigger] }

    // MARK: Recent histories

    /// Prepares to read the stored entries of an automation.
    mutating func beginReading(_ trigger: Trigger.ID) {
        recent.begin(trigger, with: merged([]) { $0 == trigger }.reversed())
    }

    /// Keeps the stored entries of an automation, newest first.
    mutating func endReading(_ trigger: Trigger.ID, _ stored: [TriggerRecord]) {
        recent.complete(trigger, with: stored)
    }

    /// Returns the JSON of the complete history of an automation, newest first; `nil` if it must be read first.
    mutating func json(of trigger: Trigger.ID) -> JSONValue? { recent.json(of: trigger) }

    // MARK: Storing

    /// Returns a Boolean value that indicates whether the hub must start a loop that calls ``take()``.
    mutating func beginSaving() -> Bool {
        guard saving == nil, !unsaved.isEmpty else { return false }
        saving = []
        return true
    }

    /// Removes and returns the entries to store; `nil` if there are none, which ends the loop.
    mutating func take() -> [TriggerRecord]? {
        saving = unsaved.isEmpty ? nil : unsaved.values.flatMap(\.all)
        unsaved = [:]
        return saving
    }

    /// Keeps the entries that couldn't be stored, for the next attempt.
    mutating func keepUnsaved() {
        let newer = unsaved
        unsaved = [:]
        for record in (saving ?? []) + newer.values.flatMap(\.all) {
            unsaved[record.trigger, default: LastRecords()].put(record)
        }
        saving = nil
    }

    /// Returns the given stored entries, updated and completed with the entries in memory, newest first.
    func merged(_ stored: [TriggerRecord], where isIncluded: (Trigger.ID) -> Bool) -> [TriggerRecord] {
        var records = Dictionary(stored.map { ($0.id, $0) }) { $1 }
        let inMemory = (saving ?? []) + unsaved.values.flatMap(\.all) + current.values.map(\.record)
        for record in inMemory where isIncluded(record.trigger) { records[record.id] = record }
        return records.values.sorted(by: TriggerRecord.isNewer)
    }

    private mutating func save(_ record: TriggerRecord) {
        unsaved[record.trigger, default: LastRecords()].put(record)
        recent.put(record)
    }

    /// The number of a trigger's latest entries that are kept, because more outcomes can follow a wait.
    ///
    /// They are the entries of a run, of the run that replaces it, and of the ends of both.
    private static let latestRuns = 4
}

extension TriggerRecord {
    /// The run whose actions the entry lists; `nil` for an evaluation without a run.
    var runID: RunID? {
        guard let run else { return nil }
        switch result {
        case .ran: return RunID(trigger: trigger, number: run)
        case .ended: return RunID(trigger: trigger, number: run, isEnd: true)
        default: return nil
        }
    }
}
