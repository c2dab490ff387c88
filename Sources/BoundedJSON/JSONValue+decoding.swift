extension JSONValue {
    /// Decodes a value from its JSON form, which ``init(encoding:)`` creates.
    ///
    /// Unknown members are ignored, and `null` is treated like a missing member. An integer may be written with a
    /// decimal point (`1.0`), unless it is a `UInt64`. A key that begins with `^` refers to a member of the enclosing
    /// object or, if that object has no such member, to its `id`. A nested object therefore doesn't need to repeat the
    /// identifier of its owner.
    ///
    /// - Parameter type: The type to decode.
    /// - Returns: The value.
    /// - Throws: ``JSONDecodingError``, or an error of the type's own `init(from:)`.
    public func decoded<Value: Decodable>(as type: Value.Type) throws -> Value {
        do { return try decoded(type, in: nil) } catch { throw JSONDecodingError.prefixed(error, with: "") }
    }

    fileprivate func decoded<Value: Decodable>(_ type: Value.Type, in enclosing: JSONObject?) throws -> Value {
        try simple(type) ?? Value(from: ValueDecoder(json: self, enclosing: enclosing))
    }

    /// Decodes a value of a frequent type, or returns `nil` for any other type.
    ///
    /// It compares types before casting, because a cast is far more expensive.
    fileprivate func simple<Value>(_ type: Value.Type) throws -> Value? {
        if Value.self == String.self { return try Self.typed(string, type) }
        if Value.self == Bool.self { return try Self.typed(bool, type) }
        if Value.self == Int.self { return try Self.typed(int, type) }
        if Value.self == Int64.self { return try Self.typed(int.map(Int64.init), type) }
        if Value.self == UInt64.self { return try Self.typed(unsignedInteger, type) }
        if Value.self == Double.self { return try Self.typed(double, type) }
        // The member names of this dictionary aren't the keys of a type, and can have any form.
        if Value.self == textsType { return try Self.typed(texts, type) }
        return nil
    }

    private var texts: [String: String]? {
        guard case .object(let object) = self else { return nil }
        let texts = object.members.compactMap { member in member.value.string.map { (member.name, $0) } }
        return texts.count == object.members.count ? Dictionary(texts) { $1 } : nil
    }

    fileprivate static func typed<Value>(_ value: (some Any)?, _ type: Value.Type) throws -> Value {
        guard let value = value as? Value else { throw JSONDecodingError(.wrongType) }
        return value
    }
}

/// The type of a dictionary of strings.
///
/// It is stored, because using the type directly would look it up each time.
private let textsType: Any.Type = [String: String].self

private struct ValueDecoder: Decoder {
    let json: JSONValue
    let enclosing: JSONObject?

    // An error collects its path as it propagates, so that successful decoding doesn't need a path.
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard let union = Key.self as? any TaggedUnionKey.Type else {
            return KeyedDecodingContainer(ObjectReader<Key>(json: json, enclosing: enclosing, path: ""))
        }
        return KeyedDecodingContainer(
            try UnionReader<Key>(json: json, enclosing: enclosing, tag: union.tag, content: union.content))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard case .array(let elements) = json else { throw JSONDecodingError(.wrongType) }
        return ArrayReader(elements: elements, enclosing: enclosing)
    }

    func singleValueContainer() -> any SingleValueDecodingContainer {
        SingleValueReader(json: json, enclosing: enclosing)
    }
}

