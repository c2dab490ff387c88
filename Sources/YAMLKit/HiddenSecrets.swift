extension StrictYAML {
    /// Hides the values of a configuration file that may be secret.
    ///
    /// These are the values of keys such as `password` or `api-key` wherever they are in the text, all other places with
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
        hidden.find(in: root)
        return hidden.text(of: Array(text.unicodeScalars))
    }
}

/// The places in a text that may contain secrets.
private struct HiddenSecrets {
    let opaque: (key: String, value: String)?
    /// Why a value is hidden.
    private enum Reason {
        /// It's secret, so the same value is hidden everywhere.
        case secret
        /// Its entry is opaque. The value itself may be a usual word or number.
        case opaqueEntry
    }

    /// The single values of the document, with the reasons to hide them.
    private var values: [(node: Node, reason: Reason?)] = []

    init(opaque: (key: String, value: String)?) { self.opaque = opaque }

    mutating func find(in root: Node) { find(in: root, nil) }

    private mutating func find(in node: Node, _ reason: Reason?) {
        switch node.content {
        case .scalar(let scalar): values.append((node, Secrets.mayBe(in: scalar.string) ? .secret : reason))
        case .sequence(let elements): for element in elements { find(in: element, reason) }
        case .mapping(let pairs):
            let isOpaque = pairs.contains {
                $0.key.scalar?.string == opaque?.key && $0.value.scalar?.string == opaque?.value
            }
            for (key, value) in pairs {
                let name = key.scalar?.string ?? ""
                // A key can contain a secret, too: `password:x` without a space is one word.
                values.append((key, Secrets.mayBe(in: name) ? .secret : nil))
                let isHidden = isOpaque && name != opaque?.key && name != "id"
                find(in: value, Secrets.mayName(name) ? .secret : reason ?? (isHidden ? .opaqueEntry : nil))
            }
        }
    }

    /// Returns the text with `(hidden)` instead of secrets, in the same lines.
    func text(of scalars: [Unicode.Scalar]) -> String {
        // Marks of nodes don't count a byte order mark.
        let offset = scalars.first == "\u{FEFF}" ? 1 : 0
        let secrets = Set(values.filter { $0.reason == .secret }.compactMap(\.node.scalar?.string)).subtracting([
            "", "true", "false",
        ])
        var isValue = [Bool](repeating: false, count: scalars.count)
        var isHidden = isValue
        for (node, reason) in values {
            let range = (node.range.lowerBound + offset..<node.range.upperBound + offset).clamped(to: scalars.indices)
            for index in range { isValue[index] = true }
            guard reason != nil || node.scalar.map({ secrets.contains($0.string) }) == true else { continue }
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
