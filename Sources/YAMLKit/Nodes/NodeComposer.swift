/// Composes the nodes of a document from events.
struct NodeComposer: ~Copyable {
    /// The maximum depth of lists and mappings.
    static let maximumDepth = 100

    private let reader: EventReader
    private var anchors: [String: Node] = [:]

    /// Returns the root of the only document; `nil` if there is none.
    ///
    /// - Throws: ``SyntaxError``.
    static func root(of bytes: [UInt8]) throws(SyntaxError) -> Node? {
        guard !bytes.isEmpty else { return nil }
        // Typed errors can't pass through the closure.
        let result: Result<Node?, SyntaxError> = bytes.withUnsafeBufferPointer { text in
            do throws(SyntaxError) {
                var composer = NodeComposer(reader: try EventReader(text))
                return .success(try composer.root())
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    private init(reader: consuming EventReader) { self.reader = reader }

    private mutating func root() throws(SyntaxError) -> Node? {
        _ = try reader.next()
        if case .streamEnd = try reader.next().kind { return nil }
        let root = try node(from: try reader.next(), depth: 0)
        _ = try reader.next()
        let end = try reader.next()
        guard case .streamEnd = end.kind else { throw .secondDocument(end.mark) }
        return root
    }

    private mutating func node(from event: ParserEvent, depth: Int) throws(SyntaxError) -> Node {
        guard depth <= Self.maximumDepth else { throw .invalid("too many levels", event.mark) }
        let content: Node.Content
        switch event.kind {
        case .alias(let name):
            guard let node = anchors[name] else { throw .undefinedAlias(event.mark) }
            return node
        case .scalar(let scalar): content = .scalar(scalar)
        case .sequenceStart: content = .sequence(try elements(depth + 1))
        case .mappingStart: content = .mapping(try pairs(depth + 1))
        case .streamEnd, .documentEnd, .sequenceEnd, .mappingEnd, .other:
            throw .invalid("unexpected end", event.mark)
        }
        let node = Node(content: content, hasPlainTag: Self.isPlain(event.tag), mark: event.mark)
        if let anchor = event.anchor { anchors[anchor] = node }
        return node
    }

    private mutating func elements(_ depth: Int) throws(SyntaxError) -> [Node] {
        var elements: [Node] = []
        while true {
            let event = try reader.next()
            if case .sequenceEnd = event.kind { return elements }
            elements.append(try node(from: event, depth: depth))
        }
    }

    private mutating func pairs(_ depth: Int) throws(SyntaxError) -> [(key: Node, value: Node)] {
        var pairs: [(key: Node, value: Node)] = []
        var marks: [String: Mark] = [:]
        while true {
            let event = try reader.next()
            if case .mappingEnd = event.kind { return pairs }
            let key = try node(from: event, depth: depth)
            let value = try node(from: try reader.next(), depth: depth)
            if let name = key.scalar?.string {
                if let first = marks[name] { throw .duplicateKey(name, first: first, second: key.mark) }
                marks[name] = key.mark
            }
            pairs.append((key, value))
        }
    }

    private static func isPlain(_ tag: String?) -> Bool {
        guard let tag else { return true }
        return ["!", "tag:yaml.org,2002:str", "tag:yaml.org,2002:seq", "tag:yaml.org,2002:map"].contains(tag)
    }
}
