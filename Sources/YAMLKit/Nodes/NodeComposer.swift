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
        var end = event.end.offset
        switch event.kind {
        case .alias(let name):
            guard var node = anchors[name] else { throw .undefinedAlias(event.mark) }
            node.range = event.mark.offset..<event.end.offset
            node.isFlow = true
            node.isShared = true
            return node
        case .scalar(let scalar): content = .scalar(scalar)
        case .sequenceStart: content = .sequence(try elements(depth + 1, &end))
        case .mappingStart: content = .mapping(try pairs(depth + 1, &end))
        case .streamEnd, .documentEnd, .sequenceEnd, .mappingEnd, .other:
            throw .invalid("unexpected end", event.mark)
        }
        var node = Node(content: content, hasPlainTag: Self.isPlain(event.tag), mark: event.mark)
        node.isFlow = event.isFlow
        node.isShared = event.anchor != nil
        // The end of a block collection is reported at the next token, after blank lines and comments.
        if !event.isFlow {
            switch content {
            case .sequence(let elements): end = elements.last?.range.upperBound ?? end
            case .mapping(let pairs): end = pairs.last?.value.range.upperBound ?? end
            case .scalar: break
            }
        }
        node.range = event.mark.offset..<max(event.mark.offset, end)
        if let anchor = event.anchor { anchors[anchor] = node }
        return node
    }

    private mutating func elements(_ depth: Int, _ end: inout Int) throws(SyntaxError) -> [Node] {
        var elements: [Node] = []
        while true {
            let event = try reader.next()
            if case .sequenceEnd = event.kind {
                end = event.end.offset
                return elements
            }
            elements.append(try node(from: event, depth: depth))
        }
    }

    private mutating func pairs(_ depth: Int, _ end: inout Int) throws(SyntaxError) -> [(key: Node, value: Node)] {
        var pairs: [(key: Node, value: Node)] = []
        var marks: [String: Mark] = [:]
        while true {
            let event = try reader.next()
            if case .mappingEnd = event.kind {
                end = event.end.offset
                return pairs
            }
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
