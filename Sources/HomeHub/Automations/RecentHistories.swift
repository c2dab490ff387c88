import BoundedJSON
import HomeModel

/// The last entries of an automation, oldest first.
struct LastRecords {
    private(set) var all: [TriggerRecord] = []

    /// Adds the latest entry, or replaces the former version of an entry.
    mutating func put(_ record: TriggerRecord) {
        if let index = all.lastIndex(where: { $0.id == record.id }) {
            all[index] = record
        } else {
            all.append(record)
            if all.count > TriggerLimits.records { all.removeFirst() }
        }
    }
}

/// The histories of the automations that apps have asked about last.
///
/// Apps ask again after each run. A read from the database would wait until earlier writes are on the disk.
struct RecentHistories {
    private struct History {
        let trigger: Trigger.ID
        var records = LastRecords()
        var texts = EncodedTexts<TriggerRecord.ID, TriggerRecord>()
        /// A Boolean value that indicates whether the stored entries have been added.
        var isComplete = false
    }

    /// The histories, in the order of their last requests.
    private var histories: [History] = []

    /// Starts to collect the new entries of an automation before its stored entries are read.
    ///
    /// - Parameters:
    ///   - trigger: The automation.
    ///   - records: The entries that may not be stored yet, oldest first.
    mutating func begin(_ trigger: Trigger.ID, with records: [TriggerRecord]) {
        guard !histories.contains(where: { $0.trigger == trigger }) else { return }
        if histories.count == Self.limit { histories.removeFirst() }
        histories.append(History(trigger: trigger))
        records.forEach { put($0) }
    }

    /// Adds an entry, or its new version.
    mutating func put(_ record: TriggerRecord) {
        guard let index = histories.firstIndex(where: { $0.trigger == record.trigger }) else { return }
        histories[index].records.put(record)
    }

    /// Adds the stored entries of an automation, newest first.
    mutating func complete(_ trigger: Trigger.ID, with stored: [TriggerRecord]) {
        guard let index = histories.firstIndex(where: { $0.trigger == trigger }) else { return }
        var records = LastRecords()
        for record in stored.reversed() + histories[index].records.all { records.put(record) }
        histories[index].records = records
        histories[index].isComplete = true
    }

    /// Returns the JSON of an automation's entries, newest first; `nil` if the stored entries must be read first.
    mutating func json(of trigger: Trigger.ID) -> JSONValue? {
        guard let index = histories.firstIndex(where: { $0.trigger == trigger && $0.isComplete }) else { return nil }
        var history = histories.remove(at: index)
        defer { histories.append(history) }
        return history.texts.json(of: history.records.all.sorted(by: TriggerRecord.isNewer), by: \.id)
    }

    /// Forgets removed automations.
    mutating func keep(where isPresent: (Trigger.ID) -> Bool) { histories.removeAll { !isPresent($0.trigger) } }

    private static let limit = 8
}

extension TriggerRecord {
    /// Returns a Boolean value that indicates whether the first entry comes before the second in an answer.
    static func isNewer(_ first: TriggerRecord, _ second: TriggerRecord) -> Bool {
        (first.time, first.run ?? 0) > (second.time, second.run ?? 0)
    }
}
