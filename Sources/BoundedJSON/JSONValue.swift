/// A JSON value: what controllers, devices and the operator's command send, once it has been read.
///
/// Integers and other numbers are kept apart, because HAP's 64-bit identifiers do not survive a `Double`.
public enum JSONValue: Equatable, Sendable {
    case null
    case bool(Bool)
    /// A number written without fraction or exponent that fits.
    case integer(Int64)
    /// A number written without fraction or exponent above `Int64.max`.
    case unsigned(UInt64)
    /// Any other number; always finite.
    case number(Double)
    case string(String)
    case array([JSONValue])
    case object(JSONObject)
}

extension JSONValue {
    /// The text, if this is a string.
    public var string: String? {
        if case .string(let value) = self { value } else { nil }
    }

    /// The truth value, if this is `true` or `false`.
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

    /// The number as a `Double`, if this is one of the three kinds of number.
    public var double: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .unsigned(let value): Double(value)
        case .number(let value): value
        case .null, .bool, .string, .array, .object: nil
        }
    }

    /// The number as an unsigned integer, if it was written as one (`1.0` is not).
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

    /// Whether this is `null`.
    public var isNull: Bool {
        if case .null = self { true } else { false }
    }

    /// The member of that name, if this is an object that has one.
    public subscript(name: String) -> JSONValue? { object?[name] }
}

/// The members of a JSON object, in the order they were written.
public struct JSONObject: Equatable, Sendable {
    /// A name and its value.
    public struct Member: Equatable, Sendable {
        /// The member's name.
        public var name: String
        /// The member's value.
        public var value: JSONValue
    }

    /// All members in order; a name can stand here twice if the peer wrote it twice.
    public private(set) var members: [Member] = []

    /// Makes an object without members.
    public init() {}

    /// Whether there are no members.
    public var isEmpty: Bool { members.isEmpty }

    /// The value of a name, the last one if it was written twice; setting `nil` removes the name.
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

    /// Adds a member without looking for an earlier one of that name.
    mutating func append(_ name: String, _ value: JSONValue) {
        // Room for the few members of HAP's objects in one step; an object of one member stays small.
        if members.count == 1 { members.reserveCapacity(4) }
        members.append(Member(name: name, value: value))
    }

    /// Gives the member at an index, which must exist, another value.
    mutating func replaceValue(at index: Int, with value: JSONValue) { members[index].value = value }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
    /// Makes an object of the literal's members, in their order.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        members = elements.map { Member(name: $0.0, value: $0.1) }
    }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByFloatLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    /// Makes a string.
    public init(stringLiteral value: String) { self = .string(value) }
    /// Makes an integer.
    public init(integerLiteral value: Int64) { self = .integer(value) }
    /// Makes `true` or `false`.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    /// Makes a number.
    public init(floatLiteral value: Double) { self = .number(value) }
    /// Makes an array.
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    /// Makes an object with its members in the literal's order.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        var object = JSONObject()
        for (name, value) in elements { object.append(name, value) }
        self = .object(object)
    }
}
