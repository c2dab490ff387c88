/// A node of a YAML document.
struct Node {
    /// The content of a node.
    enum Content {
        /// A single value.
        case scalar(Scalar)
        /// A list.
        case sequence([Node])
        /// Keys with values, in order.
        case mapping([(key: Node, value: Node)])
    }

    /// A single value, whose type the reader determines.
    struct Scalar {
        let string: String
        /// A Boolean value that indicates whether the value is written without quotes.
        let isPlain: Bool
    }

    let content: Content
    /// A Boolean value that indicates whether the node has no tag, or a tag that has no effect.
    let hasPlainTag: Bool
    let mark: Mark
    /// The place of the node's text, as offsets in Unicode scalars.
    var range = 0..<0
    /// A Boolean value that indicates whether a collection is in brackets, or a scalar isn't a block of lines.
    var isFlow = false
    /// A Boolean value that indicates whether the node is an alias or has an anchor.
    var isShared = false
}

extension Node {
    /// The single value; `nil` for lists and mappings.
    var scalar: Scalar? {
        if case .scalar(let scalar) = content { scalar } else { nil }
    }

    /// The elements of a list; `nil` for other nodes.
    var sequence: [Node]? {
        if case .sequence(let elements) = content { elements } else { nil }
    }

    /// A Boolean value that indicates whether the node is empty or one of YAML's null values.
    var isEmpty: Bool {
        guard let scalar, scalar.isPlain else { return false }
        return ["", "~", "null", "Null", "NULL"].contains(scalar.string)
    }
}
