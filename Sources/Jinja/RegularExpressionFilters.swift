/// Home Assistant's filters and tests that use regular expressions.
extension JinjaRenderer {
    /// The number of steps of a regular expression that count as one step of the template.
    private static let stepsOfExpression = 8

    private mutating func match(
        _ expression: RegularExpression, _ text: [Unicode.Scalar], from start: Int = 0, isAnchored: Bool = false,
        mustAdvance: Bool = false
    ) throws(JinjaError) -> RegularExpression.Groups? {
        let budget = remainingSteps * Self.stepsOfExpression
        var steps = budget
        let match = expression.match(
            in: text, from: start, isAnchored: isAnchored, mustAdvance: mustAdvance, steps: &steps)
        try count((budget - steps) * 16 / Self.stepsOfExpression)
        return match
    }

    private mutating func expression(
        _ given: GivenArguments, _ place: Int, ignoreCase: Int
    ) throws(JinjaError) -> RegularExpression {
        let pattern = try given.text(place, "find") ?? ""
        try count(pattern.utf8.count * 16)
        return try RegularExpression(pattern, ignoresCase: given.value(ignoreCase, "ignorecase")?.isTrue ?? false)
    }

    /// Returns whether an expression matches, either at the start of the text or anywhere.
    mutating func matches(
        _ value: JinjaValue, _ given: GivenArguments, atStart: Bool
    ) throws(JinjaError) -> Bool {
        let expression = try expression(given, 0, ignoreCase: 1)
        return try match(expression, try scalars(of: value), isAnchored: atStart) != nil
    }

    private func scalars(of value: JinjaValue) throws(JinjaError) -> [Unicode.Scalar] {
        Array(try defined(value).text.unicodeScalars)
    }

    /// Returns all non-overlapping matches.
    ///
    /// An empty match isn't found twice at the same position.
    private mutating func allMatches(
        _ expression: RegularExpression, _ text: [Unicode.Scalar]
    ) throws(JinjaError) -> [RegularExpression.Groups] {
        var matches: [RegularExpression.Groups] = []
        var (position, isEmpty) = (0, false)
        while let found = try match(expression, text, from: position, mustAdvance: isEmpty), let whole = found[0] {
            guard matches.count < JinjaLimits.elements else {
                throw JinjaError("a list has more than \(JinjaLimits.elements) elements")
            }
            matches.append(found)
            (position, isEmpty) = (whole.upperBound, whole.isEmpty)
        }
        return matches
    }

    mutating func replacingMatches(_ value: JinjaValue, _ given: GivenArguments) throws(JinjaError) -> JinjaValue {
        let expression = try expression(given, 0, ignoreCase: 2)
        let parts = try Self.parts(of: try given.text(1, "replace") ?? "", expression)
        let text = try scalars(of: value)
        var result = String.UnicodeScalarView()
        var end = 0
        for match in try allMatches(expression, text) {
            guard let whole = match[0] else { continue }
            result.append(contentsOf: text[end..<whole.lowerBound])
            for part in parts {
                switch part {
                case .text(let scalars): result.append(contentsOf: scalars)
                case .group(let group): if let range = match[group] { result.append(contentsOf: text[range]) }
                }
                try count(1)
                guard result.count <= JinjaLimits.text else { throw JinjaError("the text is too long") }
            }
            end = whole.upperBound
        }
        result.append(contentsOf: text[end...])
        return try string(String(result))
    }

    private enum ReplacementPart {
        case text([Unicode.Scalar])
        case group(Int)
    }

    /// Returns the parts of a replacement: literal text, and groups, which are written as `\1` or `\g<name>`.
    private static func parts(
        of replacement: String, _ expression: RegularExpression
    ) throws(JinjaError) -> [ReplacementPart] {
        let scalars = Array(replacement.unicodeScalars)
        var parts: [ReplacementPart] = []
        var text: [Unicode.Scalar] = []
        var index = 0
        func group(_ name: String) throws(JinjaError) -> ReplacementPart {
            guard let number = Int(name) ?? expression.groupNames[name], (0...expression.groupCount).contains(number)
            else { throw JinjaError("a replacement names an unknown group") }
            return .group(number)
        }
        while index < scalars.count {
            let scalar = scalars[index]
            index += 1
            guard scalar == "\\" else {
                text.append(scalar)
                continue
            }
            guard index < scalars.count else { throw JinjaError("a replacement ends with a backslash") }
            let escaped = scalars[index]
            index += 1
            switch escaped {
            case "n": text.append("\n")
            case "t": text.append("\t")
            case "r": text.append("\r")
            case "\\": text.append("\\")
            case "1"..."9":
                var name = String(escaped)
                if index < scalars.count, ("0"..."9").contains(scalars[index]) {
                    name.unicodeScalars.append(scalars[index])
                    index += 1
                }
                parts += [.text(text), try group(name)]
                text = []
            case "g":
                guard index < scalars.count, scalars[index] == "<", let end = scalars[index...].firstIndex(of: ">")
                else { throw JinjaError("a replacement names an unknown group") }
                let name = String(String.UnicodeScalarView(scalars[(index + 1)..<end]))
                parts += [.text(text), try group(name)]
                text = []
                index = end + 1
            case "a"..."z", "A"..."Z", "0": throw JinjaError("a replacement has an unknown escape")
            default: text += ["\\", escaped]
            }
        }
        return parts + [.text(text)]
    }

    /// Returns one result per match.
    ///
    /// The result is the whole match if the expression has no groups, the group's text if it has one group, and
    /// otherwise a tuple of the texts of all groups.
    mutating func findAll(
        _ value: JinjaValue, _ given: GivenArguments, ignoreCase: Int
    ) throws(JinjaError) -> [JinjaValue] {
        let expression = try expression(given, 0, ignoreCase: ignoreCase)
        let text = try scalars(of: value)
        func found(_ range: Range<Int>?) -> JinjaValue {
            .string(range.map { String(String.UnicodeScalarView(text[$0])) } ?? "")
        }
        var results: [JinjaValue] = []
        for match in try allMatches(expression, text) {
            try count(match.count * 16 + (match[0]?.count ?? 0))
            switch expression.groupCount {
            case 0: results.append(found(match[0]))
            case 1: results.append(found(match[1]))
            default: results.append(.tuple(match.dropFirst().map(found)))
            }
        }
        return results
    }
}
