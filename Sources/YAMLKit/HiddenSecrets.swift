extension StrictYAML {
    /// Hides the values of a configuration file that may be secret.
    ///
    /// It hides the values of keys such as `password` or `api-key` wherever they are in the text, all other places with
    /// the same value, all values of an entry such as `driver: plugin`, whose keys can have any name, and comments that
    /// seem to contain a secret.
    ///
    /// - Parameters:
    ///   - text: The text of the file.
    ///   - file: The name of the file for errors.
    ///   - opaque: A key with a value. An entry that has it shows only this value and its `id`.
    /// - Returns: The text with `(hidden)` instead of these values, in the same lines.
    /// - Throws: ``ConfigurationError`` if the text isn't valid YAML.
    package static func withoutSecrets(
        _ text: String, file: String, opaque: (key: String, value: String)? = nil
    ) throws(ConfigurationError) -> String {
        let root = try YAMLDocument(bytes: Array(text.utf8), file: file, mayBeEmpty: true).root
        var hidden = HiddenSecrets(opaque: opaque)
        hidden.find(in: root, isSecret: false)
        return hidden.text(of: Array(text.unicodeScalars))
    }
}

/// The places in a text that may contain secrets.
private struct HiddenSecrets {
    let opaque: (key: String, value: String)?
    /// The single values of the document, and whether each of them is secret.
    private var values: [(node: Node, isSecret: Bool)] = []

    init(opaque: (key: String, value: String)?) { self.opaque = opaque }

    mutating func find(in node: Node, isSecret: Bool) {
        switch node.content {
        case .scalar(let scalar): values.append((node, isSecret || Secrets.mayBe(in: scalar.string)))
        case .sequence(let elements): for element in elements { find(in: element, isSecret: isSecret) }
        case .mapping(let pairs):
            let isOpaque = pairs.contains {
                $0.key.scalar?.string == opaque?.key && $0.value.scalar?.string == opaque?.value
            }
            for (key, value) in pairs {
                let name = key.scalar?.string ?? ""
                // A key can contain a secret, too: `password:x` without a space is one word.
                values.append((key, Secrets.mayBe(in: name)))
                let isShown = !isOpaque || name == opaque?.key || name == "id"
                find(in: value, isSecret: isSecret || !isShown || Secrets.mayName(name))
            }
        }
    }

    /// Returns the text with `(hidden)` instead of secrets, in the same lines.
    func text(of scalars: [Unicode.Scalar]) -> String {
        // Marks of nodes don't count a byte order mark.
        let offset = scalars.first == "\u{FEFF}" ? 1 : 0
        let secrets = Set(values.filter(\.isSecret).compactMap(\.node.scalar?.string)).subtracting([
            "", "true", "false",
        ])
        var isValue = [Bool](repeating: false, count: scalars.count)
        var isHidden = isValue
        for (node, isSecret) in values {
            let range = (node.range.lowerBound + offset..<node.range.upperBound + offset).clamped(to: scalars.indices)
            for index in range { isValue[index] = true }
            guard isSecret || node.scalar.map({ secrets.contains($0.string) }) == true else { continue }
            for index in range { isHidden[index] = true }
        }
        var result = String.UnicodeScalarView()
        var index = 0
        /// Appends the text up to a place, or a mark instead of it.
        func append(to end: Int, isHidden: Bool) {
            if isHidden {
                result.append(contentsOf: "(hidden)".unicodeScalars)
            } else {
                result.append(contentsOf: scalars[index..<end])
            }
            index = end
        }
        while index < scalars.count {
            if Character(scalars[index]).isNewline {
                append(to: index + 1, isHidden: false)
            } else if isHidden[index] {
                let end = scalars[index...].indices.first { !isHidden[$0] || Character(scalars[$0]).isNewline }
                let text = scalars[index..<(end ?? scalars.count)]
                append(to: end ?? scalars.count, isHidden: !text.allSatisfy(TextLines.isSpace))
            } else if scalars[index] == "#", !isValue[index],
                index == 0 || TextLines.isSpace(scalars[index - 1]) || Character(scalars[index - 1]).isNewline
            {
                let end = scalars[index...].firstIndex { Character($0).isNewline } ?? scalars.count
                let comment = String(String.UnicodeScalarView(scalars[(index + 1)..<end]))
                append(to: index + 1, isHidden: false)
                let isSecret = Secrets.mayBe(in: comment) || secrets.contains { $0.count > 3 && comment.contains($0) }
                if isSecret { result.append(" ") }
                append(to: end, isHidden: isSecret)
            } else {
                append(to: index + 1, isHidden: false)
            }
        }
        return String(result)
    }
}
