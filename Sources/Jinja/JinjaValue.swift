package import BoundedJSON

/// A value in a template: the subset of Python's values that templates need.
package enum JinjaValue: Sendable {
    /// A missing value, with the name that errors use for it.
    case undefined(String)
    case none
    case bool(Bool)
    case int(Int)
    case float(Double)
    case string(String)
    case list([JinjaValue])
    case tuple([JinjaValue])
    case dict(JinjaDictionary)
    /// An array or an object from a JSON message. Its elements are converted only when a template accesses them.
    case json(JSONValue)
    case datetime(JinjaDateTime)
    /// A result of `namespace()`, by its index in the renderer.
    case namespace(Int)

    package init(_ json: JSONValue) {
        switch json {
        case .null: self = .none
        case .bool(let value): self = .bool(value)
        case .integer(let value): self = .int(Int(value))
        case .unsigned(let value): self = Int(exactly: value).map(Self.int) ?? .float(Double(value))
        case .number(let value): self = .float(value)
        case .string(let value): self = .string(value)
        case .array, .object: self = .json(json)
        }
    }
}

/// A mapping that keeps the order of its members.
package struct JinjaDictionary: Sendable {
    package private(set) var members: [(key: JinjaValue, value: JinjaValue)] = []

    package init(_ members: [(key: JinjaValue, value: JinjaValue)] = []) {
        for member in members { self[member.key] = member.value }
    }

    package subscript(key: JinjaValue) -> JinjaValue? {
        get { members.last { $0.key == key }?.value }
        set {
            let index = members.lastIndex { $0.key == key }
            switch (index, newValue) {
            case (let index?, let value?): members[index].value = value
            case (let index?, nil): members.remove(at: index)
            case (nil, let value?): members.append((key, value))
            case (nil, nil): break
            }
        }
    }
}

// MARK: Type

extension JinjaValue {
    var isUndefined: Bool { if case .undefined = self { true } else { false } }

    /// The truth value, by Python's rules.
    var isTrue: Bool {
        switch self {
        case .undefined, .none: false
        case .bool(let value): value
        case .int(let value): value != 0
        case .float(let value): value != 0
        case .string(let value): !value.isEmpty
        case .list(let values), .tuple(let values): !values.isEmpty
        case .dict(let dictionary): !dictionary.members.isEmpty
        case .json(.array(let values)): !values.isEmpty
        case .json(.object(let object)): !object.isEmpty
        case .json, .namespace, .datetime: true
        }
    }

    /// The elements of a list or tuple.
    var elements: [JinjaValue]? {
        switch self {
        case .list(let values), .tuple(let values): values
        case .json(.array(let values)): values.map(JinjaValue.init)
        default: nil
        }
    }

    /// The members of a mapping, or `nil` for other types.
    ///
    /// A repeated key keeps its first position, but has its last value.
    var members: [(key: JinjaValue, value: JinjaValue)]? {
        switch self {
        case .dict(let dictionary): return dictionary.members
        case .json(.object(let object)):
            var members: [(key: JinjaValue, value: JinjaValue)] = []
            var places: [String: Int] = [:]
            for member in object.members {
                if let place = places[member.name] {
                    members[place].value = JinjaValue(member.value)
                } else {
                    places[member.name] = members.count
                    members.append((.string(member.name), JinjaValue(member.value)))
                }
            }
            return members
        default: return nil
        }
    }

    var isSequence: Bool {
        switch self {
        case .list, .tuple, .json(.array): true
        default: false
        }
    }

    var isMapping: Bool {
        switch self {
        case .dict, .json(.object): true
        default: false
        }
    }

    /// The number of elements, members or bytes, as a measure of the work to process the value.
    var size: Int {
        switch self {
        case .string(let text): text.utf8.count
        case .list(let values), .tuple(let values): values.count
        case .dict(let dictionary): dictionary.members.count
        case .json(.array(let values)): values.count
        case .json(.object(let object)): object.members.count
        default: 1
        }
    }

    /// The value as a number, or `nil` for other types.
    ///
    /// `true` counts as 1.
    var number: JinjaNumber? {
        switch self {
        case .bool(let value): .int(value ? 1 : 0)
        case .int(let value): .int(value)
        case .float(let value): .float(value)
        default: nil
        }
    }

    /// Python's name of the type.
    var typeName: String {
        switch self {
        case .undefined: "undefined"
        case .none: "none"
        case .bool: "bool"
        case .int: "int"
        case .float: "float"
        case .string: "str"
        case .list, .json(.array): "list"
        case .tuple: "tuple"
        case .dict, .json: "dict"
        case .namespace: "namespace"
        case .datetime: "datetime"
        }
    }
}

