import BoundedJSON
import Glibc

struct JinjaRenderer {
    private(set) var output = ""
    /// The variables by name, from the template's own scope to the innermost loop's scope.
    private var scopes: [[String: JinjaValue]]
    private var namespaces: [[String: JinjaValue]] = []
    private var steps = 0

    init(variables: [String: JinjaValue]) { scopes = [variables, [:]] }

    /// The number of remaining steps.
    var remainingSteps: Int { max(0, JinjaLimits.steps - steps) }

    /// Counts the steps of processing a value of the given size.
    mutating func count(_ size: Int) throws(JinjaError) {
        steps += 1 + size / 16
        guard steps <= JinjaLimits.steps else { throw JinjaError("the template takes too long") }
    }

    /// Counts the steps that a search in a string takes in the worst case.
    mutating func countSearch(for part: String, in text: String) throws(JinjaError) {
        try count(text.utf8.count * (1 + part.utf8.count / 4))
    }

    // MARK: Statements

    mutating func render(_ statements: [Statement]) throws(JinjaError) {
        for statement in statements {
            try count(0)
            switch statement {
            case .text(let text): try write(text)
            case .output(let expression): try write(try text(of: try evaluate(expression)))
            case .if(let branches, let otherwise): try render(try chosen(branches) ?? otherwise)
            case .set(let targets, let expression): try set(targets, to: try evaluate(expression))
            case .setText(let target, let body):
                let before = output
                output = ""
                try render(body)
                try set([target], to: .string(output))
                output = before
            case .for(let names, let values, let condition, let body, let otherwise):
                try loop(names, try evaluate(values), condition, body, otherwise)
            }
        }
    }

    private mutating func write(_ text: String) throws(JinjaError) {
        try count(text.utf8.count)
        guard output.utf8.count + text.utf8.count <= JinjaLimits.text else {
            throw JinjaError("the text is longer than \(JinjaLimits.text) bytes")
        }
        output += text
    }

    private mutating func chosen(
        _ branches: [(condition: Expression, body: [Statement])]
    ) throws(JinjaError) -> [Statement]? {
        for branch in branches where try evaluate(branch.condition).isTrue { return branch.body }
        return nil
    }

    private mutating func set(_ targets: [Target], to value: JinjaValue) throws(JinjaError) {
        var values = [value]
        if targets.count > 1 {
            guard let elements = value.elements, elements.count == targets.count else {
                throw JinjaError("the numbers of values and names differ")
            }
            values = elements
        }
        for (target, value) in zip(targets, values) {
            guard let attribute = target.attribute else {
                scopes[scopes.count - 1][target.name] = value
                continue
            }
            guard case .namespace(let index)? = lookUp(target.name) else {
                throw JinjaError("\(target.name.prefix(32)) isn't a namespace")
            }
            namespaces[index][attribute] = value
        }
    }

    private mutating func loop(
        _ names: [String], _ values: JinjaValue, _ condition: Expression?, _ body: [Statement], _ otherwise: [Statement]
    ) throws(JinjaError) {
        scopes.append([:])
        defer { scopes.removeLast() }
        var rounds: [[String: JinjaValue]] = []
        for value in try sequence(values) {
            var round: [String: JinjaValue] = [:]
            if names.count == 1 {
                round[names[0]] = value
            } else {
                guard let parts = value.elements, parts.count == names.count else {
                    throw JinjaError("the numbers of values and names differ")
                }
                for (name, part) in zip(names, parts) { round[name] = part }
            }
            if let condition {
                scopes[scopes.count - 1] = round
                guard try evaluate(condition).isTrue else { continue }
            }
            rounds.append(round)
        }
        for (index, round) in rounds.enumerated() {
            scopes[scopes.count - 1] = round
            scopes[scopes.count - 1]["loop"] = .dict(
                JinjaDictionary([
                    (.string("index"), .int(index + 1)), (.string("index0"), .int(index)),
                    (.string("revindex"), .int(rounds.count - index)),
                    (.string("revindex0"), .int(rounds.count - index - 1)),
                    (.string("first"), .bool(index == 0)), (.string("last"), .bool(index == rounds.count - 1)),
                    (.string("length"), .int(rounds.count)),
                ]))
            try render(body)
        }
        if rounds.isEmpty { try render(otherwise) }
    }

    // MARK: Names

    private func lookUp(_ name: String) -> JinjaValue? {
        for scope in scopes.reversed() { if let value = scope[name] { return value } }
        return nil
    }

