package import HomeModel
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
    /// Whether the store is writing some.
    private var isSaving = false
    /// Whether the others are to be stored once it has.
    private var isDue = false

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

    func deadlinePassed(now: ContinuousClock.Instant, in hub: isolated HomeHub) {
        guard let deadline = nextDeadline, deadline <= now else { return }
        nextDeadline = nil
        isDue = true
        guard !isSaving else { return }
        hub.start { hub in await hub.unsavedValues.save(in: hub) }
    }

    /// Stores them; what is reported while the disk is busy goes with the next.
    func save(in hub: isolated HomeHub) async {
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
                // They stay, and go with the next.
                values.merge(saved) { newer, _ in newer }
                logger.error("value save failed", metadata: ["error": "\(error)"])
                break
            }
        } while isDue
    }
}

/// A value of a characteristic, and when it was reported.
package struct TimestampedValue: Sendable, Hashable {
    package var value: CharacteristicValue
    /// When it was received.
    package var time: Timestamp

    package init(_ value: CharacteristicValue, at time: Timestamp) {
        self.value = value
        self.time = time
    }
}
