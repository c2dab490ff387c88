import Glibc

/// The functions that templates can call.
enum Function: String, Sendable {
    case acos
    case asDateTime = "as_datetime"
    case asin
    case asLocal = "as_local"
    case asTimestamp = "as_timestamp"
    case atan, average, bool, clamp, cos, dict, float, iif, int
    case isNumber = "is_number"
    case list, log, max, median, min, namespace, range, remap, sin, slugify, sqrt
    case statisticalMode = "statistical_mode"
    case strptime, tan, wrap

    /// The filter that has the same effect on the function's first argument, or `nil` if there is none.
    fileprivate var filter: Filter? {
        switch self {
        case .average, .dict, .float, .int, .list, .max, .median, .min, .namespace, .range, .statisticalMode: nil
        default: Filter(name: rawValue)
        }
    }
}

/// The methods of strings, lists, mappings and dates that templates can call.
enum Method: String, Sendable {
    case capitalize, count, endswith, find, format, get, index, isdecimal, isdigit, isnumeric, items, join, keys, lower
    case lstrip, partition, replace, rsplit, rstrip, split, splitlines, startswith, strip, title, upper, values, zfill
    case isoformat, isoweekday, strftime, timestamp, weekday
}

extension JinjaRenderer {
    mutating func call(_ function: Function, _ given: GivenArguments) throws(JinjaError) -> JinjaValue {
        if let filter = function.filter {
            return try apply(filter, to: try given.required(0, "value"), given.dropping(1))
        }
        switch function {
        case .float: return try fraction(try given.required(0, "value"), given.dropping(1))
        case .int: return try whole(try given.required(0, "value"), given.dropping(1))
        case .min, .max, .average, .median, .statisticalMode:
            let values = given.positional.count == 1 ? try given.required(0, "values") : .list(given.positional)
            guard let filter = Filter(name: function.rawValue) else { break }
            return try apply(filter, to: values, GivenArguments(named: given.named))
        case .list: return .list(try sequence(given.value(0, "value") ?? .list([])))
        case .dict:
            let members = given.value(0, "value")?.members ?? []
            // The cost is quadratic, because each member is compared with all previous members.
            try count(members.count * members.count)
            var dictionary = JinjaDictionary(members)
            for (name, value) in given.named.sorted(by: { $0.key < $1.key }) { dictionary[.string(name)] = value }
            return .dict(dictionary)
        case .namespace: return try makeNamespace(given.named)
        case .range: return try range(given)
        default: break
        }
        throw JinjaError("the function \"\(function.rawValue)\" isn't supported")
    }

    private mutating func range(_ given: GivenArguments) throws(JinjaError) -> JinjaValue {
        var bounds: [Int] = []
        for place in given.positional.indices { bounds.append(try given.int(place, "bound") ?? 0) }
        guard (1...3).contains(bounds.count) else { throw JinjaError("range requires one to three numbers") }
        let start = bounds.count == 1 ? 0 : bounds[0]
        let end = bounds.count == 1 ? bounds[0] : bounds[1]
        let step = bounds.count == 3 ? bounds[2] : 1
        guard step != 0 else { throw JinjaError("the step of a range is zero") }
        var values: [JinjaValue] = []
        var next = start
        while step > 0 ? next < end : next > end {
            guard values.count < JinjaLimits.elements else {
                throw JinjaError("a list has more than \(JinjaLimits.elements) elements")
            }
            values.append(.int(next))
            next = try Self.whole(next.addingReportingOverflow(step))
        }
        return try list(values)
    }

    mutating func call(
        _ method: Method, of value: JinjaValue, _ given: GivenArguments
    ) throws(JinjaError) -> JinjaValue {
        try countAll(value)
        if case .string(let text) = value { return try call(method, of: text, given) }
        if case .datetime(let date) = value { return try call(method, of: date, given) }
        if let members = value.members {
            switch method {
            case .get:
                let key = try given.required(0, "key")
                return members.last { $0.key == key }?.value ?? given.value(1, "default") ?? .none
            case .items: return .list(members.map { .tuple([$0.key, $0.value]) })
            case .keys: return .list(members.map(\.key))
            case .values: return .list(members.map(\.value))
            default: break
            }
        }
        if let elements = value.elements {
            let wanted = given.positional.first
            switch method {
            case .index:
                guard let index = elements.firstIndex(where: { $0 == wanted }) else {
                    throw JinjaError("the list doesn't contain the value")
                }
                return .int(index)
            case .count: return .int(elements.count { $0 == wanted })
            default: break
            }
        }
        throw JinjaError("a value of type \(value.typeName) has no method \(method.rawValue)")
    }

