/// A value of a characteristic, as it is or came to be.
public struct ObservedValue: Sendable, Hashable {
    /// How a value came to be known.
    @nonexhaustive
    public enum Origin: Sendable, Hashable {
        /// It holds: what was known when the iteration began, or after something was missed, such as a lost connection.
        case present
        /// This app set it.
        case own
        /// The accessory told it: somebody else set it, or the accessory itself did.
        case reported
    }

    /// The value.
    public let value: CharacteristicValue
    /// When it was received.
    public let time: Timestamp
    /// How it came to be known.
    public let origin: Origin
}
