extension JSONValue {
    /// Makes the JSON form of a value.
    ///
    /// Members stand in the order of the type's `CodingKeys`, and what is `nil` is left out. ``TaggedUnionKey`` tells
    /// what becomes of enums. A key `_0` stands for the object itself: the members of its value are the object's. A key
    /// that begins with `^` is not written: see ``decoded(as:)``.
    ///
    /// - Parameter value: what is written. An `encode(to:)` of its own must not throw; the synthesized one does not.
    public init(encoding value: some Encodable) {
        do { self = try Self.encoded(value) } catch {
            preconditionFailure("\(type(of: value)) throws when it is written, which depends on no peer")
        }
    }

    /// The tag of a union, without the cost of writing its values.
    ///
    /// - Parameter value: an enum whose `CodingKeys` are ``TaggedUnionKey``s.
    /// - Returns: the tag; empty for anything else.
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

    /// Writes the types that most members have; `nil` for any other type.
    ///
    /// The types are compared before anything is cast, because a cast costs far more.
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

    /// A dictionary has no order of its own.
    private static func texts(_ texts: [String: String]) -> JSONValue {
        var object = JSONObject()
        for (name, text) in texts.sorted(by: { $0.key < $1.key }) { object.append(name, .string(text)) }
        return .object(object)
    }
}

/// Kept, because the type of a dictionary is looked for whenever it is named.
private let textsType: Any.Type = [String: String].self

/// A value that is being written; several containers may write to one.
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
    /// The members and elements that are values of their own, complete only when this one is.
    private var nested: [(index: Int, node: EncodingNode)] = []
    /// Whether only the tag is wanted, and the tag once it is known.
    private let isTagOnly: Bool
    private(set) var tag: String?

    init(isTagOnly: Bool = false) { self.isTagOnly = isTagOnly }

    /// Whether nothing more is to be written.
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

    /// Adds a member that is written by and by.
    func append(_ name: String) -> EncodingNode {
        let node = EncodingNode()
        nested.append((members.members.count, node))
        members.append(name, .null)
        return node
    }

    /// Adds an element that is written by and by.
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

    // No type here asks for them: an error names its path on the way up.
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

    // What most members are: the compiler knows these types, and nothing need be found out about them.
    mutating func encode(_ value: String, forKey key: Key) throws { put(.string(value), key) }
    mutating func encode(_ value: Bool, forKey key: Key) throws { put(.bool(value), key) }
    mutating func encode(_ value: Int, forKey key: Key) throws { put(.integer(Int64(value)), key) }
    mutating func encode(_ value: Int64, forKey key: Key) throws { put(.integer(value), key) }
    mutating func encode(_ value: UInt64, forKey key: Key) throws { put(.unsignedInteger(value), key) }

    private func nested(_ key: some CodingKey) -> ValueEncoder {
        // A case of an enum; one that is named so is the object itself.
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

/// Writes a case's key as the tag, and its values beside it or as the content.
private struct UnionWriter<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let node: EncodingNode
    let tag: String
    let content: String?

    var codingPath: [any CodingKey] { [] }

    private func nested(_ key: Key) -> ValueEncoder {
        if key.stringValue == KeyRule.itself { return ValueEncoder(node: node) }
        node.appendTag(tag, key.stringValue)
        // What is full takes nothing more, whichever of its parts it is written to.
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
            // An integer that no message has, of more than 64 bits, is written with what precision there is.
            node.set(
                Int64(exactly: value).map(JSONValue.integer) ?? UInt64(exactly: value).map(JSONValue.unsigned)
                    ?? .number(Double(value)))
        case let value as Float: node.set(.number(Double(value)))
        default: try value.encode(to: ValueEncoder(node: node))
        }
    }
}

// MARK: JSON within messages

extension JSONValue: Encodable {
    /// Writes the value as it is; only ``JSONValue/init(encoding:)`` can.
    public func encode(to encoder: any Encoder) throws {
        guard let encoder = encoder as? ValueEncoder else {
            throw EncodingError.invalidValue(
                self,
                EncodingError.Context(codingPath: encoder.codingPath, debugDescription: "written by JSONValue only"))
        }
        encoder.node.set(self)
    }
}
