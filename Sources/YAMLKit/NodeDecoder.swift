import ConfigurationKit
import TerminalKit

/// Decodes a node, and records which keys were requested.
final class NodeDecoder: Decoder {
    let document: YAMLDocument
    let node: Node
    let codingPath: [any CodingKey]
    let userInformation: [CodingUserInfoKey: any Sendable]

    /// All keys of this mapping that a type has requested, in order.
    private(set) var knownKeys: [String] = []
    private var known: Set<String> = []
    /// A Boolean value that indicates whether every key is valid, as in a dictionary.
    var takesAnyKey = false
    private var isMapping = false
    /// The remedies for missing and unknown keys.
    private var remedies: [String: String] = [:]

    var userInfo: [CodingUserInfoKey: Any] { userInformation }

    init(
        document: YAMLDocument, node: Node, path: [any CodingKey], userInfo: [CodingUserInfoKey: any Sendable]
    ) {
        self.document = document
        self.node = node
        self.codingPath = path
        self.userInformation = userInfo
    }

    func know(_ key: String) {
        if known.insert(key).inserted { knownKeys.append(key) }
    }

    func child(_ node: Node, _ key: any CodingKey) -> NodeDecoder {
        NodeDecoder(document: document, node: node, path: codingPath + [key], userInfo: userInformation)
    }

    func decode<Value: Decodable>(_ type: Value.Type) throws(ConfigurationError) -> Value {
        do {
            guard node.hasPlainTag else {
                throw error("a YAML tag (!...) isn't supported here", "remove it")
            }
            let value = try type.init(from: self)
            if let unknown = unknownKey(missing: nil) { throw unknown }
            return value
        } catch let error as ConfigurationError {
            throw error
        } catch DecodingError.keyNotFound(let key, let context) {
            // If a key is missing because it is misspelled, report the misspelled key.
            let isOwn = context.codingPath.count == codingPath.count
            if isOwn, let unknown = unknownKey(missing: key.stringValue) { throw unknown }
            let remedy = isOwn ? remedies[key.stringValue] : nil
            throw place(context.codingPath).error(
                "\(key.stringValue) is required", remedy ?? "add it", for: context.codingPath + [key])
        } catch let problem as ConfigurationProblem {
            throw located(problem.problem, problem.remedy, at: problem.codingPath)
        } catch DecodingError.dataCorrupted(let context), DecodingError.typeMismatch(_, let context),
            DecodingError.valueNotFound(_, let context)
        {
            throw located(context.debugDescription, "", at: context.codingPath)
        } catch let other {
            throw error("\(other)", "")
        }
    }

    // MARK: Containers

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard case .mapping(let pairs) = node.content else { throw mismatch("keys with values") }
        if let type = type as? any CaseIterable.Type { for name in Self.names(of: type) { know(name) } }
        if let type = type as? any RemediedKeys.Type { remedies.merge(type.remedies) { $1 } }
        isMapping = true
        var values: [String: Node] = [:]
        for (key, value) in pairs {
            guard let scalar = key.scalar, key.hasPlainTag else {
                throw error("a key must be a word", "use KEY: VALUE", at: key.mark)
            }
            guard scalar.string != "<<" || !scalar.isPlain else {
                throw error("merging (<<) isn't supported", "list the keys instead", at: key.mark)
            }
            values[scalar.string] = value
        }
        return KeyedDecodingContainer(KeyedNodes<Key>(decoder: self, values: values))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard let elements = node.sequence else { throw mismatch("a list") }
        return NodeList(decoder: self, elements: elements)
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer { SingleNode(decoder: self) }

    private static func names<Keys: CaseIterable>(of type: Keys.Type) -> [String] {
        type.allCases.compactMap { ($0 as? any CodingKey)?.stringValue }
    }

    // MARK: Errors

