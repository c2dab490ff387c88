import BoundedJSON

/// Formats an entry of the configuration file, with one line for each key.
enum YAMLText {
    /// Returns the lines of the keys, indented by two characters.
    ///
    /// If `isItem` is `true`, the lines form a list item, so the first line begins with a dash.
    static func lines(of object: JSONObject, isItem: Bool) -> [String] {
        object.members.enumerated().map { index, member in
            (isItem && index == 0 ? "  - " : isItem ? "    " : "  ") + "\(text(member.name)): \(text(member.value))"
        }
    }

    private static func text(_ value: JSONValue) -> String {
        switch value {
        case .object(let object):
            "{\(object.members.map { "\(text($0.name)): \(text($0.value))" }.joined(separator: ", "))}"
        case .array(let elements): "[\(elements.map(text).joined(separator: ", "))]"
        case .string(let string): text(string)
        case .null, .bool, .integer, .unsigned, .number: value.text
        }
    }

    /// Returns a string as a plain scalar if YAML can't read it as another type.
    ///
    /// Otherwise, it returns a quoted scalar. Control characters are escaped, so that they can't affect a terminal.
    private static func text(_ string: String) -> String {
        let isPlain = string.unicodeScalars.allSatisfy { scalar in
            scalar.isASCII && (scalar.properties.isAlphabetic || "0123456789-_./:".unicodeScalars.contains(scalar))
        }
        let isKeyword = ["true", "false", "yes", "no", "on", "off", "y", "n", "null"].contains(string.lowercased())
        let isAddress = string.split(separator: ".", omittingEmptySubsequences: false).count == 4
        let isText = string.first.map { $0.isLetter || $0 == "/" || isAddress && !string.contains(":") } ?? false
        if isPlain, isText, !isKeyword, !string.hasSuffix(":") { return string }
        var quoted = ""
        for scalar in string.unicodeScalars {
            switch scalar {
            case "\"", "\\": quoted += "\\\(scalar)"
            case " "..."~": quoted.unicodeScalars.append(scalar)
            default:
                let digits = String(scalar.value, radix: 16)
                quoted += "\\U" + String(repeating: "0", count: 8 - digits.count) + digits
            }
        }
        return "\"\(quoted)\""
    }
}