    mutating func makeNamespace(_ values: [String: JinjaValue]) throws(JinjaError) -> JinjaValue {
        guard namespaces.count < 16 else { throw JinjaError("there are too many namespaces") }
        namespaces.append(values)
        return .namespace(namespaces.count - 1)
    }

    // MARK: Expressions

    mutating func evaluate(_ expression: Expression) throws(JinjaError) -> JinjaValue {
        try count(0)
        switch expression.kind {
        case .constant(let value): return value
        case .name(let name): return lookUp(name) ?? Self.constants[name] ?? .undefined(name)
        case .attribute(let value, let name):
            let value = try evaluate(value)
            // In Python, a method of a mapping hides a member with the same name, which is accessible only with
            // brackets.
            if Self.methodsOfMappings.contains(name), value.isMapping {
                throw JinjaError("\(name) is a method; read its value with [\"\(name)\"]")
            }
            return try member(.string(name), of: value)
        case .item(let value, let index): return try member(try evaluate(index), of: try evaluate(value))
        case .slice(let value, let from, let to, let step):
            return try slice(try evaluate(value), try bound(from), try bound(to), try bound(step))
        case .list(let values): return try made(.list(try evaluate(values)))
        case .tuple(let values): return try made(.tuple(try evaluate(values)))
        case .dict(let members):
            var dictionary = JinjaDictionary()
            for member in members {
                let key = try evaluate(member.key)
                guard !key.isSequence, !key.isMapping else { throw JinjaError("a key can't be a list") }
                dictionary[key] = try evaluate(member.value)
            }
            return try made(.dict(dictionary))
        case .call(let function, let arguments): return try made(try call(function, try evaluate(arguments)))
        case .method(let value, let method, let arguments):
            let value = try defined(try evaluate(value))
            return try call(method, of: value, try evaluate(arguments))
        case .filter(let value, let filter, let arguments):
            let value = try evaluate(value)
            return try apply(filter, to: value, try evaluate(arguments))
        case .test(let value, let test, let arguments, let isNegated):
            let value = try evaluate(value)
            return .bool(try passes(value, test, try evaluate(arguments)) != isNegated)
        case .unary(.not, let value): return .bool(!(try evaluate(value).isTrue))
        case .unary(let sign, let value):
            guard let number = try defined(try evaluate(value)).number else {
                throw JinjaError("a sign requires a number")
            }
            switch number {
            case .int(let value):
                return .int(sign == .minus ? try Self.whole(0.subtractingReportingOverflow(value)) : value)
            case .float(let value): return .float(sign == .minus ? -value : value)
            }
        case .binary(.and, let a, let b):
            let first = try evaluate(a)
            return first.isTrue ? try evaluate(b) : first
        case .binary(.or, let a, let b):
            let first = try evaluate(a)
            return first.isTrue ? first : try evaluate(b)
        case .binary(let operation, let a, let b):
            let a = try defined(try evaluate(a))
            return try calculate(operation, a, try defined(try evaluate(b)))
        case .concatenation(let values):
            var result = ""
            for value in values {
                result += try text(of: try evaluate(value))
                guard result.utf8.count <= JinjaLimits.text else {
                    throw JinjaError("the text is longer than \(JinjaLimits.text) bytes")
                }
            }
            return try string(result)
        case .comparison(let first, let others):
            var left = try evaluate(first)
            for (comparison, expression) in others {
                let right = try evaluate(expression)
                guard try compare(left, comparison, right) else { return .bool(false) }
                left = right
            }
            return .bool(true)
        case .conditional(let condition, let then, let otherwise):
            if try evaluate(condition).isTrue { return try evaluate(then) }
            guard let otherwise else { return .undefined("the missing else of a condition") }
            return try evaluate(otherwise)
        }
    }

    private static let methodsOfMappings: Set = [
        "clear", "copy", "fromkeys", "get", "items", "keys", "pop", "popitem", "setdefault", "update", "values",
    ]
    private static let constants: [String: JinjaValue] = ["pi": .float(.pi), "e": .float(M_E), "tau": .float(2 * .pi)]

    private mutating func evaluate(_ expressions: [Expression]) throws(JinjaError) -> [JinjaValue] {
        var values: [JinjaValue] = []
        for expression in expressions { values.append(try evaluate(expression)) }
        return values
    }

    private mutating func evaluate(_ arguments: Arguments) throws(JinjaError) -> GivenArguments {
        var given = GivenArguments(positional: try evaluate(arguments.positional))
        for argument in arguments.named { given.named[argument.name] = try evaluate(argument.value) }
        // The called function may iterate over its arguments, so their elements are counted.
        for value in given.positional { try countAll(value) }
        for value in given.named.values { try countAll(value) }
        return given
    }