    /// Returns an error for the first key that no type has requested.
    ///
    /// - Parameter missing: The most recently requested key, which is missing. Types without a fixed list of keys may
    ///   not have requested all of their keys yet, so only a key with a similar spelling or with a remedy counts as
    ///   unknown.
    /// - Returns: The error; `nil` if all keys are known.
    private func unknownKey(missing: String?) -> ConfigurationError? {
        guard isMapping, !takesAnyKey, case .mapping(let pairs) = node.content else { return nil }
        if let missing { know(missing) }
        for (key, _) in pairs {
            guard let scalar = key.scalar, !known.contains(scalar.string) else { continue }
            let free = knownKeys.filter { name in !pairs.contains { $0.key.scalar?.string == name } }
            let advice = remedies[scalar.string] ?? scalar.string.nearest(in: free).map { "use \($0)" }
            if missing != nil, advice == nil { continue }
            let remedy =
                advice
                ?? (knownKeys.isEmpty
                    ? "remove it" : "use one of \(knownKeys.sorted().prefix(16).joined(separator: ", "))")
            let path = codingPath + [ConfigurationKey(Secrets.shown(scalar.string))]
            return error("unknown key", remedy, at: key.mark, for: path)
        }
        return nil
    }

    /// Returns an error for a node of the wrong kind.
    func mismatch(_ expected: String) -> ConfigurationError {
        switch node.content {
        case .mapping:
            error(
                "expected \(expected), found keys with values",
                expected == "a list" ? "begin each item with \"- \"" : "use \(expected)")
        case .scalar where expected == "keys with values" && joinedKey != nil:
            error("a space is missing after a colon", "use \(joinedKey ?? "KEY"): VALUE")
        case .sequence: error("expected \(expected), found a list", "use \(expected)")
        case .scalar:
            node.isEmpty
                ? error("the value is missing", "add \(expected), or remove the key")
                : error("expected \(expected), found a single value", "use \(expected)")
        }
    }

    /// The key in a plain word such as `name:Lamp`, which lacks the space between key and value.
    private var joinedKey: String? {
        guard let scalar = node.scalar, scalar.isPlain else { return nil }
        let parts = scalar.string.split(separator: ":", maxSplits: 1)
        guard parts.count == 2, parts[0].utf8.count <= 40, let next = parts[1].first, next != "/", !next.isWhitespace,
            parts[0].allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") })
        else { return nil }
        return String(parts[0])
    }

    func error(
        _ problem: String, _ remedy: String, at mark: Mark? = nil, for path: [any CodingKey]? = nil
    ) -> ConfigurationError {
        let mark = mark ?? node.mark
        return ConfigurationError(
            file: document.file, line: mark.line, column: mark.column,
            keyPath: Self.text(of: path ?? codingPath), problem: problem, remedy: remedy)
    }

    /// Adds the position to an error that a type has thrown.
    ///
    /// It also removes secret values from the text.
    private func located(_ problem: String, _ remedy: String, at path: [any CodingKey]) -> ConfigurationError {
        let place = place(path)
        func hidingSecret(_ text: String) -> String {
            guard Secrets.holds(path), let secret = place.node.scalar, !secret.string.isEmpty else { return text }
            return text.replacing(secret.string, with: "(hidden)")
        }
        return place.error(hidingSecret(problem), hidingSecret(remedy), for: path)
    }

    /// Returns the deepest existing node on a path that starts at this node.
    private func place(_ path: [any CodingKey]) -> NodeDecoder {
        var place = self
        for key in path.dropFirst(codingPath.count) {
            switch place.node.content {
            case .mapping(let pairs):
                guard let value = pairs.first(where: { $0.key.scalar?.string == key.stringValue })?.value else {
                    return place
                }
                place = place.child(value, key)
            case .sequence(let elements):
                guard let index = key.intValue, elements.indices.contains(index) else { return place }
                place = place.child(elements[index], key)
            case .scalar: return place
            }
        }
        return place
    }

    private static func text(of path: [any CodingKey]) -> String {
        path.reduce(into: "") { text, key in
            if let index = key.intValue {
                text += "[\(index)]"
            } else {
                text += text.isEmpty ? key.stringValue : ".\(key.stringValue)"
            }
        }
    }
}
