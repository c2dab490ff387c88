import HomeModel
import Logging

package import enum HAPModel.CharacteristicValue

/// The values that accessories have reported since they were last stored.
final class UnsavedValues {
    private let store: any HomeStore
    private let interval: Duration
    private let logger: Logger
    private var values: [Characteristic.ID: TimestampedValue] = [:]
    /// When they are to be stored; `nil` if there are none, or they could not be stored and wait for others.
    private(set) var nextDeadline: ContinuousClock.Instant?

    init(store: any HomeStore, interval: Duration, logger: Logger) {
        self.store = store
        self.interval = interval
        self.logger = logger
    }

    /// A value was reported.
    ///
    /// - Returns: whether there is a new deadline.
    func changed(_ id: Characteristic.ID, to value: TimestampedValue) -> Bool {
        values[id] = value
        guard nextDeadline == nil else { return false }
        nextDeadline = .now.advanced(by: interval)
        return true
    }

    func deadlinePassed(now: ContinuousClock.Instant) {
        if let nextDeadline, nextDeadline <= now { save() }
    }

    /// Stores them.
    func save() {
        nextDeadline = nil
        guard !values.isEmpty else { return }
        do {
            try store.save(values)
            values = [:]
        } catch {
            // They stay, and go with the next.
            logger.error("value save failed", metadata: ["error": "\(error)"])
        }
    }
}

/// A value of a characteristic, and when it was reported.
package struct TimestampedValue: Sendable, Hashable {
    package var value: CharacteristicValue
    /// In milliseconds since 1970 (UTC).
    package var time: Int64

    package init(_ value: CharacteristicValue, at time: Int64) {
        self.value = value
        self.time = time
    }
}
