/// A Swift type that a characteristic's value can be read and written as.
public protocol CharacteristicRepresentable: Sendable {
    /// Reads a value; `nil` for one of another kind, or that the type does not have.
    init?(_ value: CharacteristicValue)
    /// The value as it is written.
    var characteristicValue: CharacteristicValue { get }
}

/// A characteristic's type together with the Swift type of its value.
///
/// Those of common services are declared here; make your own for others:
///
/// ```swift
/// extension CharacteristicKey<Int> {
///     static let lockPhysicalControls = CharacteristicKey(.lockPhysicalControls)
/// }
/// ```
public struct CharacteristicKey<Value: CharacteristicRepresentable>: Sendable, Hashable {
    /// What the characteristic means.
    public let type: CharacteristicType

    /// Declares that the values of a type are to be read as this Swift type.
    public init(_ type: CharacteristicType) { self.type = type }
}

extension CharacteristicRepresentable {
    /// The value as a characteristic's format wants it: where HAP has 0 and 1, a truth value is one of them.
    package func value(as format: CharacteristicFormat) -> CharacteristicValue {
        guard case .bool(let isTrue) = characteristicValue, format != .bool else { return characteristicValue }
        return .integer(isTrue ? 1 : 0)
    }
}

// MARK: Plain values

extension Bool: CharacteristicRepresentable {
    /// A truth value; integers 0 and 1 count, as HAP has both.
    public init?(_ value: CharacteristicValue) {
        switch value {
        case .bool(let bool): self = bool
        case .integer(0): self = false
        case .integer(1): self = true
        default: return nil
        }
    }

    /// A truth value.
    public var characteristicValue: CharacteristicValue { .bool(self) }
}

extension Int: CharacteristicRepresentable {
    /// A whole number.
    public init?(_ value: CharacteristicValue) {
        guard case .integer(let number) = value else { return nil }
        self = Int(number)
    }

    /// A whole number.
    public var characteristicValue: CharacteristicValue { .integer(Int64(self)) }
}

extension Double: CharacteristicRepresentable {
    /// A number.
    public init?(_ value: CharacteristicValue) {
        guard let number = value.number else { return nil }
        self = number
    }

    /// A number.
    public var characteristicValue: CharacteristicValue { .float(self) }
}

extension String: CharacteristicRepresentable {
    /// A text.
    public init?(_ value: CharacteristicValue) {
        guard let text = value.string else { return nil }
        self = text
    }

    /// A text.
    public var characteristicValue: CharacteristicValue { .string(self) }
}

extension CharacteristicRepresentable where Self: RawRepresentable, RawValue == Int {
    /// One of the cases; `nil` for a number that has none.
    public init?(_ value: CharacteristicValue) {
        guard let number = Int(value) else { return nil }
        self.init(rawValue: number)
    }

    /// The case's number.
    public var characteristicValue: CharacteristicValue { .integer(Int64(rawValue)) }
}

// MARK: Values with names (HAP 9)

/// What a lock is, or is to be.
@nonexhaustive
public enum LockState: Int, CharacteristicRepresentable {
    /// Open to whoever comes.
    case unsecured = 0
    /// Locked.
    case secured = 1
    /// Stuck on the way; only what a lock is.
    case jammed = 2
    /// The lock does not know; only what a lock is.
    case unknown = 3
}

/// What a garage door is, or is to be: only the first two can be set.
@nonexhaustive
public enum DoorState: Int, CharacteristicRepresentable {
    /// Open.
    case open = 0
    /// Closed.
    case closed = 1
    /// On its way to open.
    case opening = 2
    /// On its way to closed.
    case closing = 3
    /// Neither.
    case stopped = 4
}

/// What a thermostat does, or is to do.
@nonexhaustive
public enum HeatingCoolingMode: Int, CharacteristicRepresentable {
    /// Nothing.
    case off = 0
    /// Heats.
    case heat = 1
    /// Cools.
    case cool = 2
    /// Heats and cools as needed; only what it is to do.
    case auto = 3
}

/// Whether a battery is charged at the moment.
@nonexhaustive
public enum ChargingState: Int, CharacteristicRepresentable {
    /// It is not, though it could be.
    case notCharging = 0
    /// It is.
    case charging = 1
    /// It never is.
    case notChargeable = 2
}
