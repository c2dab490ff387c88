/// Parses the tokens of a template, with Jinja2's operator precedence.
struct JinjaParser {
    private let tokens: [JinjaToken]
    private var position = 0
    private var depth = 0

    init(tokens: [JinjaToken]) { self.tokens = tokens }

    private var token: JinjaToken? { position < tokens.count ? tokens[position] : nil }

    private func isSymbol(_ text: String) -> Bool { token == .symbol(text) }
    private func isName(_ text: String) -> Bool { token == .name(text) }

    private mutating func take(_ wanted: JinjaToken) -> Bool {
        guard token == wanted else { return false }
        position += 1
        return true
    }

    private mutating func takeSymbol(_ text: String) -> Bool { take(.symbol(text)) }
    private mutating func takeName(_ text: String) -> Bool { take(.name(text)) }

    private mutating func expect(_ wanted: JinjaToken, _ text: String) throws(JinjaError) {
        guard take(wanted) else { throw JinjaError("\(text) is missing") }
    }

    private mutating func name() throws(JinjaError) -> String {
        guard case .name(let name)? = token else { throw JinjaError("a name is missing") }
        position += 1
        return name
    }

    private mutating func deeper<T>(_ body: (inout JinjaParser) throws(JinjaError) -> T) throws(JinjaError) -> T {
        depth += 1
        defer { depth -= 1 }
        guard depth <= JinjaLimits.depth else { throw JinjaError("the template is nested too deeply") }
        return try body(&self)
    }

    // MARK: Statements

    mutating func template() throws(JinjaError) -> [Statement] {
        let body = try statements()
        guard token == nil else { throw JinjaError("a block ends without a start") }
        return body
    }

    /// Parses statements up to a block that begins with one of the names in `ends`, or to the end of the template if
    /// `ends` is empty.
    private mutating func statements(until ends: [String] = []) throws(JinjaError) -> [Statement] {
        var result: [Statement] = []
        while let token {
            switch token {
            case .text(let text):
                position += 1
                result.append(.text(text))
            case .outputBegin:
                position += 1
                result.append(.output(try tuple()))
                try expect(.outputEnd, "the end of {{")
            case .blockBegin:
                if position + 1 < tokens.count, case .name(let name) = tokens[position + 1], ends.contains(name) {
                    return result
                }
                position += 1
                result.append(try deeper { (parser) throws(JinjaError) in try parser.block() })
            default: throw JinjaError("a tag is missing")
            }
        }
        if !ends.isEmpty { throw JinjaError("{% \(ends[ends.count - 1]) %} is missing") }
        return result
    }

    private mutating func blockEnd() throws(JinjaError) { try expect(.blockEnd, "the end of {%") }

    private mutating func block() throws(JinjaError) -> Statement {
        let keyword = try name()
        switch keyword {
        case "if": return try ifBlock()
        case "for": return try forBlock()
        case "set": return try setBlock()
        default: throw JinjaError("the block {% \(keyword.prefix(32)) %} isn't supported")
        }
    }

    private mutating func ifBlock() throws(JinjaError) -> Statement {
        var branches: [(condition: Expression, body: [Statement])] = []
        while true {
            let condition = try tuple()
            try blockEnd()
            branches.append((condition, try statements(until: ["elif", "else", "endif"])))
            try expect(.blockBegin, "{% endif %}")
            if takeName("elif") { continue }
            var otherwise: [Statement] = []
            if takeName("else") {
                try blockEnd()
                otherwise = try statements(until: ["endif"])
                try expect(.blockBegin, "{% endif %}")
            }
            try expect(.name("endif"), "{% endif %}")
            try blockEnd()
            return .if(branches, otherwise: otherwise)
        }
    }

    private mutating func forBlock() throws(JinjaError) -> Statement {
        var names = [try name()]
        while takeSymbol(",") { names.append(try name()) }
        try expect(.name("in"), "in")
        let values = try tuple(withConditional: false)
        var condition: Expression?
        if takeName("if") { condition = try expression() }
        if isName("recursive") { throw JinjaError("a recursive loop isn't supported") }
        try blockEnd()
        let body = try statements(until: ["else", "endfor"])
        try expect(.blockBegin, "{% endfor %}")
        var otherwise: [Statement] = []
        if takeName("else") {
            try blockEnd()
            otherwise = try statements(until: ["endfor"])
            try expect(.blockBegin, "{% endfor %}")
        }
        try expect(.name("endfor"), "{% endfor %}")
        try blockEnd()
        return .for(names, in: values, where: condition, body: body, otherwise: otherwise)
    }

    private mutating func setBlock() throws(JinjaError) -> Statement {
        var targets = [try target()]
        while takeSymbol(",") { targets.append(try target()) }
        if takeSymbol("=") {
            let value = try tuple()
            try blockEnd()
            return .set(targets, value)
        }
        guard targets.count == 1, !isSymbol("|") else { throw JinjaError("{% set %} with a filter isn't supported") }
        try blockEnd()
        let body = try statements(until: ["endset"])
        position += 2
        try blockEnd()
        return .setText(targets[0], body)
    }

