/// A current or new value of a characteristic.
public struct ObservedValue: Sendable, Hashable {
    /// The origin of a value.
    @nonexhaustive
    public enum Origin: Sendable, Hashable {
        /// The current value at the beginning of an iteration, or after missed changes, for instance after a lost
        /// connection.
        case present
        /// This app wrote the value.
        case own
        /// The accessory reported the value, which it has changed itself or another controller or app has written.
        case reported
    }

    /// The value.
    public let value: CharacteristicValue
    /// The time at which the value was received.
    public let time: Timestamp
    /// The value's origin.
    public let origin: Origin
}
