package import HomeModel
import Logging

package import enum HAPModel.CharacteristicValue

/// The values that accessories have reported since the last write to the store.
final class UnsavedValues {
    private let store: any HomeStore
    private let interval: Duration
    private let logger: Logger
    private var values: [Characteristic.ID: TimestampedValue] = [:]
    /// The time of the next write; `nil` if there are no values, or if a failed write is retried only after the next
    /// report.
    private(set) var nextDeadline: ContinuousClock.Instant?
    private var isSaving = false
    /// A Boolean value that indicates whether another write must follow.
    private var isDue = false

    init(store: any HomeStore, interval: Duration, logger: Logger) {
        self.store = store
        self.interval = interval
        self.logger = logger
    }

    /// Adds a reported value; returns whether there is a new deadline.
    func changed(_ id: Characteristic.ID, to value: TimestampedValue) -> Bool {
        values[id] = value
        guard nextDeadline == nil else { return false }
        nextDeadline = .now.advanced(by: interval)
        return true
    }

    /// Returns a Boolean value that indicates whether ``save()`` must be called.
    func deadlinePassed(now: ContinuousClock.Instant) -> Bool {
        guard let deadline = nextDeadline, deadline <= now else { return false }
        nextDeadline = nil
        isDue = true
        return !isSaving
    }

    /// Stores the values.
    ///
    /// If the next deadline passes while the disk is busy, also stores the values reported in the meantime.
    func save() async {
        guard !isSaving else { return }
        isSaving = true
        defer { isSaving = false }
        repeat {
            isDue = false
            let saved = values
            guard !saved.isEmpty else { break }
            values = [:]
            do {
                try await store.save(saved)
            } catch {
                // The next write includes these values.
                values.merge(saved) { newer, _ in newer }
                logger.error("value save failed", metadata: ["error": "\(error)"])
                break
            }
        } while isDue
    }
}

/// A value of a characteristic with the time of its report.
package struct TimestampedValue: Sendable, Hashable {
    package var value: CharacteristicValue
    package var time: Timestamp

    package init(_ value: CharacteristicValue, at time: Timestamp) {
        self.value = value
        self.time = time
    }
}