private struct ObjectReader<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let json: JSONValue
    let enclosing: JSONObject?
    /// The prefix of member names in errors.
    let path: String

    var codingPath: [any CodingKey] { [] }

    /// The keys from which an enum determines its case.
    var allKeys: [Key] {
        let keys = (json.object?.members ?? []).compactMap { member -> Key? in
            member.value.isNull || member.name == KeyRule.itself ? nil : Key(stringValue: member.name)
        }
        return keys.isEmpty ? Key(stringValue: KeyRule.itself).map { [$0] } ?? [] : keys
    }

    /// Returns the member's value, or `nil` if it is missing or `null`.
    private func member(_ name: String) throws -> JSONValue? {
        if name == KeyRule.itself { return json }
        if KeyRule.isEnclosing(name) { return enclosing?[String(name.dropFirst())] ?? enclosing?["id"] }
        guard case .object(let object) = json else { throw error(.wrongType) }
        guard let value = object[name], !value.isNull else { return nil }
        return value
    }

    private func error(_ reason: JSONDecodingError.Reason, _ key: Key? = nil) -> any Error {
        prefixed(JSONDecodingError(reason), key)
    }

    private func prefixed(_ error: any Error, _ key: Key?) -> any Error {
        var name = key?.stringValue ?? ""
        if name == KeyRule.itself { name = "" }
        let error = name.isEmpty ? error : JSONDecodingError.prefixed(error, with: String(name.prefix(64)))
        return JSONDecodingError.prefixed(error, with: path)
    }

    func contains(_ key: Key) -> Bool { (try? member(key.stringValue)) != nil }

    func decodeNil(forKey key: Key) throws -> Bool { try member(key.stringValue) == nil }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        guard let value = try decodeIfPresent(type, forKey: key) else { throw error(.missing, key) }
        return value
    }

    func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
        let name = key.stringValue
        guard let value = try member(name) else { return nil }
        do {
            // For the object itself, the enclosing object stays the same.
            let inner = name == KeyRule.itself ? enclosing : json.object
            return try value.decoded(type, in: inner)
        } catch { throw prefixed(error, key) }
    }

    private func required<Value>(_ key: Key, _ read: (JSONValue) -> Value?) throws -> Value {
        guard let value = try optional(key, read) else { throw error(.missing, key) }
        return value
    }

    private func optional<Value>(_ key: Key, _ read: (JSONValue) -> Value?) throws -> Value? {
        guard let json = try member(key.stringValue) else { return nil }
        guard let value = read(json) else { throw error(.wrongType, key) }
        return value
    }

    // Overloads for the most frequent types. The compiler selects them, so that no type is checked at run time.
    func decode(_ type: String.Type, forKey key: Key) throws -> String { try required(key) { $0.string } }
    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try required(key) { $0.bool } }
    func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try required(key) { $0.int } }
    func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 { try required(key) { $0.unsignedInteger } }
    func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? { try optional(key) { $0.string } }
    func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? { try optional(key) { $0.bool } }
    func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? { try optional(key) { $0.int } }
    func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? {
        try optional(key) { $0.int.map(Int64.init) }
    }

    private func nested(_ key: Key) throws -> ObjectReader {
        let name = key.stringValue
        if name == KeyRule.itself { return self }
        return ObjectReader(json: try member(name) ?? .null, enclosing: json.object, path: name)
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        let inner = try nested(key)
        return KeyedDecodingContainer(
            ObjectReader<Nested>(json: inner.json, enclosing: inner.enclosing, path: inner.path))
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        do { return try superDecoder(forKey: key).unkeyedContainer() } catch { throw prefixed(error, key) }
    }

    func superDecoder() throws -> any Decoder {
        ValueDecoder(json: try member("super") ?? .null, enclosing: json.object)
    }

    func superDecoder(forKey key: Key) throws -> any Decoder {
        let inner = try nested(key)
        return ValueDecoder(json: inner.json, enclosing: inner.enclosing)
    }
}

/// A container of an enum, which determines the case from the tag.
private struct UnionReader<Key: CodingKey>: KeyedDecodingContainerProtocol {
    private let json: JSONValue
    private let enclosing: JSONObject?
    private let content: String?
    let allKeys: [Key]

    var codingPath: [any CodingKey] { [] }

    init(json: JSONValue, enclosing: JSONObject?, tag: String, content: String?) throws {
        guard case .object(let object) = json else { throw JSONDecodingError(.wrongType) }
        guard let value = object[tag], !value.isNull else { throw JSONDecodingError(.missing, at: tag) }
        guard case .string(let name) = value else { throw JSONDecodingError(.wrongType, at: tag) }
        guard name != KeyRule.itself, let key = Key(stringValue: name) ?? Key(stringValue: KeyRule.itself) else {
            throw JSONDecodingError(.unknownKind(String(name.prefix(64))), at: tag)
        }
        self.json = json
        self.enclosing = enclosing
        self.content = content
        allKeys = [key]
    }

    private func inner(_ key: Key) -> JSONValue {
        guard let content, key.stringValue != KeyRule.itself else { return json }
        return json[content] ?? .object(JSONObject())
    }

    func contains(_ key: Key) -> Bool { allKeys.contains { $0.stringValue == key.stringValue } }

