struct Expression: Sendable {
    let kind: Kind
    /// The number of levels of nested expressions, including this one.
    let depth: Int

    indirect enum Kind: Sendable {
        case constant(JinjaValue)
        case name(String)
        case attribute(Expression, String)
        case item(Expression, Expression)
        case slice(Expression, from: Expression?, to: Expression?, step: Expression?)
        case list([Expression])
        case tuple([Expression])
        case dict([(key: Expression, value: Expression)])
        case call(Function, Arguments)
        case method(Expression, Method, Arguments)
        case filter(Expression, Filter, Arguments)
        case test(Expression, Test, Arguments, isNegated: Bool)
        case unary(UnaryOperator, Expression)
        case binary(BinaryOperator, Expression, Expression)
        case concatenation([Expression])
        case comparison(Expression, [(Comparison, Expression)])
        case conditional(Expression, then: Expression, otherwise: Expression?)
    }

    init(_ kind: Kind) throws(JinjaError) {
        self.kind = kind
        depth = (kind.parts.map(\.depth).max() ?? 0) + 1
        guard depth <= JinjaLimits.depth else { throw JinjaError("the template is nested too deeply") }
    }
}

/// The arguments of a filter, a test, a function or a method.
struct Arguments: Sendable {
    var positional: [Expression] = []
    var named: [(name: String, value: Expression)] = []

    var expressions: [Expression] { positional + named.map(\.value) }
}

enum UnaryOperator: Sendable {
    case not, minus, plus
}

enum BinaryOperator: String, Sendable {
    case and, or
    case plus = "+"
    case minus = "-"
    case times = "*"
    case divided = "/"
    case dividedWhole = "//"
    case modulo = "%"
    case power = "**"
}

enum Comparison: String, Sendable {
    case equal = "=="
    case unequal = "!="
    case less = "<"
    case lessOrEqual = "<="
    case greater = ">"
    case greaterOrEqual = ">="
    case isIn = "in"
    case isNotIn = "not in"
}

indirect enum Statement: Sendable {
    case text(String)
    case output(Expression)
    case `if`([(condition: Expression, body: [Statement])], otherwise: [Statement])
    case set([Target], Expression)
    case setText(Target, [Statement])
    case `for`([String], in: Expression, where: Expression?, body: [Statement], otherwise: [Statement])
}

/// The target of an assignment: a variable, or an attribute of a namespace.
struct Target: Sendable {
    var name: String
    var attribute: String?
}

extension Expression.Kind {
    fileprivate var parts: [Expression] {
        switch self {
        case .constant, .name: []
        case .attribute(let value, _), .unary(_, let value): [value]
        case .item(let a, let b), .binary(_, let a, let b): [a, b]
        case .slice(let value, let from, let to, let step): [value] + [from, to, step].compactMap { $0 }
        case .list(let values), .tuple(let values), .concatenation(let values): values
        case .dict(let members): members.flatMap { [$0.key, $0.value] }
        case .call(_, let arguments): arguments.expressions
        case .method(let value, _, let arguments), .filter(let value, _, let arguments),
            .test(let value, _, let arguments, _):
            [value] + arguments.expressions
        case .comparison(let first, let others): [first] + others.map(\.1)
        case .conditional(let condition, let then, let otherwise):
            [condition, then] + [otherwise].compactMap { $0 }
        }
    }
}