    private mutating func call(
        _ method: Method, of text: String, _ given: GivenArguments
    ) throws(JinjaError) -> JinjaValue {
        switch method {
        case .lower: return try string(text.lowercased())
        case .upper: return try string(text.uppercased())
        case .capitalize: return try string(text.capitalizedFirst)
        case .title: return try string(text.capitalizedWords)
        case .strip: return .string(text.trimming(try given.text(0, "chars")))
        case .lstrip: return .string(text.trimming(try given.text(0, "chars"), atEnd: false))
        case .rstrip: return .string(text.trimming(try given.text(0, "chars"), atStart: false))
        case .startswith: return .bool(try prefixes(given).contains { text.starts(withScalars: $0) })
        case .endswith: return .bool(try prefixes(given).contains { text.ends(withScalars: $0) })
        case .replace:
            return try replacing(
                text, try given.requiredText(0, "old"), try given.requiredText(1, "new"), try given.int(2, "count"))
        case .split, .rsplit:
            return try split(text, try given.text(0, "sep"), try given.int(1, "maxsplit"), fromEnd: method == .rsplit)
        case .splitlines:
            return try list(text.split(separator: "\n", omittingEmptySubsequences: true).map { .string(String($0)) })
        case .partition:
            let separator = try given.requiredText(0, "sep")
            try countSearch(for: separator, in: text)
            guard let range = text.range(ofPart: separator), !separator.isEmpty else {
                return .tuple([.string(text), .string(""), .string("")])
            }
            return .tuple([
                .string(String(text[..<range.lowerBound])), .string(separator),
                .string(String(text[range.upperBound...])),
            ])
        case .join:
            let values = try sequence(try given.required(0, "values"))
            guard values.allSatisfy({ $0.typeName == "str" }) else { throw JinjaError("only strings can be joined") }
            return try apply(.join, to: .list(values), GivenArguments(positional: [.string(text)]))
        case .format: return try string(try TextFormat.braces(text, given))
        case .find, .index, .count:
            let part = try given.requiredText(0, "sub")
            try countSearch(for: part, in: text)
            if method == .count { return .int(try pieces(of: text, separator: part).count - 1) }
            guard let range = text.range(ofPart: part) else {
                if method == .find { return .int(-1) }
                throw JinjaError("substring not found")
            }
            return .int(text.unicodeScalars.distance(from: text.startIndex, to: range.lowerBound))
        case .isdigit, .isdecimal, .isnumeric:
            return .bool(
                !text.isEmpty && text.unicodeScalars.allSatisfy { $0.properties.generalCategory == .decimalNumber })
        case .zfill:
            guard let width = try given.int(0, "width"), width <= 100 else {
                throw JinjaError("zfill requires a width of at most 100")
            }
            let missing = max(0, max(0, width) - text.unicodeScalars.count)
            let isSigned = text.hasPrefix("-") || text.hasPrefix("+")
            return .string(
                text.prefix(isSigned ? 1 : 0) + String(repeating: "0", count: missing)
                    + text.dropFirst(isSigned ? 1 : 0))
        case .get, .items, .keys, .values, .isoformat, .isoweekday, .strftime, .timestamp, .weekday:
            throw JinjaError("a string has no method \(method.rawValue)")
        }
    }

    private func prefixes(_ given: GivenArguments) throws(JinjaError) -> [String] {
        if case .tuple(let values)? = given.positional.first { return values.map(\.text) }
        return [try given.requiredText(0, "prefix")]
    }