    func decodeNil(forKey key: Key) -> Bool { false }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        try inner(key).decoded(type, in: enclosing)
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedDecodingContainer<Nested> {
        KeyedDecodingContainer(ObjectReader<Nested>(json: inner(key), enclosing: enclosing, path: ""))
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try superDecoder(forKey: key).unkeyedContainer()
    }

    func superDecoder() -> any Decoder { ValueDecoder(json: json, enclosing: enclosing) }

    func superDecoder(forKey key: Key) -> any Decoder { ValueDecoder(json: inner(key), enclosing: enclosing) }
}

private struct ArrayReader: UnkeyedDecodingContainer {
    private let elements: [JSONValue]
    private let enclosing: JSONObject?
    private(set) var currentIndex = 0

    init(elements: [JSONValue], enclosing: JSONObject?) {
        self.elements = elements
        self.enclosing = enclosing
    }

    var codingPath: [any CodingKey] { [] }
    var count: Int? { elements.count }
    var isAtEnd: Bool { currentIndex >= elements.count }

    private mutating func next<Value>(_ read: (JSONValue) throws -> Value) throws -> Value {
        guard !isAtEnd else { throw JSONDecodingError(.missing, at: "[\(currentIndex)]") }
        do {
            let value = try read(elements[currentIndex])
            currentIndex += 1
            return value
        } catch { throw JSONDecodingError.prefixed(error, with: "[\(currentIndex)]") }
    }

    mutating func decodeNil() throws -> Bool {
        guard !isAtEnd, elements[currentIndex].isNull else { return false }
        currentIndex += 1
        return true
    }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        let enclosing = enclosing
        return try next { try $0.decoded(type, in: enclosing) }
    }

    mutating func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) throws -> KeyedDecodingContainer<Nested>
    {
        try superDecoder().container(keyedBy: type)
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try superDecoder().unkeyedContainer()
    }

    mutating func superDecoder() throws -> any Decoder {
        let enclosing = enclosing
        return try next { ValueDecoder(json: $0, enclosing: enclosing) }
    }
}

private struct SingleValueReader: SingleValueDecodingContainer {
    let json: JSONValue
    let enclosing: JSONObject?

    var codingPath: [any CodingKey] { [] }

    func decodeNil() -> Bool { json.isNull }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        if let value = try json.simple(type) { return value }
        if let integer = Value.self as? any FixedWidthInteger.Type { return try ranged(integer, type) }
        if Value.self == Float.self { return try JSONValue.typed(json.double.map { Float($0) }, type) }
        return try Value(from: ValueDecoder(json: json, enclosing: enclosing))
    }

    func decode(_ type: String.Type) throws -> String {
        guard case .string(let text) = json else { throw JSONDecodingError(.wrongType) }
        return text
    }

    func decode(_ type: UInt64.Type) throws -> UInt64 {
        guard let number = json.unsignedInteger else { throw JSONDecodingError(.wrongType) }
        return number
    }

    private func ranged<Integer: FixedWidthInteger, Value>(_ integer: Integer.Type, _ type: Value.Type) throws -> Value
    {
        try JSONValue.typed(
            json.unsignedInteger.flatMap(Integer.init(exactly:)) ?? json.int.flatMap(Integer.init(exactly:)),
            type)
    }

}

// MARK: JSON in messages and other files

extension JSONValue: Decodable {
    /// Decodes any value, even from other formats such as YAML.
    ///
    /// In these formats, a single value that is neither null, a Boolean nor a number becomes a string.
    public init(from decoder: any Decoder) throws {
        if let decoder = decoder as? ValueDecoder {
            self = decoder.json
        } else if let container = try? decoder.container(keyedBy: AnyName.self) {
            var object = JSONObject()
            for name in container.allKeys {
                object.append(name.stringValue, try container.decode(Self.self, forKey: name))
            }
            self = .object(object)
        } else if var container = try? decoder.unkeyedContainer() {
            var elements: [JSONValue] = []
            while !container.isAtEnd { elements.append(try container.decode(Self.self)) }
            self = .array(elements)
        } else {
            let container = try decoder.singleValueContainer()
            if container.decodeNil() {
                self = .null
            } else if let value = try? container.decode(Bool.self) {
                self = .bool(value)
            } else if let value = try? container.decode(Int64.self) {
                self = .integer(value)
            } else if let value = try? container.decode(Double.self), value.isFinite {
                self = .number(value)
            } else {
                self = .string(try container.decode(String.self))
            }
        }
    }

    private struct AnyName: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }
}
