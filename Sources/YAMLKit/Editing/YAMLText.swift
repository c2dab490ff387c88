package import BoundedJSON

/// Formats values as YAML.
package enum YAMLText {
    /// Returns the lines of the keys, one for each key.
    ///
    /// If `isItem` is `true`, the lines form a list item, so the first line begins with a dash.
    package static func lines(of object: JSONObject, isItem: Bool, indent: Int = 2) -> [String] {
        let margin = String(repeating: " ", count: indent)
        return object.members.enumerated().map { index, member in
            margin + (isItem ? index == 0 ? "- " : "  " : "") + "\(text(member.name)): \(text(member.value))"
        }
    }

    /// Returns a value in one line, with lists and mappings in brackets.
    package static func text(_ value: JSONValue) -> String {
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
    /// Otherwise, it returns a quoted scalar. All
    /// characters except ASCII and letters are escaped, so that they can't affect a terminal.
    static func text(_ string: String) -> String {
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
            case _ where scalar.properties.isAlphabetic && !scalar.properties.isDefaultIgnorableCodePoint:
                quoted.unicodeScalars.append(scalar)
            default:
                let digits = String(scalar.value, radix: 16)
                quoted += "\\U" + String(repeating: "0", count: 8 - digits.count) + digits
            }
        }
        return "\"\(quoted)\""
    }
}