    private mutating func pieces(of text: String, separator: String, limit: Int = .max) throws(JinjaError) -> [String] {
        guard !separator.isEmpty else { throw JinjaError("the separator is empty") }
        try countSearch(for: separator, in: text)
        var pieces: [String] = []
        var start = text.startIndex
        while pieces.count < limit, let range = text.range(ofPart: separator, from: start) {
            guard pieces.count < JinjaLimits.elements else {
                throw JinjaError("a list has more than \(JinjaLimits.elements) elements")
            }
            pieces.append(String(text[start..<range.lowerBound]))
            start = range.upperBound
        }
        return pieces + [String(text[start...])]
    }

    private mutating func split(
        _ text: String, _ separator: String?, _ limit: Int?, fromEnd: Bool
    ) throws(JinjaError) -> JinjaValue {
        let limit = limit.flatMap { $0 < 0 ? nil : $0 }
        guard let separator else {
            guard limit == nil else { throw JinjaError("a limit without a separator isn't supported") }
            return try list(
                text.unicodeScalars.split(whereSeparator: \.properties.isWhitespace).map { .string(String($0)) })
        }
        guard fromEnd, let limit else {
            return try list(try pieces(of: text, separator: separator, limit: limit ?? .max).map(JinjaValue.string))
        }
        let all = try pieces(of: text, separator: separator)
        let kept = max(0, all.count - 1 - limit)
        return try list(
            [.string(all[...kept].joined(separator: separator))] + all[(kept + 1)...].map(JinjaValue.string))
    }
}

extension GivenArguments {
    func dropping(_ count: Int) -> GivenArguments {
        GivenArguments(positional: Array(positional.dropFirst(count)), named: named)
    }
}

extension String {
    var capitalizedFirst: String { prefix(1).uppercased() + dropFirst().lowercased() }

    /// The text in the title case of Jinja2's `title` filter: words begin after whitespace, hyphens and opening
    /// brackets.
    var titled: String { capitalized { !$0.isWhitespace && !"-([{<".contains($0) } }

    /// The text in the title case of Python's `title` method: each group of letters is a word.
    var capitalizedWords: String { capitalized(\.isLetter) }

    private func capitalized(_ continues: (Character) -> Bool) -> String {
        var result = ""
        var isInWord = false
        for character in self {
            result += isInWord ? character.lowercased() : character.uppercased()
            isInWord = continues(character)
        }
        return result
    }

    /// Returns the text without the given leading and trailing characters, or without leading and trailing whitespace
    /// if they are `nil`.
    func trimming(_ characters: String?, atStart: Bool = true, atEnd: Bool = true) -> String {
        let set = characters.map { Set($0.unicodeScalars) }
        var rest = unicodeScalars[...]
        func isTrimmed(_ scalar: Unicode.Scalar) -> Bool { set?.contains(scalar) ?? scalar.properties.isWhitespace }
        if atStart { rest = rest.drop(while: isTrimmed) }
        if atEnd { while let last = rest.last, isTrimmed(last) { rest.removeLast() } }
        return String(rest)
    }

    /// Returns the text as lowercase ASCII letters and digits, for use in ids.
    ///
    /// A separator replaces each run of other characters. Letters lose their diacritics, and apostrophes are removed.
    package func slug(separator: String = "_") -> String {
        var words: [String] = []
        var word = ""
        for scalar in lowercased().unicodeScalars {
            if scalar.isASCII, scalar.properties.isAlphabetic || ("0"..."9").contains(scalar) {
                word.unicodeScalars.append(scalar)
            } else if let name = scalar.properties.name, name.hasPrefix("LATIN SMALL LETTER "),
                let letter = name.split(separator: " ").dropFirst(3).first, letter.utf8.count == 1
            {
                // A letter with a diacritic is replaced with its base letter, such as ü with u.
                word += letter.lowercased()
            } else if scalar != "'" {
                words.append(word)
                word = ""
            }
        }
        return (words + [word]).filter { !$0.isEmpty }.joined(separator: separator)
    }

    func starts(withScalars prefix: String) -> Bool { utf8.starts(with: prefix.utf8) }

    func ends(withScalars suffix: String) -> Bool { utf8.reversed().starts(with: suffix.utf8.reversed()) }
}