enum JinjaNumber {
    case int(Int)
    case float(Double)

    var double: Double {
        switch self {
        case .int(let value): Double(value)
        case .float(let value): value
        }
    }
}

// MARK: Comparison

extension JinjaValue: Equatable {
    package static func == (a: JinjaValue, b: JinjaValue) -> Bool {
        switch (a, b) {
        case (.undefined, .undefined), (.none, .none): return true
        case (.string(let a), .string(let b)): return a.unicodeScalars.elementsEqual(b.unicodeScalars)
        case (.namespace(let a), .namespace(let b)): return a == b
        case (.tuple(let a), .tuple(let b)): return a == b
        case (.datetime(let a), .datetime(let b)):
            return (a.offset == nil) == (b.offset == nil) && (a.seconds, a.microseconds) == (b.seconds, b.microseconds)
        case (.tuple, _), (_, .tuple): return false
        default: break
        }
        if let a = a.number, let b = b.number {
            if case .int(let a) = a, case .int(let b) = b { return a == b }
            return a.double == b.double
        }
        if let a = a.elements, let b = b.elements { return a == b }
        if let a = a.members, let b = b.members {
            guard a.count == b.count else { return false }
            // Nearly all keys are strings, and a message may have many, so use a hash table to compare them.
            var texts: [String: JinjaValue] = [:]
            for case (key: .string(let name), value: let value) in b { texts[name] = value }
            return a.allSatisfy { member in
                if case .string(let name) = member.key { return texts[name] == member.value }
                return b.contains { $0.key == member.key && $0.value == member.value }
            }
        }
        return false
    }

    /// Returns whether this value is less than another value, or `nil` if the two can't be compared.
    func isLess(than other: JinjaValue) -> Bool? {
        if let a = number, let b = other.number {
            if case .int(let a) = a, case .int(let b) = b { return a < b }
            return a.double < b.double
        }
        if case .string(let a) = self, case .string(let b) = other {
            return a.unicodeScalars.lexicographicallyPrecedes(b.unicodeScalars)
        }
        if case .datetime(let a) = self, case .datetime(let b) = other { return a.isBefore(b) }
        if let a = elements, let b = other.elements {
            for (x, y) in zip(a, b) where x != y { return x.isLess(than: y) }
            return a.count < b.count
        }
        return nil
    }
}

// MARK: Text

extension JinjaValue {
    /// The value as text, as `{{ }}` prints it.
    var text: String {
        switch self {
        case .undefined: ""
        case .string(let text): text
        default: representation
        }
    }

    /// The value as text, as Python prints it inside a list.
    var representation: String {
        switch self {
        case .undefined: return "Undefined"
        case .none: return "None"
        case .bool(let value): return value ? "True" : "False"
        case .int(let value): return String(value)
        case .float(let value): return Self.text(of: value)
        case .string(let text): return Self.quoted(text)
        case .list(let values): return "[" + values.map(\.representation).joined(separator: ", ") + "]"
        case .tuple(let values):
            let inner = values.map(\.representation).joined(separator: ", ")
            return values.count == 1 ? "(\(inner),)" : "(\(inner))"
        case .dict, .json(.object):
            let inner = (members ?? []).map { "\($0.key.representation): \($0.value.representation)" }
            return "{" + inner.joined(separator: ", ") + "}"
        case .json: return "[" + (elements ?? []).map(\.representation).joined(separator: ", ") + "]"
        case .namespace: return "<Namespace>"
        case .datetime(let date): return date.text(separator: " ")
        }
    }

    /// Returns a number as Python prints it: with the fewest digits that identify the value, and with an exponent from
    /// 1e16.
    private static func text(of value: Double) -> String {
        if value.isNaN { return "nan" }
        if value.isInfinite { return value < 0 ? "-inf" : "inf" }
        if value.magnitude < 1e16, let whole = Int(exactly: value) {
            return value.sign == .minus && whole == 0 ? "-0.0" : "\(whole).0"
        }
        return value.description
    }

    private static func quoted(_ text: String) -> String {
        let quote: Unicode.Scalar = text.contains("'") && !text.contains("\"") ? "\"" : "'"
        var result = String(quote)
        for scalar in text.unicodeScalars {
            switch scalar {
            case quote, "\\": result += "\\\(scalar)"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            default:
                if scalar.properties.generalCategory == .control {
                    let digits = String(scalar.value, radix: 16)
                    result += "\\x" + (digits.count < 2 ? "0" + digits : digits)
                } else {
                    result.unicodeScalars.append(scalar)
                }
            }
        }
        return result + String(quote)
    }
}
