extension JSONValue {
    /// Creates the JSON form of a value.
    ///
    /// The members are in the order of the type's `CodingKeys`, and `nil` values are omitted. For enums, see
    /// ``TaggedUnionKey``. The key `_0` refers to the object itself, so the members of its value are added to the
    /// object. A key that begins with `^` isn't encoded; see ``decoded(as:)``.
    ///
    /// - Parameter value: The value to encode. A custom `encode(to:)` must not throw; the synthesized one doesn't.
    public init(encoding value: some Encodable) {
        do { self = try Self.encoded(value) } catch {
            preconditionFailure("\(type(of: value)).encode(to:) must not throw")
        }
    }

    /// Returns the tag of a union, without encoding the union's associated values.
    ///
    /// - Parameter value: An enum whose `CodingKeys` are ``TaggedUnionKey``s.
    /// - Returns: The tag; empty for any other value.
    public static func tag(of value: some Encodable) -> String {
        let node = EncodingNode(isTagOnly: true)
        try? value.encode(to: ValueEncoder(node: node))
        return node.tag ?? ""
    }

    fileprivate static func encoded<Value: Encodable>(_ value: Value) throws -> JSONValue {
        if let json = simple(value) { return json }
        let node = EncodingNode()
        try value.encode(to: ValueEncoder(node: node))
        return node.json
    }

    /// Encodes a value of a frequent type, or returns `nil` for any other type.
    ///
    /// It compares types before casting, because a cast is far more expensive.
    fileprivate static func simple<Value>(_ value: Value) -> JSONValue? {
        if Value.self == String.self { return (value as? String).map(JSONValue.string) }
        if Value.self == Bool.self { return (value as? Bool).map(JSONValue.bool) }
        if Value.self == Int.self { return (value as? Int).map { .integer(Int64($0)) } }
        if Value.self == Int64.self { return (value as? Int64).map(JSONValue.integer) }
        if Value.self == UInt64.self { return (value as? UInt64).map(JSONValue.unsignedInteger) }
        if Value.self == Double.self { return (value as? Double).map(JSONValue.number) }
        if Value.self == textsType { return (value as? [String: String]).map(JSONValue.texts) }
        return nil
    }

    fileprivate static func unsignedInteger(_ number: UInt64) -> JSONValue {
        Int64(exactly: number).map(JSONValue.integer) ?? .unsigned(number)
    }

    /// Sorts the members, because a dictionary has no order.
    private static func texts(_ texts: [String: String]) -> JSONValue {
        var object = JSONObject()
        for (name, text) in texts.sorted(by: { $0.key < $1.key }) { object.append(name, .string(text)) }
        return .object(object)
    }
}

/// The type of a dictionary of strings.
///
/// It is stored, because using the type directly would look it up each time.
private let textsType: Any.Type = [String: String].self

/// A value that is being encoded.
///
/// Several containers may write to the same node.
private final class EncodingNode {
    private enum Content {
        case nothing
        case value(JSONValue)
        case array
        case object
    }

    private var content = Content.nothing
    private var members = JSONObject()
    private var elements: [JSONValue] = []
    /// The members and elements that have separate nodes; their values are complete only when this node is.
    private var nested: [(index: Int, node: EncodingNode)] = []
    /// A Boolean value that indicates whether only the tag is requested.
    private let isTagOnly: Bool
    private(set) var tag: String?

    init(isTagOnly: Bool = false) { self.isTagOnly = isTagOnly }

    /// A Boolean value that indicates whether the tag was requested and is known, so that encoding can stop.
    var isFull: Bool { isTagOnly && tag != nil }

    func appendTag(_ name: String, _ tag: String) {
        self.tag = tag
        members.append(name, .string(tag))
    }

    var count: Int { elements.count }

    func becomeObject() { content = .object }

    func becomeArray() { content = .array }

    func set(_ value: JSONValue) { content = .value(value) }

    func append(_ element: JSONValue) { elements.append(element) }

    func append(_ name: String, _ value: JSONValue) { members.append(name, value) }

    /// Adds a member whose value is encoded later.
    func append(_ name: String) -> EncodingNode {
        let node = EncodingNode()
        nested.append((members.members.count, node))
        members.append(name, .null)
        return node
    }

    /// Adds an element whose value is encoded later.
    func append() -> EncodingNode {
        let node = EncodingNode()
        nested.append((elements.count, node))
        elements.append(.null)
        return node
    }

    var json: JSONValue {
        switch content {
        case .nothing: return .object(JSONObject())
        case .value(let value): return value
        case .array:
            for (index, node) in nested { elements[index] = node.json }
            return .array(elements)
        case .object:
            for (index, node) in nested { members.replaceValue(at: index, with: node.json) }
            return .object(members)
        }
    }
}

private struct ValueEncoder: Encoder {
    let node: EncodingNode

    // The path isn't used, because an error collects its path as it propagates.
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        node.becomeObject()
        guard let union = Key.self as? any TaggedUnionKey.Type else {
            return KeyedEncodingContainer(ObjectWriter<Key>(node: node))
        }
        return KeyedEncodingContainer(UnionWriter<Key>(node: node, tag: union.tag, content: union.content))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        node.becomeArray()
        return ArrayWriter(node: node)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { SingleValueWriter(node: node) }
}