    private mutating func bound(_ expression: Expression?) throws(JinjaError) -> Int? {
        guard let expression else { return nil }
        switch try evaluate(expression) {
        case .int(let value): return value
        case .none: return nil
        default: throw JinjaError("a bound or step of a slice isn't an integer")
        }
    }

    // MARK: Values

    /// Returns the value, or throws an error if it is undefined.
    func defined(_ value: JinjaValue) throws(JinjaError) -> JinjaValue {
        if case .undefined(let name) = value { throw JinjaError("\(name.prefix(32)) is not defined") }
        return value
    }

    mutating func text(of value: JinjaValue) throws(JinjaError) -> String {
        try countAll(value)
        return value.text
    }

    /// Counts the steps of processing a value with all its elements and members.
    mutating func countAll(_ value: JinjaValue) throws(JinjaError) {
        // Count the value before iterating over it, because the iteration takes time, too.
        try count(value.size)
        for element in value.elements ?? [] { try countAll(element) }
        for member in value.members ?? [] { try countAll(member.value) }
    }

    /// Returns a list or mapping that the template has created, or throws an error if it is too large or too deep.
    ///
    /// Size and depth are limited, because later operations iterate over all elements and recurse into each level.
    private mutating func made(_ value: JinjaValue) throws(JinjaError) -> JinjaValue {
        var size = 0
        try Self.measure(value, depth: 1, &size)
        try count(size * 16)
        return value
    }

    private static func measure(_ value: JinjaValue, depth: Int, _ size: inout Int) throws(JinjaError) {
        size += 1
        guard size <= JinjaLimits.elements, depth <= JinjaLimits.depth else {
            throw JinjaError("a list has too many elements or levels")
        }
        for element in value.elements ?? [] { try measure(element, depth: depth + 1, &size) }
        for member in value.members ?? [] { try measure(member.value, depth: depth + 1, &size) }
    }

    /// Returns a string that the template has created, or throws an error if it is too long.
    mutating func string(_ text: String) throws(JinjaError) -> JinjaValue {
        try count(text.utf8.count)
        guard text.utf8.count <= JinjaLimits.text else {
            throw JinjaError("the text is longer than \(JinjaLimits.text) bytes")
        }
        return .string(text)
    }

    /// Returns the values to iterate over: the elements of a list, the keys of a mapping or the characters of a string.
    mutating func sequence(_ value: JinjaValue) throws(JinjaError) -> [JinjaValue] {
        try count(value.size)
        guard value.size <= JinjaLimits.elements else {
            throw JinjaError("a list has more than \(JinjaLimits.elements) elements")
        }
        if case .undefined = value { return [] }
        if case .string(let text) = value { return text.unicodeScalars.map { .string(String($0)) } }
        guard let values = value.elements ?? value.members?.map(\.key) else {
            throw JinjaError("a value of type \(value.typeName) isn't a list")
        }
        return values
    }

    /// Returns the member of a value for a key or an index, or an undefined value if it is missing.
    private mutating func member(_ key: JinjaValue, of value: JinjaValue) throws(JinjaError) -> JinjaValue {
        let name = if case .string(let name) = key { name } else { "an element" }
        let missing = JinjaValue.undefined(name)
        switch try defined(value) {
        case .json(.object(let object)):
            guard case .string(let name) = key else { return missing }
            try count(object.members.count)
            return object[name].map(JinjaValue.init) ?? missing
        case .dict(let dictionary):
            try count(dictionary.members.count)
            return dictionary[key] ?? missing
        case .json(.array(let values)):
            return Self.index(key, values.count).map { JinjaValue(values[$0]) } ?? missing
        case .list(let values), .tuple(let values): return Self.index(key, values.count).map { values[$0] } ?? missing
        case .string(let text):
            try count(text.utf8.count)
            let scalars = Array(text.unicodeScalars)
            return Self.index(key, scalars.count).map { .string(String(scalars[$0])) } ?? missing
        case .datetime(let date):
            guard case .string(let name) = key else { return missing }
            return date.part(name) ?? missing
        case .namespace(let index):
            guard case .string(let name) = key else { return missing }
            return namespaces[index][name] ?? missing
        default: return missing
        }
    }

    private static func index(_ key: JinjaValue, _ count: Int) -> Int? {
        guard case .int(let wanted)? = key.number else { return nil }
        guard (-count..<count).contains(wanted) else { return nil }
        return wanted < 0 ? wanted + count : wanted
    }

