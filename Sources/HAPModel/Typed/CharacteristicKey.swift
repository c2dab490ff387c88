/// A Swift type for the values of a characteristic.
public protocol CharacteristicRepresentable: Sendable {
    /// Creates an instance from a characteristic's value, or returns `nil` if this type can't represent the value.
    init?(_ value: CharacteristicValue)
    /// The value to write.
    var characteristicValue: CharacteristicValue { get }
}

/// The type of a characteristic, together with the Swift type of its values.
///
/// Keys for common services are predefined. Declare a key for any other characteristic:
///
/// ```swift
/// extension CharacteristicKey<Int> {
///     static let lockPhysicalControls = CharacteristicKey(.lockPhysicalControls)
/// }
/// ```
public struct CharacteristicKey<Value: CharacteristicRepresentable>: Sendable, Hashable {
    /// The characteristic's type.
    public let type: CharacteristicType

    /// Creates a key for the given characteristic type.
    public init(_ type: CharacteristicType) { self.type = type }
}

extension CharacteristicRepresentable {
    /// Returns the value in a characteristic's format: a Boolean value becomes 0 or 1 if the format requires it.
    package func value(as format: CharacteristicFormat) -> CharacteristicValue {
        guard case .bool(let isTrue) = characteristicValue, format != .bool else { return characteristicValue }
        return .integer(isTrue ? 1 : 0)
    }
}

// MARK: Plain values

extension Bool: CharacteristicRepresentable {
    /// Creates a Boolean value.
    ///
    /// Also accepts the integers 0 and 1, because HAP uses both forms.
    public init?(_ value: CharacteristicValue) {
        switch value {
        case .bool(let bool): self = bool
        case .integer(0): self = false
        case .integer(1): self = true
        default: return nil
        }
    }

    /// The value as a `bool`.
    public var characteristicValue: CharacteristicValue { .bool(self) }
}

extension Int: CharacteristicRepresentable {
    /// Creates an integer, or returns `nil` if the value isn't in an integer format.
    public init?(_ value: CharacteristicValue) {
        guard case .integer(let number) = value else { return nil }
        self = Int(number)
    }

    /// The value as an integer.
    public var characteristicValue: CharacteristicValue { .integer(Int64(self)) }
}

extension Double: CharacteristicRepresentable {
    /// Creates a number, or returns `nil` if the value isn't in a numeric format.
    public init?(_ value: CharacteristicValue) {
        guard let number = value.number else { return nil }
        self = number
    }

    /// The value as a `float`.
    public var characteristicValue: CharacteristicValue { .float(self) }
}

extension String: CharacteristicRepresentable {
    /// Creates a string, or returns `nil` if the value isn't in the `string` format.
    public init?(_ value: CharacteristicValue) {
        guard let text = value.string else { return nil }
        self = text
    }

    /// The value as a `string`.
    public var characteristicValue: CharacteristicValue { .string(self) }
}

extension CharacteristicRepresentable where Self: RawRepresentable, RawValue == Int {
    /// Creates the case whose raw value is the given number, or returns `nil` if there is no such case.
    public init?(_ value: CharacteristicValue) {
        guard let number = Int(value) else { return nil }
        self.init(rawValue: number)
    }

    /// The case's number as an integer.
    public var characteristicValue: CharacteristicValue { .integer(Int64(rawValue)) }
}

// MARK: Values with names (HAP 9)

/// The current or target state of a lock.
@nonexhaustive
public enum LockState: Int, CharacteristicRepresentable {
    /// The lock is unlocked.
    case unsecured = 0
    /// The lock is locked.
    case secured = 1
    /// The lock is jammed.
    ///
    /// This is never a target state.
    case jammed = 2
    /// The lock doesn't know its state.
    ///
    /// This is never a target state.
    case unknown = 3
}

/// The current or target state of a garage door.
///
/// Only ``open`` and ``closed`` are valid target states.
@nonexhaustive
public enum DoorState: Int, CharacteristicRepresentable {
    /// The door is open.
    case open = 0
    /// The door is closed.
    case closed = 1
    /// The door is opening.
    case opening = 2
    /// The door is closing.
    case closing = 3
    /// The door has stopped between open and closed.
    case stopped = 4
}

/// The current or target mode of a thermostat.
@nonexhaustive
public enum HeatingCoolingMode: Int, CharacteristicRepresentable {
    /// The thermostat is off.
    case off = 0
    /// The thermostat heats.
    case heat = 1
    /// The thermostat cools.
    case cool = 2
    /// The thermostat heats and cools as needed.
    ///
    /// This is never a current mode.
    case auto = 3
}

/// The charging state of a battery.
@nonexhaustive
public enum ChargingState: Int, CharacteristicRepresentable {
    /// The battery is rechargeable and not charging.
    case notCharging = 0
    /// The battery is charging.
    case charging = 1
    /// The battery isn't rechargeable.
    case notChargeable = 2
}
