import ConfigurationKit

/// The keys and values of a mapping.
struct KeyedNodes<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let decoder: NodeDecoder
    let values: [String: Node]

    var codingPath: [any CodingKey] { decoder.codingPath }

    var allKeys: [Key] {
        decoder.takesAnyKey = true
        return values.keys.sorted().compactMap(Key.init(stringValue:))
    }

    func contains(_ key: Key) -> Bool {
        decoder.know(key.stringValue)
        return values[key.stringValue] != nil
    }

    private func child(_ key: Key) throws(DecodingError) -> NodeDecoder {
        decoder.know(key.stringValue)
        guard let value = values[key.stringValue] else {
            throw .keyNotFound(key, .init(codingPath: codingPath, debugDescription: ""))
        }
        return decoder.child(value, ConfigurationKey(key.stringValue))
    }

    func decodeNil(forKey key: Key) throws -> Bool { try child(key).node.isEmpty }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        try child(key).decode(type)
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<NestedKey> {
        try child(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try child(key).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder { decoder }
    func superDecoder(forKey key: Key) throws -> any Decoder { try child(key) }
}

/// The elements of a list.
struct NodeList: UnkeyedDecodingContainer {
    let decoder: NodeDecoder
    let elements: [Node]

    private(set) var currentIndex = 0

    var codingPath: [any CodingKey] { decoder.codingPath }
    var count: Int? { elements.count }
    var isAtEnd: Bool { currentIndex >= elements.count }

    private mutating func next() throws(ConfigurationError) -> NodeDecoder {
        guard !isAtEnd else { throw decoder.error("the list is too short", "add an element") }
        defer { currentIndex += 1 }
        return decoder.child(elements[currentIndex], ConfigurationKey(currentIndex))
    }

    mutating func decodeNil() throws -> Bool {
        guard !isAtEnd, elements[currentIndex].isEmpty else { return false }
        currentIndex += 1
        return true
    }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try next().decode(type) }

    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type
    ) throws -> KeyedDecodingContainer<NestedKey> {
        try next().container(keyedBy: type)
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer { try next().unkeyedContainer() }

    mutating func superDecoder() throws -> any Decoder { try next() }
}
