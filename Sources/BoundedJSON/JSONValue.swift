/// A parsed JSON value from a controller, a device or an operator's command.
///
/// Integers and other numbers are separate cases, because a `Double` can't represent HAP's 64-bit identifiers exactly.
public enum JSONValue: Equatable, Sendable {
    case null
    case bool(Bool)
    /// A number without a fraction or an exponent, if it is within the range of `Int64`.
    case integer(Int64)
    /// A number without a fraction or an exponent that is greater than `Int64.max`.
    case unsigned(UInt64)
    /// Any other number, which is always finite.
    case number(Double)
    case string(String)
    case array([JSONValue])
    case object(JSONObject)
}

extension JSONValue {
    /// The value as a `String`, if this is a string.
    public var string: String? {
        if case .string(let value) = self { value } else { nil }
    }

    /// The Boolean value, if this is `true` or `false`.
    public var bool: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }

    /// The elements, if this is an array.
    public var array: [JSONValue]? {
        if case .array(let value) = self { value } else { nil }
    }

    /// The members, if this is an object.
    public var object: JSONObject? {
        if case .object(let value) = self { value } else { nil }
    }

    /// The number as a `Double`, if this is one of the three number cases.
    public var double: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .unsigned(let value): Double(value)
        case .number(let value): value
        case .null, .bool, .string, .array, .object: nil
        }
    }

    /// The number as an unsigned integer, if it was written as one (`1.0` isn't).
    public var unsignedInteger: UInt64? {
        switch self {
        case .integer(let value): UInt64(exactly: value)
        case .unsigned(let value): value
        case .null, .bool, .number, .string, .array, .object: nil
        }
    }

    /// The number as an `Int`, if it is integral and fits (`1.0` is 1).
    public var int: Int? {
        switch self {
        case .integer(let value): Int(exactly: value)
        case .unsigned(let value): Int(exactly: value)
        case .number(let value): Int(exactly: value)
        case .null, .bool, .string, .array, .object: nil
        }
    }

    /// A Boolean value that indicates whether this is `null`.
    public var isNull: Bool {
        if case .null = self { true } else { false }
    }

    /// Returns the member with the given name, or `nil` if this isn't an object with that member.
    public subscript(name: String) -> JSONValue? { object?[name] }
}

/// The members of a JSON object, in their original order.
public struct JSONObject: Equatable, Sendable {
    /// A name and its value.
    public struct Member: Equatable, Sendable {
        /// The member's name.
        public var name: String
        /// The member's value.
        public var value: JSONValue
    }

    /// All members in order.
    ///
    /// If the sender wrote a name more than once, it occurs more than once.
    public private(set) var members: [Member] = []

    /// Creates an object without members.
    public init() {}

    /// A Boolean value that indicates whether the object has no members.
    public var isEmpty: Bool { members.isEmpty }

    /// The value of the member with the given name, or of the last one if there are several.
    ///
    /// Setting `nil` removes all members with the name.
    public subscript(name: String) -> JSONValue? {
        get { members.last { $0.name == name }?.value }
        set {
            guard let newValue else {
                members.removeAll { $0.name == name }
                return
            }
            if let index = members.lastIndex(where: { $0.name == name }) {
                members[index].value = newValue
            } else {
                members.append(Member(name: name, value: newValue))
            }
        }
    }

    /// Adds a member without replacing an existing one with the same name.
    mutating func append(_ name: String, _ value: JSONValue) {
        // Reserve space for the few members of HAP's objects in one step. An object with one member stays small.
        if members.count == 1 { members.reserveCapacity(4) }
        members.append(Member(name: name, value: value))
    }

    /// Replaces the value of the member at an index, which must be valid.
    mutating func replaceValue(at index: Int, with value: JSONValue) { members[index].value = value }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
    /// Creates an object with the literal's members, in their order.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        members = elements.map { Member(name: $0.0, value: $0.1) }
    }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByFloatLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    /// Creates a string.
    public init(stringLiteral value: String) { self = .string(value) }
    /// Creates an integer.
    public init(integerLiteral value: Int64) { self = .integer(value) }
    /// Creates a Boolean value.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    /// Creates a number.
    public init(floatLiteral value: Double) { self = .number(value) }
    /// Creates an array.
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    /// Creates an object with the literal's members, in their order.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        var object = JSONObject()
        for (name, value) in elements { object.append(name, value) }
        self = .object(object)
    }
}