    private mutating func slice(
        _ value: JinjaValue, _ from: Int?, _ to: Int?, _ step: Int?
    ) throws(JinjaError) -> JinjaValue {
        let value = try defined(value)
        guard !value.isMapping else { throw JinjaError("only lists and strings have slices") }
        let elements = try sequence(value)
        let step = step ?? 1
        guard step != 0, step.magnitude <= Int(Int32.max) else {
            throw JinjaError("the step of a slice is zero or too large")
        }
        // As in Python, negative bounds count from the end, and all bounds are clamped.
        func clamped(_ bound: Int, _ low: Int, _ high: Int) -> Int {
            min(max(bound < 0 ? max(bound, -elements.count - 1) + elements.count : bound, low), high)
        }
        var result: [JinjaValue] = []
        if step > 0 {
            let end = clamped(to ?? elements.count, 0, elements.count)
            var index = clamped(from ?? 0, 0, elements.count)
            while index < end {
                result.append(elements[index])
                index += step
            }
        } else {
            let end = to.map { clamped($0, -1, elements.count - 1) } ?? -1
            var index = clamped(from ?? elements.count - 1, -1, elements.count - 1)
            while index > end {
                result.append(elements[index])
                index += step
            }
        }
        switch value {
        case .string: return .string(result.map(\.text).joined())
        case .tuple: return .tuple(result)
        default: return .list(result)
        }
    }

    // MARK: Operators

    static func whole(_ result: (partialValue: Int, overflow: Bool)) throws(JinjaError) -> Int {
        guard !result.overflow else { throw JinjaError("a number is too large") }
        return result.partialValue
    }

    mutating func compare(
        _ a: JinjaValue, _ comparison: Comparison, _ b: JinjaValue
    ) throws(JinjaError) -> Bool {
        try countAll(a)
        try countAll(b)
        switch comparison {
        case .equal: return a == b
        case .unequal: return a != b
        case .isIn: return try contains(b, a)
        case .isNotIn: return try !contains(b, a)
        case .less, .lessOrEqual, .greater, .greaterOrEqual:
            let (x, y) = comparison == .less || comparison == .lessOrEqual ? (a, b) : (b, a)
            guard let isLess = try defined(x).isLess(than: try defined(y)) else {
                throw JinjaError("values of types \(a.typeName) and \(b.typeName) can't be compared")
            }
            // `<=` isn't the negation of `>`, because all comparisons with NaN are false.
            return comparison == .less || comparison == .greater ? isLess : isLess || x == y
        }
    }

    private mutating func contains(_ container: JinjaValue, _ value: JinjaValue) throws(JinjaError) -> Bool {
        if case .string(let text) = container {
            guard case .string(let part) = try defined(value) else {
                throw JinjaError("a string can contain only strings")
            }
            try countSearch(for: part, in: text)
            return text.range(ofPart: part) != nil
        }
        return try sequence(container).contains(value)
    }

    mutating func calculate(
        _ operation: BinaryOperator, _ a: JinjaValue, _ b: JinjaValue
    ) throws(JinjaError) -> JinjaValue {
        if operation == .modulo, case .string(let format) = a {
            let values: [JinjaValue] = if case .tuple(let values) = b { values } else { [b] }
            return try string(try TextFormat.percent(format, values, mapping: b))
        }
        if let x = a.number, let y = b.number { return try Self.calculate(operation, x, y) }
        switch (operation, a, b) {
        case (.plus, .string(let x), .string(let y)): return try string(x + y)
        case (.plus, .tuple(let x), .tuple(let y)): return try list(x + y, isTuple: true)
        case (.plus, _, _):
            if case .tuple = a { break }
            if case .tuple = b { break }
            guard let x = a.elements, let y = b.elements else { break }
            return try list(x + y)
        case (.times, .string(let text), .int(let times)), (.times, .int(let times), .string(let text)):
            let times = max(times, 0)
            guard times <= JinjaLimits.text / max(text.utf8.count, 1) else {
                throw JinjaError("the text is longer than \(JinjaLimits.text) bytes")
            }
            return try string(String(repeating: text, count: times))
        case (.times, .list(let values), .int(let times)), (.times, .int(let times), .list(let values)):
            let times = max(times, 0)
            guard times <= JinjaLimits.elements / max(values.count, 1) else {
                throw JinjaError("a list has more than \(JinjaLimits.elements) elements")
            }
            return .list(Array(repeatElement(values, count: times).joined()))
        default: break
        }
        throw JinjaError("\(operation.rawValue) doesn't support values of types \(a.typeName) and \(b.typeName)")
    }

