import AsyncKit

/// The values of a characteristic: the current one, and then each new one.
///
/// An iteration enables notifications of the value, and its end disables them unless another part of the app needs them. Values
/// that this app writes are included, with ``ObservedValue/origin`` `own`. A button has no current value; each press is an element.
/// While the accessory is unreachable or the daemon is away, the sequence waits; after that, a value that has changed is the next
/// element. If more than ``limit`` values wait for the reader, only the newest stays.
///
/// The sequence ends when the characteristic is removed, and throws `notificationNotSupported` if the accessory doesn't report the
/// value. Without permission, also if the user withdraws it during the iteration, it throws `homeAccessNotAuthorized` and is over.
/// ``HomeSnapshots`` continue instead: the next snapshot has no homes, and if the user allows the app again, a later one has them.
public struct CharacteristicValues: AsyncSequence, Sendable {
    /// A value and its origin.
    public typealias Element = ObservedValue
    /// The reason why there are no values.
    public typealias Failure = HomeError

    /// The most values that wait for the reader.
    public static let limit = 256

    let manager: HomeManager
    let characteristic: Characteristic.ID

    /// Creates an iterator, whose first step enables notifications.
    public func makeAsyncIterator() -> Iterator { Iterator(manager: manager, characteristic: characteristic) }

    /// An iterator over the values.
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

        /// Returns the next value; `nil` at the end, or if the task is canceled.
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

        /// Returns the next value; `nil` at the end, or if the task is canceled.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(HomeError) -> ObservedValue? { try await next() }

        private mutating func end() {
            isOver = true
            subscription = nil
        }
    }
}
