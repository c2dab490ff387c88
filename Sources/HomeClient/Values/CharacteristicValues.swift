import AsyncKit

/// The current value of a characteristic, and then each new value.
///
/// An iteration enables notifications of the value, and its end disables them unless another part of the app needs
/// them. Values that this app writes are included, with ``ObservedValue/origin`` `own`. A button has no current value;
/// each press is an element. While the accessory or the daemon is unreachable, the sequence waits. If the value changes
/// in the meantime, the next element is the new value. If more than ``limit`` values wait for the reader, only the
/// newest value remains.
///
/// The sequence ends when the characteristic is removed, and throws `notificationNotSupported` if the accessory doesn't
/// report the value. If the app has no permission or loses it during the iteration, the sequence throws
/// `homeAccessNotAuthorized` and ends. In contrast, ``HomeSnapshots`` continue: the next snapshot has no homes, and a
/// later one has them if the user allows the app again.
public struct CharacteristicValues: AsyncSequence, Sendable {
    /// A value and its origin.
    public typealias Element = ObservedValue
    /// The error that ends the sequence.
    public typealias Failure = HomeError

    /// The maximum number of values that wait for the reader.
    public static let limit = 256

    let manager: HomeManager
    let characteristic: Characteristic.ID

    /// Creates an iterator, which enables notifications when the first value is requested.
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
