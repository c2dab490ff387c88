/// One key of a section of a configuration file, declared once: how it is read, whether a running daemon takes another
/// value, and what the example file says of it, which is part of the manual.
package struct DeclaredKey<Section> {
    /// When another value takes effect.
    package enum Change: Sendable {
        /// With the next reload.
        case reload
        /// With the next start.
        case restart
    }

    /// What the example file says.
    package struct Example: Sendable {
        /// The key's value, as it is written; several lines stand below the key.
        package let value: [String]
        /// What the key is for.
        package let explanation: String
        /// Whether the value is what counts where nothing is written; another one is commented out.
        package let isDefault: Bool

        /// The value that counts where nothing is written.
        package static func byDefault(_ value: String..., explanation: String) -> Example {
            Example(value: value, explanation: explanation, isDefault: true)
        }

        /// A value that somebody might write.
        package static func only(_ value: String..., explanation: String) -> Example {
            Example(value: value, explanation: explanation, isDefault: false)
        }
    }

    fileprivate let read: (KeyedDecodingContainer<ConfigurationKey>, inout Section) throws -> Void
    /// The keys that differ in two sections and take effect with the next start: this one, or some within it.
    fileprivate let waiting: (Section, Section) -> [String]
    /// What the example file says, behind a margin and as wide as is allowed.
    fileprivate let text: (String, Int) -> String

    /// Declares a key whose value is written as one of another type.
    ///
    /// - Parameters:
    ///   - name: the key as it is written.
    ///   - path: where the section keeps the value.
    ///   - change: when another value takes effect.
    ///   - example: what the example file says.
    ///   - written: the type as it is written.
    ///   - value: makes the value; it throws ``ConfigurationProblem`` at the path that it gets.
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

    /// Declares a key that holds a section with declared keys of its own.
    ///
    /// - Parameters:
    ///   - name: the key as it is written.
    ///   - path: where the section keeps the other one.
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

    /// Declares a key.
    package init<Value: Decodable & Equatable>(
        _ name: String, _ path: WritableKeyPath<Section, Value>, _ change: Change, _ example: Example
    ) {
        self.init(name, path, change, example, written: Value.self) { value, _ in value }
    }

    /// Declares a key whose value is `nil` where nothing is written.
    package init<Value: Decodable & Equatable>(
        optional name: String, _ path: WritableKeyPath<Section, Value?>, _ change: Change,
        _ example: Example
    ) {
        self.init(name, path, change, example, written: Value.self) { value, _ in value }
    }
}

/// A section of a configuration file whose keys are declared; all may be left out.
package protocol DeclaredSection: Decodable {
    /// Its keys, in the order of the example file.
    static var keys: [DeclaredKey<Self>] { get }

    /// What counts where nothing is written.
    init()
}

extension DeclaredSection {
    package init(from decoder: any Decoder) throws {
        self.init()
        try readKeys(from: decoder)
    }

    /// Reads the declared keys; a section that has others as well does so in an `init(from:)` of its own.
    ///
    /// - Parameter decoder: where they stand.
    /// - Throws: what is wrong with them.
    package mutating func readKeys(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: ConfigurationKey.self)
        for key in Self.keys { try key.read(container, &self) }
    }

    /// The keys that differ and take effect with the next start, as they are written.
    package func keysThatWait(comparedWith running: Self) -> [String] {
        Self.keys.flatMap { $0.waiting(self, running) }
    }

    /// The section in the example file.
    ///
    /// - Parameters:
    ///   - indent: what stands before each key; keys of the whole file, without one, stand apart.
    ///   - width: the longest line; a longer explanation stands above its key.
    /// - Returns: the text, with a line break at its end.
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

    /// The text in lines of a width, each behind a margin.
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