    private mutating func target() throws(JinjaError) -> Target {
        let name = try name()
        if ["true", "false", "none", "True", "False", "None"].contains(name) {
            throw JinjaError("\(name) can't be set")
        }
        return Target(name: name, attribute: takeSymbol(".") ? try self.name() : nil)
    }

    // MARK: Expressions

    /// Parses an expression, or a tuple of expressions that are separated by commas.
    private mutating func tuple(withConditional: Bool = true) throws(JinjaError) -> Expression {
        let first = withConditional ? try expression() : try either()
        guard isSymbol(",") else { return first }
        var values = [first]
        while takeSymbol(",") {
            switch token {
            case .outputEnd, .blockEnd, .symbol(")"), nil: break
            default:
                values.append(withConditional ? try expression() : try either())
                continue
            }
            break
        }
        return try Expression(.tuple(values))
    }

    private mutating func expression() throws(JinjaError) -> Expression {
        try deeper { (parser) throws(JinjaError) in try parser.conditional() }
    }

    private mutating func conditional() throws(JinjaError) -> Expression {
        var value = try either()
        while takeName("if") {
            let condition = try either()
            let otherwise = takeName("else") ? try expression() : nil
            value = try Expression(.conditional(condition, then: value, otherwise: otherwise))
        }
        return value
    }

    private mutating func either() throws(JinjaError) -> Expression {
        var left = try both()
        while takeName("or") { left = try Expression(.binary(.or, left, try both())) }
        return left
    }

    private mutating func both() throws(JinjaError) -> Expression {
        var left = try negation()
        while takeName("and") { left = try Expression(.binary(.and, left, try negation())) }
        return left
    }

    private mutating func negation() throws(JinjaError) -> Expression {
        guard takeName("not") else { return try comparison() }
        return try Expression(.unary(.not, try deeper { (parser) throws(JinjaError) in try parser.negation() }))
    }

    private mutating func comparison() throws(JinjaError) -> Expression {
        let first = try sum()
        var others: [(Comparison, Expression)] = []
        while true {
            if case .symbol(let symbol)? = token, let comparison = Comparison(rawValue: symbol) {
                position += 1
                others.append((comparison, try sum()))
            } else if takeName("in") {
                others.append((.isIn, try sum()))
            } else if isName("not"), position + 1 < tokens.count, tokens[position + 1] == .name("in") {
                position += 2
                others.append((.isNotIn, try sum()))
            } else {
                return others.isEmpty ? first : try Expression(.comparison(first, others))
            }
        }
    }

    private mutating func sum() throws(JinjaError) -> Expression {
        var left = try concatenation()
        while isSymbol("+") || isSymbol("-") {
            let symbol: BinaryOperator = takeSymbol("+") ? .plus : .minus
            if symbol == .minus { position += 1 }
            left = try Expression(.binary(symbol, left, try concatenation()))
        }
        return left
    }

    private mutating func concatenation() throws(JinjaError) -> Expression {
        let first = try product()
        guard isSymbol("~") else { return first }
        var values = [first]
        while takeSymbol("~") { values.append(try product()) }
        return try Expression(.concatenation(values))
    }

    private mutating func product() throws(JinjaError) -> Expression {
        var left = try power()
        while case .symbol(let symbol)? = token, ["*", "/", "//", "%"].contains(symbol),
            let operation = BinaryOperator(rawValue: symbol)
        {
            position += 1
            left = try Expression(.binary(operation, left, try power()))
        }
        return left
    }

    private mutating func power() throws(JinjaError) -> Expression {
        var left = try unary()
        while takeSymbol("**") { left = try Expression(.binary(.power, left, try unary())) }
        return left
    }

    private mutating func unary(withFilters: Bool = true) throws(JinjaError) -> Expression {
        try deeper { (parser) throws(JinjaError) in
            var value: Expression
            if parser.takeSymbol("-") {
                value = try Expression(.unary(.minus, try parser.unary(withFilters: false)))
            } else if parser.takeSymbol("+") {
                value = try Expression(.unary(.plus, try parser.unary(withFilters: false)))
            } else {
                value = try parser.primary()
            }
            value = try parser.postfix(value)
            return withFilters ? try parser.filters(value) : value
        }
    }

    private mutating func primary() throws(JinjaError) -> Expression {
        guard let token else { throw JinjaError("an expression is missing") }
        position += 1
        switch token {
        case .name("true"), .name("True"): return try Expression(.constant(.bool(true)))
        case .name("false"), .name("False"): return try Expression(.constant(.bool(false)))
        case .name("none"), .name("None"): return try Expression(.constant(.none))
        case .name(let name):
            guard takeSymbol("(") else { return try Expression(.name(name)) }
            guard let function = Function(rawValue: name) else {
                throw JinjaError("the function \"\(name.prefix(32))\" isn't supported")
            }
            return try Expression(.call(function, try arguments()))
        case .string(var text):
            while case .string(let next)? = self.token {
                text += next
                position += 1
            }
            return try Expression(.constant(.string(text)))
        case .int(let value): return try Expression(.constant(.int(value)))
        case .float(let value): return try Expression(.constant(.float(value)))
        case .symbol("("):
            if takeSymbol(")") { return try Expression(.tuple([])) }
            let value = try tuple()
            try expect(.symbol(")"), ")")
            return value
        case .symbol("["): return try Expression(.list(try elements(until: "]")))
        case .symbol("{"): return try dictionary()
        default:
            position -= 1
            throw JinjaError("an expression is missing")
        }
    }

