/// The tests that templates can apply, which follow the word `is`.
enum Test: String, Sendable {
    case boolean, contains, defined, divisibleby, equal, even, `false`, float, greater, greaterOrEqual, `in`, integer
    case isNumber = "is_number"
    case iterable, less, lessOrEqual, list, lower, mapping, match, none, number, odd, search, sequence, string, `true`,
        undefined, unequal
    case upper

    init?(name: String) {
        switch name {
        case "==", "eq", "equalto": self = .equal
        case "!=", "ne": self = .unequal
        case "<", "lt", "lessthan": self = .less
        case "<=", "le": self = .lessOrEqual
        case ">", "gt", "greaterthan": self = .greater
        case ">=", "ge": self = .greaterOrEqual
        case "equal", "unequal", "less", "lessOrEqual", "greater", "greaterOrEqual": return nil
        default: self.init(rawValue: name)
        }
    }
}

extension JinjaRenderer {
    mutating func passes(
        _ value: JinjaValue, _ test: Test, _ given: GivenArguments
    ) throws(JinjaError) -> Bool {
        switch test {
        case .defined: return !value.isUndefined
        case .undefined: return value.isUndefined
        case .none: return if case .none = value { true } else { false }
        case .boolean: return if case .bool = value { true } else { false }
        case .true: return if case .bool(true) = value { true } else { false }
        case .false: return if case .bool(false) = value { true } else { false }
        case .integer: return if case .int = value { true } else { false }
        case .float: return if case .float = value { true } else { false }
        case .number: return value.number != nil
        case .isNumber:
            try countAll(value)
            return Self.read(value)?.isFinite ?? false
        case .string: return if case .string = value { true } else { false }
        case .list: return value.typeName == "list"
        case .mapping: return value.isMapping
        case .sequence, .iterable:
            return value.isSequence || value.isMapping || ["str", "undefined"].contains(value.typeName)
        case .lower, .upper:
            let text = try text(of: value)
            return text.contains(where: \.isCased) && text == (test == .lower ? text.lowercased() : text.uppercased())
        case .even, .odd:
            guard case .int(let number)? = value.number else { throw Self.noNumber(value) }
            return number.isMultiple(of: 2) == (test == .even)
        case .divisibleby:
            guard case .int(let number)? = value.number, let divisor = try given.int(0, "num"), divisor != 0 else {
                throw JinjaError("the divisor isn't a number")
            }
            return number.isMultiple(of: divisor)
        case .equal: return try compare(value, .equal, try given.required(0, "other"))
        case .unequal: return try compare(value, .unequal, try given.required(0, "other"))
        case .less: return try compare(value, .less, try given.required(0, "other"))
        case .lessOrEqual: return try compare(value, .lessOrEqual, try given.required(0, "other"))
        case .greater: return try compare(value, .greater, try given.required(0, "other"))
        case .greaterOrEqual: return try compare(value, .greaterOrEqual, try given.required(0, "other"))
        case .in: return try compare(value, .isIn, try given.required(0, "seq"))
        case .match, .search: return try matches(value, given, atStart: test == .match)
        case .contains: return try compare(try given.required(0, "value"), .isIn, value)
        }
    }
}
