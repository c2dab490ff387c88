import BoundedJSON

/// The few templates that producers use to pick one value out of a message: `{{ value }}`, `{{ value_json.a.b }}`,
/// `{{ value_json["a"] }}`, each perhaps with `| int` or `| float`.
///
/// Everything else is refused when it is read; nothing is guessed.
package struct ValueTemplate: Equatable, Sendable {
    private enum Filter: String {
        case int, float
    }

    /// The names to follow into the JSON value, or `nil` for the text as it is.
    private var path: [String]?
    private var filter: Filter?

    /// Reads a template; `nil` if it is of any other shape.
    ///
    /// - Parameter text: the template.
    package init?(_ text: String) {
        var rest = Substring(text).trimmed
        guard rest.hasPrefix("{{"), rest.hasSuffix("}}"), rest.utf8.count >= 4 else { return nil }
        rest = rest.dropFirst(2).dropLast(2)
        if rest.hasPrefix("-") { rest = rest.dropFirst() }
        if rest.hasSuffix("-") { rest = rest.dropLast() }
        rest = rest.trimmed
        let parts = rest.split(separator: "|", omittingEmptySubsequences: false)
        guard let expression = parts.first?.trimmed, parts.count <= 2 else { return nil }
        if parts.count == 2 {
            guard let filter = Filter(rawValue: String(parts[1].trimmed)) else { return nil }
            self.filter = filter
        }
        if expression == "value" { return }
        guard expression.hasPrefix("value_json") else { return nil }
        guard let path = Self.path(expression.dropFirst("value_json".count)) else { return nil }
        self.path = path
    }

    private static func path(_ text: Substring) -> [String]? {
        var rest = text
        var path: [String] = []
        while let first = rest.first {
            if first == "." {
                let name = rest.dropFirst().prefix { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
                guard let start = name.first, !start.isNumber else { return nil }
                path.append(String(name))
                rest = rest[name.endIndex...]
            } else if first == "[", let quote = rest.dropFirst().first, quote == "\"" || quote == "'" {
                let after = rest.dropFirst(2)
                guard let end = after.firstIndex(of: quote), !after[..<end].contains("\\") else { return nil }
                path.append(String(after[..<end]))
                rest = after[after.index(after: end)...]
                guard rest.first == "]" else { return nil }
                rest = rest.dropFirst()
            } else {
                return nil
            }
        }
        return path
    }

    /// Picks the value out of a message.
    ///
    /// - Parameter payload: the message.
    /// - Returns: the value as text, or `nil` if the message does not have it.
    package func value(of payload: MQTTPayload) -> String? {
        let text: String
        if let path {
            guard var value = payload.json else { return nil }
            for name in path {
                guard let member = value[name] else { return nil }
                value = member
            }
            switch value {
            case .string(let string): text = string
            case .bool(let bool): text = bool ? "True" : "False"
            case .integer(let number): text = String(number)
            case .unsigned(let number): text = String(number)
            case .number(let number): text = String(number)
            case .null: text = "None"
            case .array, .object: return nil
            }
        } else {
            guard let string = payload.text else { return nil }
            text = string
        }
        guard let filter else { return text }
        guard let number = Double(text.trimmingSpaces), number.isFinite else { return nil }
        switch filter {
        case .int: return Int(exactly: number.rounded(.towardZero)).map(String.init)
        case .float: return String(number)
        }
    }
}

extension Substring {
    /// The text without white space around it.
    var trimmed: Substring {
        var rest = self
        while let first = rest.first, first.isWhitespace { rest = rest.dropFirst() }
        while let last = rest.last, last.isWhitespace { rest = rest.dropLast() }
        return rest
    }
}

extension String {
    /// The text without white space around it.
    var trimmingSpaces: String { String(Substring(self).trimmed) }
}
