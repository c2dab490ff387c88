/// A key in a section of a configuration file: its type, when a changed value takes effect, and its text in the example
/// file, which is part of the manual.
package struct DeclaredKey<Section> {
    /// When a changed value takes effect.
    package enum Change: Sendable {
        case reload
        case restart
    }

    /// The key in the example file.
    package struct Example: Sendable {
        /// The key's value in YAML.
        ///
        /// If there are several lines, they follow the line with the key.
        package let value: [String]
        package let explanation: String
        /// A Boolean value that indicates whether the value is the key's default.
        ///
        /// Examples with other values are commented out.
        package let isDefault: Bool

        package static func byDefault(_ value: String..., explanation: String) -> Example {
            Example(value: value, explanation: explanation, isDefault: true)
        }

        /// Creates an example with a value other than the default.
        package static func only(_ value: String..., explanation: String) -> Example {
            Example(value: value, explanation: explanation, isDefault: false)
        }
    }

    fileprivate let read: (KeyedDecodingContainer<ConfigurationKey>, inout Section) throws -> Void
    /// Returns the keys that differ between two sections and require a restart: this key, or keys of its section.
    fileprivate let waiting: (Section, Section) -> [String]
    /// Returns the text in the example file.
    ///
    /// The arguments are the indent and the maximum line length.
    fileprivate let text: (String, Int) -> String

    /// Declares a key whose value is converted from the type that the file contains.
    ///
    /// - Parameters:
    ///   - name: The key in the file.
    ///   - path: The property of the section.
    ///   - change: When a changed value takes effect.
    ///   - example: The key in the example file.
    ///   - written: The type in the file.
    ///   - value: A closure that converts the value. It throws ``ConfigurationProblem`` with the given coding path.
    package init<Value: Equatable, Written: Decodable>(
        _ name: String, _ path: WritableKeyPath<Section, Value>, _ change: Change, _ example: Example,
        written: Written.Type, value: @escaping (Written, [any CodingKey]) throws -> Value
    ) {
        let key = ConfigurationKey(name)
        read = { container, section in
            guard let written = try container.decodeIfPresent(Written.self, forKey: key) else { return }
            section[keyPath: path] = try value(written, container.codingPath + [key])
        }
        waiting = { change == .restart && $0[keyPath: path] != $1[keyPath: path] ? [name] : [] }
        text = { example.text(name, $0, $1) }
    }

    /// Declares a key that contains another section.
    package init<Inner: DeclaredSection>(section name: String, _ path: WritableKeyPath<Section, Inner>) {
        let key = ConfigurationKey(name)
        read = { container, section in
            section[keyPath: path] = try container.decodeIfPresent(Inner.self, forKey: key) ?? Inner()
        }
        waiting = { next, running in
            next[keyPath: path].keysThatWait(comparedWith: running[keyPath: path]).map { "\(name).\($0)" }
        }
        text = { "\($0)\(name):\n" + Inner.example(indent: $0 + "  ", width: $1) }
    }

    package init<Value: Decodable & Equatable>(
        _ name: String, _ path: WritableKeyPath<Section, Value>, _ change: Change, _ example: Example
    ) {
        self.init(name, path, change, example, written: Value.self) { value, _ in value }
    }

    /// Declares a key whose default is `nil`.
    package init<Value: Decodable & Equatable>(
        optional name: String, _ path: WritableKeyPath<Section, Value?>, _ change: Change,
        _ example: Example
    ) {
        self.init(name, path, change, example, written: Value.self) { value, _ in value }
    }
}

/// A section of a configuration file with declared keys, all of which are optional.
package protocol DeclaredSection: Decodable {
    /// The keys, in the order of the example file.
    static var keys: [DeclaredKey<Self>] { get }

    init()
}

extension DeclaredSection {
    package init(from decoder: any Decoder) throws {
        self.init()
        try readKeys(from: decoder)
    }

    /// Reads the declared keys.
    ///
    /// A section with additional keys calls this from its `init(from:)`.
    ///
    /// - Throws: ``ConfigurationProblem``, or a decoding error.
    package mutating func readKeys(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: ConfigurationKey.self)
        for key in Self.keys { try key.read(container, &self) }
    }

    /// Returns the changed keys that require a restart.
    package func keysThatWait(comparedWith running: Self) -> [String] {
        Self.keys.flatMap { $0.waiting(self, running) }
    }

    /// Returns the text of the section in the example file.
    ///
    /// - Parameters:
    ///   - indent: The indent of each key. Keys that aren't indented are separated by empty lines.
    ///   - width: The maximum line length. An explanation that doesn't fit on the line of its key precedes the key.
    /// - Returns: The text, which ends with a line break.
    package static func example(indent: String = "", width: Int = 122) -> String {
        keys.map { $0.text(indent, width) }.joined(separator: indent.isEmpty ? "\n" : "")
    }
}

extension DeclaredKey.Example {
    fileprivate func text(_ name: String, _ indent: String, _ width: Int) -> String {
        let margin = isDefault ? indent : "# " + indent.dropFirst(2)
        let first = value.count == 1 ? "\(margin)\(name): \(value[0])" : "\(margin)\(name):"
        let below = value.count == 1 ? "" : value.map { "\(margin)  \($0)\n" }.joined()
        let line = first.padded(to: 32) + " # \(explanation)"
        if line.count <= width, below.isEmpty { return line + "\n" }
        return explanation.wrapped("# ", width) + first + "\n" + below
    }
}

extension String {
    fileprivate func padded(to count: Int) -> String {
        self + String(repeating: " ", count: Swift.max(0, count - self.count))
    }

    /// Returns the text in lines of a maximum width, each with a prefix.
    fileprivate func wrapped(_ margin: String, _ width: Int) -> String {
        var lines: [String] = []
        for word in split(separator: " ") {
            if let last = lines.last, last.count + word.count < width {
                lines[lines.count - 1] += " \(word)"
            } else {
                lines.append(margin + word)
            }
        }
        return lines.map { $0 + "\n" }.joined()
    }
}
