package import BoundedJSON

/// A message that travels as JSON, with the keys that `--json` prints.
package protocol JSONConvertible: Sendable, Equatable {
    /// Reads the message.
    ///
    /// - Throws: ``BridgeControlError`` if a key is missing or of the wrong type.
    init(json: JSONValue) throws(BridgeControlError)

    /// The message; what is `nil` is left out.
    var json: JSONValue { get }
}

extension Array where Element: JSONConvertible {
    package init(json: JSONValue) throws(BridgeControlError) {
        guard case .array(let elements) = json else { throw .protocolViolation("expected an array") }
        var result: [Element] = []
        for element in elements { result.append(try Element(json: element)) }
        self = result
    }

    package var json: JSONValue { .array(map(\.json)) }
}

extension JSONValue {
    func value<Value>(_ key: String, _ read: (JSONValue) -> Value?) throws(BridgeControlError) -> Value {
        guard let value = try optional(key, read) else {
            throw .protocolViolation("the key \"\(key)\" is missing")
        }
        return value
    }

    func optional<Value>(_ key: String, _ read: (JSONValue) -> Value?) throws(BridgeControlError) -> Value? {
        guard let json = self[key], !json.isNull else { return nil }
        guard let value = read(json) else {
            throw .protocolViolation("the key \"\(key)\" has a value of the wrong type")
        }
        return value
    }
}

extension JSONValue {
    static func integer(_ value: Int) -> JSONValue { .integer(Int64(value)) }
}
