public import HAPModel

/// The numbers between two limits, including the limits.
public struct ValueRange: Codable, Sendable, Hashable {
    /// The lower limit; `nil` if there is none.
    public var minimum: Double?
    /// The upper limit; `nil` if there is none.
    public var maximum: Double?

    /// Creates a range.
    public init(minimum: Double? = nil, maximum: Double? = nil) {
        self.minimum = minimum
        self.maximum = maximum
    }

    /// Returns a Boolean value that indicates whether a value is a number within the limits.
    public func contains(_ value: CharacteristicValue) -> Bool {
        guard let number = value.comparableNumber else { return false }
        return number >= minimum ?? -.infinity && number <= maximum ?? .infinity
    }

    /// A Boolean value that indicates whether the range has a limit, and at least one number.
    var isValid: Bool {
        guard let least = minimum ?? maximum, let greatest = maximum ?? minimum else { return false }
        return least <= greatest && least.isFinite && greatest.isFinite
    }
}

/// A test of a value.
@nonexhaustive
public enum ValueTest: Codable, Sendable, Hashable {
    /// The value equals the given value.
    case value(CharacteristicValue)
    /// The value is within the given range.
    case range(ValueRange)

    /// Returns a Boolean value that indicates whether a value passes the test.
    public func passes(_ value: CharacteristicValue) -> Bool {
        switch self {
        case .value(let expected): value.isSame(as: expected)
        case .range(let range): range.contains(value)
        }
    }
}

/// An operator that compares two values.
@nonexhaustive
public enum ValueComparison: String, Codable, Sendable, Hashable, CaseIterable {
    /// The values are equal.
    case equal = "=="
    /// The values differ.
    case notEqual = "!="
    /// The value is less than the other value.
    case less = "<"
    /// The value is less than the other value or equal to it.
    case lessOrEqual = "<="
    /// The value is greater than the other value.
    case greater = ">"
    /// The value is greater than the other value or equal to it.
    case greaterOrEqual = ">="

    /// Returns a Boolean value that indicates whether the comparison is true for two values.
    ///
    /// Comparisons of strings or bytes with `less`, `greater` and similar operators are always false.
    public func compare(_ value: CharacteristicValue, _ other: CharacteristicValue) -> Bool {
        switch self {
        case .equal: return value.isSame(as: other)
        case .notEqual: return !value.isSame(as: other)
        case .less, .lessOrEqual, .greater, .greaterOrEqual: break
        }
        guard let a = value.comparableNumber, let b = other.comparableNumber else { return false }
        return switch self {
        case .equal: a == b
        case .notEqual: a != b
        case .less: a < b
        case .lessOrEqual: a <= b
        case .greater: a > b
        case .greaterOrEqual: a >= b
        }
    }

    /// A Boolean value that indicates whether only numbers can be compared in this way.
    var needsNumbers: Bool { self != .equal && self != .notEqual }
}

extension CharacteristicValue {
    /// The value as a number, with 0 or 1 for `bool`; `nil` for strings and bytes.
    var comparableNumber: Double? { bool.map { $0 ? 1 : 0 } ?? number }

    /// Returns a Boolean value that indicates whether two values are equal, regardless of their format: 1, 1.0 and
    /// `true` are the same.
    package func isSame(as other: CharacteristicValue) -> Bool {
        if self == other { return true }
        guard let a = comparableNumber, let b = other.comparableNumber else { return false }
        return a == b
    }
}