    mutating func list(_ values: [JinjaValue], isTuple: Bool = false) throws(JinjaError) -> JinjaValue {
        try count(values.count)
        guard values.count <= JinjaLimits.elements else {
            throw JinjaError("a list has more than \(JinjaLimits.elements) elements")
        }
        return isTuple ? .tuple(values) : .list(values)
    }

    private static func calculate(
        _ operation: BinaryOperator, _ a: JinjaNumber, _ b: JinjaNumber
    ) throws(JinjaError) -> JinjaValue {
        if [.divided, .dividedWhole, .modulo].contains(operation), b.double == 0 {
            throw JinjaError("division by zero")
        }
        if case .int(let x) = a, case .int(let y) = b {
            switch operation {
            case .plus: return .int(try whole(x.addingReportingOverflow(y)))
            case .minus: return .int(try whole(x.subtractingReportingOverflow(y)))
            case .times: return .int(try whole(x.multipliedReportingOverflow(by: y)))
            case .divided: return .float(Double(x) / Double(y))
            case .dividedWhole:
                let quotient = try whole(x.dividedReportingOverflow(by: y))
                return .int(x % y != 0 && (x < 0) != (y < 0) ? quotient - 1 : quotient)
            case .modulo:
                let rest = try whole(x.remainderReportingOverflow(dividingBy: y))
                return .int(rest != 0 && (rest < 0) != (y < 0) ? rest + y : rest)
            case .power:
                guard y >= 0 else {
                    guard x != 0 else { throw JinjaError("division by zero") }
                    return .float(pow(Double(x), Double(y)))
                }
                guard x.magnitude > 1 else { return .int(y == 0 ? 1 : x == -1 && y % 2 == 0 ? 1 : x) }
                guard y < 64 else { throw JinjaError("a number is too large") }
                var result = 1
                for _ in 0..<y { result = try whole(result.multipliedReportingOverflow(by: x)) }
                return .int(result)
            case .and, .or: break
            }
        }
        let x = a.double
        let y = b.double
        switch operation {
        case .plus: return .float(x + y)
        case .minus: return .float(x - y)
        case .times: return .float(x * y)
        case .divided: return .float(x / y)
        case .dividedWhole: return .float((x / y).rounded(.down))
        case .modulo:
            let rest = fmod(x, y)
            return .float(rest != 0 && (rest < 0) != (y < 0) ? rest + y : rest)
        case .power:
            let result = pow(x, y)
            guard !result.isNaN || x.isNaN || y.isNaN else { throw JinjaError("the power isn't a real number") }
            return .float(result)
        case .and, .or: throw JinjaError("\(operation.rawValue) isn't an arithmetic operator")
        }
    }
}

/// The evaluated arguments of a filter, a test, a function or a method.
struct GivenArguments {
    var positional: [JinjaValue] = []
    var named: [String: JinjaValue] = [:]

    /// Returns the argument at a position or with a name, or `nil` if it is missing.
    func value(_ place: Int, _ name: String) -> JinjaValue? {
        place < positional.count ? positional[place] : named[name]
    }

    func required(_ place: Int, _ name: String) throws(JinjaError) -> JinjaValue {
        guard let value = value(place, name) else { throw JinjaError("the \(name) argument is missing") }
        return value
    }

    func text(_ place: Int, _ name: String) throws(JinjaError) -> String? {
        guard let value = value(place, name), value != .none else { return nil }
        guard case .string(let text) = value else { throw JinjaError("the \(name) argument isn't a string") }
        return text
    }

    func requiredText(_ place: Int, _ name: String) throws(JinjaError) -> String {
        guard let text = try text(place, name) else { throw JinjaError("the \(name) argument is missing") }
        return text
    }

    func int(_ place: Int, _ name: String) throws(JinjaError) -> Int? {
        guard let value = value(place, name), value != .none else { return nil }
        guard case .int(let number)? = value.number else { throw JinjaError("the \(name) argument isn't an integer") }
        return number
    }
}

extension String {
    /// Returns the range of the first occurrence of a substring, or `nil` if the text doesn't contain it.
    ///
    /// As in Python, Unicode scalars are compared.
    func range(ofPart part: String, from start: String.Index? = nil) -> Range<String.Index>? {
        let start = start ?? startIndex
        guard !part.isEmpty else { return start..<start }
        let whole = unicodeScalars[start...]
        let part = part.unicodeScalars
        var index = whole.startIndex
        while index < whole.endIndex {
            if whole[index...].starts(with: part) {
                return index..<whole.index(index, offsetBy: part.count)
            }
            index = whole.index(after: index)
        }
        return nil
    }
}