private struct ObjectWriter<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let node: EncodingNode

    var codingPath: [any CodingKey] { [] }

    mutating func encodeNil(forKey key: Key) { node.append(key.stringValue, .null) }

    mutating func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
        if node.isFull { return }
        let name = key.stringValue
        if name == KeyRule.itself { return try value.encode(to: ValueEncoder(node: node)) }
        if KeyRule.isEnclosing(name) { return }
        node.append(name, try JSONValue.encoded(value))
    }

    private func put(_ value: JSONValue, _ key: Key) {
        if node.isFull { return }
        let name = key.stringValue
        if name == KeyRule.itself { return node.set(value) }
        if !KeyRule.isEnclosing(name) { node.append(name, value) }
    }

    // Overloads for the most frequent types. The compiler selects them, so that no type is checked at run time.
    mutating func encode(_ value: String, forKey key: Key) throws { put(.string(value), key) }
    mutating func encode(_ value: Bool, forKey key: Key) throws { put(.bool(value), key) }
    mutating func encode(_ value: Int, forKey key: Key) throws { put(.integer(Int64(value)), key) }
    mutating func encode(_ value: Int64, forKey key: Key) throws { put(.integer(value), key) }
    mutating func encode(_ value: UInt64, forKey key: Key) throws { put(.unsignedInteger(value), key) }

    private func nested(_ key: some CodingKey) -> ValueEncoder {
        // This encodes a case of an enum. A case with the key `_0` is the object itself.
        ValueEncoder(node: key.stringValue == KeyRule.itself ? node : node.append(key.stringValue))
    }

    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
        nested(key).container(keyedBy: type)
    }

    mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        nested(key).unkeyedContainer()
    }

    mutating func superEncoder() -> any Encoder { ValueEncoder(node: node.append("super")) }

    mutating func superEncoder(forKey key: Key) -> any Encoder { nested(key) }
}

/// A container of an enum.
///
/// It writes the key of a case as the tag, and its values next to the tag or as the content.
private struct UnionWriter<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let node: EncodingNode
    let tag: String
    let content: String?

    var codingPath: [any CodingKey] { [] }

    private func nested(_ key: Key) -> ValueEncoder {
        if key.stringValue == KeyRule.itself { return ValueEncoder(node: node) }
        node.appendTag(tag, key.stringValue)
        // A full node ignores all further values.
        return ValueEncoder(node: node.isFull ? node : content.map { node.append($0) } ?? node)
    }

    mutating func encodeNil(forKey key: Key) { _ = nested(key) }

    mutating func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
        try value.encode(to: nested(key))
    }

    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
        nested(key).container(keyedBy: type)
    }

    mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        nested(key).unkeyedContainer()
    }

    mutating func superEncoder() -> any Encoder { ValueEncoder(node: node) }

    mutating func superEncoder(forKey key: Key) -> any Encoder { nested(key) }
}

private struct ArrayWriter: UnkeyedEncodingContainer {
    let node: EncodingNode

    var codingPath: [any CodingKey] { [] }
    var count: Int { node.count }

    mutating func encodeNil() { node.append(.null) }

    mutating func encode<Value: Encodable>(_ value: Value) throws { node.append(try JSONValue.encoded(value)) }

    mutating func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
        ValueEncoder(node: node.append()).container(keyedBy: type)
    }

    mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        ValueEncoder(node: node.append()).unkeyedContainer()
    }

    mutating func superEncoder() -> any Encoder { ValueEncoder(node: node.append()) }
}

private struct SingleValueWriter: SingleValueEncodingContainer {
    let node: EncodingNode

    var codingPath: [any CodingKey] { [] }

    mutating func encodeNil() { node.set(.null) }

    mutating func encode(_ value: String) throws { node.set(.string(value)) }

    mutating func encode(_ value: UInt64) throws { node.set(.unsignedInteger(value)) }

    mutating func encode<Value: Encodable>(_ value: Value) throws {
        if let json = JSONValue.simple(value) { return node.set(json) }
        switch value {
        case let value as any BinaryInteger:
            // Messages contain no integers of more than 64 bits. A larger integer would lose precision.
            node.set(
                Int64(exactly: value).map(JSONValue.integer) ?? UInt64(exactly: value).map(JSONValue.unsigned)
                    ?? .number(Double(value)))
        case let value as Float: node.set(.number(Double(value)))
        default: try value.encode(to: ValueEncoder(node: node))
        }
    }
}

// MARK: JSON in messages

extension JSONValue: Encodable {
    /// Encodes the value unchanged.
    ///
    /// Only ``JSONValue/init(encoding:)`` can encode it.
    public func encode(to encoder: any Encoder) throws {
        guard let encoder = encoder as? ValueEncoder else {
            throw EncodingError.invalidValue(
                self,
                EncodingError.Context(
                    codingPath: encoder.codingPath, debugDescription: "only JSONValue(encoding:) can encode a JSONValue"
                ))
        }
        encoder.node.set(self)
    }
}