    private mutating func elements(until end: String) throws(JinjaError) -> [Expression] {
        var values: [Expression] = []
        while !takeSymbol(end) {
            if !values.isEmpty {
                try expect(.symbol(","), ",")
                if takeSymbol(end) { break }
            }
            values.append(try expression())
        }
        return values
    }

    private mutating func dictionary() throws(JinjaError) -> Expression {
        var members: [(key: Expression, value: Expression)] = []
        while !takeSymbol("}") {
            if !members.isEmpty {
                try expect(.symbol(","), ",")
                if takeSymbol("}") { break }
            }
            let key = try expression()
            try expect(.symbol(":"), ":")
            members.append((key, try expression()))
        }
        return try Expression(.dict(members))
    }

    private mutating func arguments() throws(JinjaError) -> Arguments {
        var arguments = Arguments()
        while !takeSymbol(")") {
            if !arguments.positional.isEmpty || !arguments.named.isEmpty {
                try expect(.symbol(","), ",")
                if takeSymbol(")") { break }
            }
            if isSymbol("*") || isSymbol("**") { throw JinjaError("arguments with * aren't supported") }
            if case .name(let name)? = token, position + 1 < tokens.count, tokens[position + 1] == .symbol("=") {
                position += 2
                arguments.named.append((name, try expression()))
            } else {
                guard arguments.named.isEmpty else {
                    throw JinjaError("a positional argument follows a named one")
                }
                arguments.positional.append(try expression())
            }
        }
        return arguments
    }

    private mutating func postfix(_ value: Expression) throws(JinjaError) -> Expression {
        var value = value
        while true {
            if takeSymbol(".") {
                if case .int(let index)? = token {
                    position += 1
                    value = try Expression(.item(value, try Expression(.constant(.int(index)))))
                    continue
                }
                let name = try name()
                if takeSymbol("(") {
                    guard let method = Method(rawValue: name) else {
                        throw JinjaError("the method \"\(name.prefix(32))\" isn't supported")
                    }
                    value = try Expression(.method(value, method, try arguments()))
                } else {
                    value = try Expression(.attribute(value, name))
                }
            } else if takeSymbol("[") {
                value = try subscripted(value)
            } else if isSymbol("(") {
                throw JinjaError("only functions can be called")
            } else {
                return value
            }
        }
    }

    private mutating func subscripted(_ value: Expression) throws(JinjaError) -> Expression {
        var parts: [Expression?] = [nil]
        var isSlice = false
        while !takeSymbol("]") {
            if takeSymbol(":") {
                isSlice = true
                parts.append(nil)
                guard parts.count <= 3 else { throw JinjaError("a slice has more than three parts") }
            } else {
                guard parts[parts.count - 1] == nil else { throw JinjaError("] is missing") }
                parts[parts.count - 1] = try expression()
            }
        }
        if isSlice {
            return try Expression(
                .slice(value, from: parts[0], to: parts[1], step: parts.count == 3 ? parts[2] : nil))
        }
        guard let index = parts[0] else { throw JinjaError("an index is missing") }
        return try Expression(.item(value, index))
    }

    private mutating func filters(_ value: Expression) throws(JinjaError) -> Expression {
        var value = value
        while true {
            if takeSymbol("|") {
                let name = try name()
                guard let filter = Filter(name: name) else {
                    throw JinjaError("the filter \"\(name.prefix(32))\" isn't supported")
                }
                value = try Expression(.filter(value, filter, takeSymbol("(") ? try arguments() : Arguments()))
            } else if takeName("is") {
                let isNegated = takeName("not")
                value = try test(of: value, isNegated: isNegated)
            } else {
                return value
            }
        }
    }

    private mutating func test(of value: Expression, isNegated: Bool) throws(JinjaError) -> Expression {
        let name: String
        if case .symbol(let symbol)? = token {
            position += 1
            name = symbol
        } else {
            name = try self.name()
        }
        guard let test = Test(name: name) else { throw JinjaError("the test \"\(name.prefix(32))\" isn't supported") }
        var arguments = Arguments()
        switch token {
        case .symbol("(")?:
            position += 1
            arguments = try self.arguments()
        case .name("else")?, .name("or")?, .name("and")?, .name("if")?: break
        case .name("is")?: throw JinjaError("chained tests aren't supported")
        case .name?, .string?, .int?, .float?, .symbol("[")?, .symbol("{")?:
            // The argument of a test can follow without parentheses.
            arguments.positional = [try postfix(try primary())]
        default: break
        }
        return try Expression(.test(value, test, arguments, isNegated: isNegated))
    }
}
