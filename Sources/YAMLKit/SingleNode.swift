/// A node that is decoded as a single value.
///
/// The meaning of its text depends on the requested type.
struct SingleNode: SingleValueDecodingContainer {
    let decoder: NodeDecoder

    var codingPath: [any CodingKey] { decoder.codingPath }

    func decodeNil() -> Bool { decoder.node.isEmpty }

    func decode(_ type: String.Type) throws -> String {
        let scalar = try scalar("text")
        if decoder.node.isEmpty, !scalar.string.isEmpty {
            throw decoder.error(
                "\(scalar.string) is an empty value in YAML", "put the text in quotes, or remove the key")
        }
        guard !decoder.node.isEmpty else { throw decoder.mismatch("text") }
        guard !scalar.string.utf8.contains(0) else {
            throw decoder.error("text can't contain NUL characters", "remove \\0 from it")
        }
        return scalar.string
    }

    func decode(_ type: Bool.Type) throws -> Bool {
        let scalar = try plain("true or false")
        switch scalar.string {
        case "true", "True", "TRUE": return true
        case "false", "False", "FALSE": return false
        default:
            switch scalar.string.lowercased() {
            case "yes", "on", "y", "1": throw wrong(scalar, "true or false", write: "use true")
            case "no", "off", "n", "0": throw wrong(scalar, "true or false", write: "use false")
            default: throw wrong(scalar, "true or false")
            }
        }
    }

    func decode(_ type: Double.Type) throws -> Double { try floating(type) }
    func decode(_ type: Float.Type) throws -> Float { try floating(type) }
    func decode(_ type: Int.Type) throws -> Int { try integer(type) }
    func decode(_ type: Int8.Type) throws -> Int8 { try integer(type) }
    func decode(_ type: Int16.Type) throws -> Int16 { try integer(type) }
    func decode(_ type: Int32.Type) throws -> Int32 { try integer(type) }
    func decode(_ type: Int64.Type) throws -> Int64 { try integer(type) }
    func decode(_ type: UInt.Type) throws -> UInt { try integer(type) }
    func decode(_ type: UInt8.Type) throws -> UInt8 { try integer(type) }
    func decode(_ type: UInt16.Type) throws -> UInt16 { try integer(type) }
    func decode(_ type: UInt32.Type) throws -> UInt32 { try integer(type) }
    func decode(_ type: UInt64.Type) throws -> UInt64 { try integer(type) }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try type.init(from: decoder) }

    // MARK: Parsing

    private func scalar(_ expected: String) throws(ConfigurationError) -> Node.Scalar {
        guard let scalar = decoder.node.scalar else { throw decoder.mismatch(expected) }
        return scalar
    }

    private func plain(_ expected: String) throws(ConfigurationError) -> Node.Scalar {
        let scalar = try scalar(expected)
        guard !decoder.node.isEmpty else { throw decoder.mismatch(expected) }
        guard scalar.isPlain else {
            throw decoder.error("expected \(expected), found text in quotes", "use \(expected) without quotes")
        }
        return scalar
    }

    private func integer<Value: FixedWidthInteger>(_ type: Value.Type) throws(ConfigurationError) -> Value {
        let scalar = try plain("a whole number")
        let digits = scalar.string.hasPrefix("-") ? scalar.string.dropFirst() : scalar.string[...]
        guard !digits.isEmpty, digits.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }) else {
            throw wrong(scalar, "a whole number")
        }
        try refuseLeadingZero(digits, of: scalar)
        guard let value = Value(scalar.string) else {
            throw decoder.error("the number is out of range", "use \(Value.min) to \(Value.max)")
        }
        return value
    }

    private func floating<Value: BinaryFloatingPoint & LosslessStringConvertible>(
        _ type: Value.Type
    ) throws(ConfigurationError) -> Value {
        let scalar = try plain("a number")
        let allowed = Set("0123456789.eE+-".unicodeScalars)
        guard scalar.string.unicodeScalars.allSatisfy(allowed.contains), let value = Value(scalar.string) else {
            throw wrong(scalar, "a number")
        }
        guard value.isFinite else { throw decoder.error("the number is out of range", "use a smaller number") }
        let digits = scalar.string.drop { $0 == "-" || $0 == "+" }.prefix { $0.isNumber }
        try refuseLeadingZero(digits, of: scalar)
        return value
    }

    /// Rejects a number with leading zeros, because some YAML parsers would read it as octal.
    private func refuseLeadingZero(_ digits: Substring, of scalar: Node.Scalar) throws(ConfigurationError) {
        guard digits.count > 1, digits.hasPrefix("0") else { return }
        throw decoder.error(
            "leading zeros aren't allowed",
            Secrets.holds(codingPath) ? "remove them" : "use \(Secrets.shown(digits.drop { $0 == "0" }.description))"
        )
    }

    private func wrong(_ scalar: Node.Scalar, _ expected: String, write: String? = nil) -> ConfigurationError {
        // A value with a space may consist of several joined lines, and may contain a secret.
        let isShowable = !Secrets.holds(codingPath) && !scalar.string.contains { $0.isWhitespace }
        let found = isShowable ? "found \"\(Secrets.shown(scalar.string))\"" : "found something else"
        return decoder.error("expected \(expected), \(found)", write ?? "use \(expected)")
    }
}
