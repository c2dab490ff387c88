import AsyncKit

/// The value of a characteristic: the one that holds, and then every other that it takes.
///
/// Iterating has the value reported to this app, and the end of the iteration ends that, unless somebody else in the
/// app wants it, too. What this app sets itself is among it; ``ObservedValue/origin`` tells it apart. A button has no
/// value that holds; each press is an element. While the accessory cannot be reached, or the daemon is away, the
/// sequence waits; what changed meanwhile is the next element. It ends when the characteristic is gone, and throws
/// `notificationNotSupported` if the accessory does not report the value. Of more than ``limit`` values
/// that wait for the reader only the newest stays.
///
/// Without permission, also if the user withdraws it during the iteration, the sequence throws `homeAccessNotAuthorized` and is over.
/// ``HomeSnapshots`` continue instead: the next snapshot has no homes, and if the user allows the app again, another one has them.
public struct CharacteristicValues: AsyncSequence, Sendable {
    /// A value, and how it came to be known.
    public typealias Element = ObservedValue
    /// Why values are not reported.
    public typealias Failure = HomeError

    /// How many values may wait for the reader.
    public static let limit = 256

    let manager: HomeManager
    let characteristic: Characteristic.ID

    /// Begins an iteration; the first step has the values reported.
    public func makeAsyncIterator() -> Iterator { Iterator(manager: manager, characteristic: characteristic) }

    /// Takes the values one by one.
    public struct Iterator: AsyncIteratorProtocol {
        let manager: HomeManager
        let characteristic: Characteristic.ID
        private let reports = Observations.Reports(limit: CharacteristicValues.limit)
        private var subscription: Subscription?
        private var isOver = false

        init(manager: HomeManager, characteristic: Characteristic.ID) {
            self.manager = manager
            self.characteristic = characteristic
        }

        /// The next value; `nil` at the end, and when the task is cancelled.
        public mutating func next() async throws(HomeError) -> ObservedValue? {
            guard !isOver else { return nil }
            do {
                if subscription == nil { subscription = try await manager.observe(characteristic, into: reports) }
                if let report = await reports.next() { return try report.get() }
            } catch {
                end()
                throw error
            }
            end()
            return nil
        }

        /// The next value; `nil` at the end, and when the task is cancelled.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(HomeError) -> ObservedValue? { try await next() }

        private mutating func end() {
            isOver = true
            subscription = nil
        }
    }
}
