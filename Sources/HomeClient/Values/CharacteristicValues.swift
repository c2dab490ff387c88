/// The values of a characteristic as its accessory reports them.
///
/// Iterating has the values reported to this app, and the end of the iteration ends that, unless somebody else in the
/// app wants them, too. The values that this app writes are not among them. While the accessory cannot be reached the
/// sequence waits. It ends when the characteristic is gone, and fails if the accessory does not report the value (7) or
/// the app has no permission (any more, 47).
public struct CharacteristicValues: AsyncSequence, Sendable {
    /// A value, as it was heard.
    public typealias Element = CharacteristicValue
    /// Why values are not reported.
    public typealias Failure = HomeError

    let manager: HomeManager
    let characteristic: Characteristic.ID

    /// Has the values reported.
    public func makeAsyncIterator() -> Iterator { Iterator() }

    /// Takes the values one by one.
    public struct Iterator: AsyncIteratorProtocol {
        /// The next value; `nil` at the end, and when the task is cancelled.
        public mutating func next() async throws(HomeError) -> CharacteristicValue? {
            try await next(isolation: nil)
        }

        /// The next value; `nil` at the end, and when the task is cancelled.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(HomeError) -> CharacteristicValue? { throw HomeError(.operationNotSupported) }
    }
}
