import BoundedJSON

/// The values of a document without their places in the text, to check the result of an edit.
indirect enum EditedTree {
    /// A value of the document, which must not change.
    case kept(Node.Scalar)
    /// A new single value, whose style doesn't matter.
    case new(String, isText: Bool)
    case list([EditedTree])
    case mapping([(key: String, value: EditedTree)])

    init(_ node: Node) {
        switch node.content {
        case .scalar(let scalar): self = .kept(scalar)
        case .sequence(let elements): self = .list(elements.map(EditedTree.init))
        case .mapping(let pairs): self = .mapping(pairs.map { ($0.key.scalar?.string ?? "", EditedTree($0.value)) })
        }
    }

    init(_ value: JSONValue) {
        switch value {
        case .string(let text): self = .new(text, isText: true)
        case .array(let elements): self = .list(elements.map(EditedTree.init))
        case .object(let object): self = .mapping(object.members.map { ($0.name, EditedTree($0.value)) })
        case .null, .bool, .integer, .unsigned, .number: self = .new(value.text, isText: false)
        }
    }

    /// Returns whether a document's node has these values.
    func matches(_ node: Node) -> Bool {
        switch (self, node.content) {
        case (.kept(let old), .scalar(let new)): old.string == new.string && old.isPlain == new.isPlain
        case (.new(let text, let isText), .scalar(let scalar)):
            text == scalar.string && (isText ? !node.isEmpty || !scalar.isPlain : scalar.isPlain)
        case (.list(let elements), .sequence(let nodes)):
            elements.count == nodes.count && zip(elements, nodes).allSatisfy { $0.matches($1) }
        case (.mapping(let pairs), .mapping(let nodes)):
            pairs.count == nodes.count
                && zip(pairs, nodes).allSatisfy { $0.key == $1.key.scalar?.string && $0.value.matches($1.value) }
        // A section without keys is the same as one without a value.
        case (.mapping(let pairs), .scalar): pairs.isEmpty && node.isEmpty
        default: false
        }
    }

    /// Returns the values after an edit; `nil` if its path doesn't exist.
    func edited(_ edit: YAMLEdit) -> EditedTree? {
        switch edit {
        case .set(let path, let value): changed(path[...]) { _ in EditedTree(value) }
        case .append(let path, let value):
            changed(path[...]) { old in
                switch old {
                case .list(let elements): .list(elements + [EditedTree(value)])
                case let old where old?.isEmpty ?? true: .list([EditedTree(value)])
                default: nil
                }
            }
        case .remove(let path): removing(path[...])
        }
    }

    private var isEmpty: Bool {
        guard case .kept(let scalar) = self, scalar.isPlain else { return false }
        return ["", "~", "null", "Null", "NULL"].contains(scalar.string)
    }

    private func changed(_ path: ArraySlice<YAMLEdit.Step>, _ body: (EditedTree?) -> EditedTree?) -> EditedTree? {
        guard let step = path.first else { return body(self) }
        switch (self, step) {
        case (.mapping(var pairs), .key(let name)):
            if let index = pairs.firstIndex(where: { $0.key == name }) {
                guard let value = pairs[index].value.changed(path.dropFirst(), body) else { return nil }
                pairs[index].value = value
            } else {
                guard let value = EditedTree.mapping([]).created(path.dropFirst(), body) else { return nil }
                pairs.append((name, value))
            }
            return .mapping(pairs)
        case (.list(var elements), .index(let index)):
            guard elements.indices.contains(index), let value = elements[index].changed(path.dropFirst(), body)
            else { return nil }
            elements[index] = value
            return .list(elements)
        case (let old, .key) where old.isEmpty: return EditedTree.mapping([]).changed(path, body)
        default: return nil
        }
    }

    private func created(_ path: ArraySlice<YAMLEdit.Step>, _ body: (EditedTree?) -> EditedTree?) -> EditedTree? {
        path.isEmpty ? body(nil) : changed(path, body)
    }

    private func removing(_ path: ArraySlice<YAMLEdit.Step>) -> EditedTree? {
        guard let step = path.first else { return nil }
        switch (self, step) {
        case (.mapping(var pairs), .key(let name)):
            guard let index = pairs.firstIndex(where: { $0.key == name }) else { return nil }
            if path.count == 1 {
                pairs.remove(at: index)
            } else {
                guard let value = pairs[index].value.removing(path.dropFirst()) else { return nil }
                pairs[index].value = value
            }
            return .mapping(pairs)
        case (.list(var elements), .index(let index)) where elements.indices.contains(index):
            if path.count == 1 {
                elements.remove(at: index)
            } else {
                guard let element = elements[index].removing(path.dropFirst()) else { return nil }
                elements[index] = element
            }
            return .list(elements)
        default: return nil
        }
    }
}
