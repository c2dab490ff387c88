import BoundedJSON
import Glibc

/// The filters of Jinja2 and of Home Assistant.
enum Filter: String, Sendable {
    case abs, acos, add
    case asDateTime = "as_datetime"
    case asin
    case asLocal = "as_local"
    case asTimestamp = "as_timestamp"
    case atan, average
    case base64Decode = "base64_decode"
    case base64Encode = "base64_encode"
    case bool, capitalize, clamp, contains, cos, `default`, first, float, format
    case fromJSON = "from_json"
    case iif, int, isDefined = "is_defined"
    case isNumber = "is_number"
    case items, join, last, length, list, log, lower, map, max, median, min, multiply, ord
    case regexFindAll = "regex_findall"
    case regexFindAllIndex = "regex_findall_index"
    case regexMatch = "regex_match"
    case regexReplace = "regex_replace"
    case regexSearch = "regex_search"
    case reject, rejectattr, remap, replace, reverse, round, select, selectattr, sin, slugify, sort, sqrt
    case statisticalMode = "statistical_mode"
    case string, strptime, sum, tan
    case timestampCustom = "timestamp_custom"
    case timestampLocal = "timestamp_local"
    case timestampUTC = "timestamp_utc"
    case title, tojson
    case toJSON = "to_json"
    case trim, truncate, unique, upper, wrap
    case bitwiseAnd = "bitwise_and"
    case bitwiseOr = "bitwise_or"
    case bitwiseXor = "bitwise_xor"

    init?(name: String) {
        switch name {
        case "d": self = .default
        case "count": self = .length
        default: self.init(rawValue: name)
        }
    }
}

extension JinjaRenderer {
    mutating func apply(
        _ filter: Filter, to value: JinjaValue, _ given: GivenArguments
    ) throws(JinjaError) -> JinjaValue {
        try countAll(value)
        switch filter {
        case .default:
            let usesFalse = given.value(1, "boolean")?.isTrue ?? false
            return value.isUndefined || (usesFalse && !value.isTrue)
                ? given.value(0, "default_value") ?? .string("") : value
        case .isDefined: return try defined(value)
        case .iif:
            if value.isTrue { return given.value(0, "if_true") ?? .bool(true) }
            if value == .none, let none = given.value(2, "if_none") { return none }
            return given.value(1, "if_false") ?? .bool(false)
        // Numbers.
        case .int: return try whole(value, given)
        case .float: return try fraction(value, given)
        case .round: return try rounded(value, given)
        case .abs:
            switch try number(value) {
            case .int(let number):
                return .int(number < 0 ? try Self.whole(0.subtractingReportingOverflow(number)) : number)
            case .float(let number): return .float(number.magnitude)
            }
        case .multiply, .add:
            guard let number = Self.read(try defined(value)), let other = Self.read(try given.required(0, "amount"))
            else {
                guard let fallback = given.value(1, "default") else { throw Self.noNumber(value) }
                return fallback
            }
            return .float(filter == .multiply ? number * other : number + other)
        case .sqrt, .log:
            guard let number = Self.read(value), number > 0 || (number == 0 && filter == .sqrt) else {
                throw Self.noNumber(value)
            }
            guard filter == .log else { return .float(number.squareRoot()) }
            return .float(Glibc.log(number) / (given.value(0, "base").flatMap(Self.read).map { Glibc.log($0) } ?? 1))
        case .isNumber: return .bool(Self.read(value)?.isFinite ?? false)
        case .bool: return try truth(value, given)
        case .sin, .cos, .tan, .asin, .acos, .atan: return try trigonometry(filter, value, given)
        case .clamp, .wrap, .remap: return try ranged(filter, value, given)
        case .bitwiseAnd, .bitwiseOr, .bitwiseXor:
            guard case .int(let a)? = try whole(value, GivenArguments()).number,
                case .int(let b)? = try whole(try given.required(0, "value"), GivenArguments()).number
            else { throw Self.noNumber(value) }
            return .int(filter == .bitwiseAnd ? a & b : filter == .bitwiseOr ? a | b : a ^ b)
        // Text.
        case .string: return .string(try text(of: value))
        case .lower: return try string(try text(of: value).lowercased())
        case .upper: return try string(try text(of: value).uppercased())
        case .capitalize: return try string(try text(of: value).capitalizedFirst)
        case .title: return try string(try text(of: value).titled)
        case .trim: return .string(try text(of: value).trimming(try given.text(0, "chars")))
        case .truncate: return try truncated(try text(of: value), given)
        case .replace:
            return try replacing(
                try text(of: value), try text(of: given.required(0, "old")), try text(of: given.required(1, "new")),
                try given.int(2, "count"))
        case .format: return try string(try TextFormat.percent(try text(of: value), given.positional, mapping: .none))
        case .ord:
            guard case .string(let text) = value, let scalar = text.unicodeScalars.first,
                text.unicodeScalars.count == 1
            else { throw JinjaError("ord requires one character") }
            return .int(Int(scalar.value))
        case .slugify: return try string(try text(of: value).slug(separator: try given.text(0, "separator") ?? "_"))
        case .base64Encode: return try string(Base64.encode(Array(try text(of: try defined(value)).utf8)))
        case .base64Decode:
            let isUTF8 = ["utf-8", "utf8", "ascii"].contains(try given.text(0, "encoding")?.lowercased() ?? "utf-8")
            guard isUTF8, let bytes = Base64.decode(try text(of: try defined(value))),
                let text = String(validating: bytes, as: UTF8.self)
            else { throw JinjaError("base64_decode: the string isn't valid Base64") }
            return try string(text)
        case .regexMatch, .regexSearch: return .bool(try matches(value, given, atStart: filter == .regexMatch))
        case .regexReplace: return try replacingMatches(value, given)
        case .regexFindAll: return try list(try findAll(value, given, ignoreCase: 1))
        case .regexFindAllIndex:
            let found = try findAll(value, given, ignoreCase: 2)
            let index = try given.int(1, "index") ?? 0
            guard (-found.count..<found.count).contains(index) else {
                throw JinjaError("regex_findall_index: there is no match with this index")
            }
            return found[index < 0 ? index + found.count : index]
        // Dates.
        case .asTimestamp, .asDateTime, .asLocal, .strptime, .timestampCustom, .timestampLocal, .timestampUTC:
            return try apply(dateFilter: filter, to: value, given)
        case .tojson, .toJSON: return try string(try Self.json(of: value, filter == .tojson))
        case .fromJSON:
            guard case .string(let text) = value else { throw JinjaError("from_json requires a string") }
            do { return JinjaValue(try JSONValue(parsing: Array(text.utf8))) } catch {
                throw JinjaError("from_json: the string isn't valid JSON")
            }
        // Lists.
        case .length:
            guard case .undefined = value else {
                guard case .string(let text) = value else { return .int(try sequence(value).count) }
                return .int(text.unicodeScalars.count)
            }
            return .int(0)
        case .join:
            var result = ""
            let attribute = try given.text(1, "attribute")
            let separator = try given.text(0, "d") ?? ""
            for (index, element) in try sequence(value).enumerated() {
                result += index > 0 ? separator : ""
                result += try text(of: try Self.member(attribute, of: element))
                guard result.utf8.count <= JinjaLimits.text else {
                    throw JinjaError("the text is longer than \(JinjaLimits.text) bytes")
                }
            }
            return try string(result)
        case .list: return .list(try sequence(value))
        case .items: return .list((value.members ?? []).map { .tuple([$0.key, $0.value]) })
        case .first: return try sequence(value).first ?? .undefined("the first item of an empty list")
        case .last: return try sequence(value).last ?? .undefined("the last item of an empty list")
        case .reverse:
            let reversed = try Array(sequence(value).reversed())
            if case .string = value { return .string(reversed.map(\.text).joined()) }
            return .list(reversed)
        case .min, .max:
            let sorted = try sorted(try attributes(given, 1, of: try sequence(value)))
            return (filter == .min ? sorted.first : sorted.last) ?? .undefined("the extreme of an empty list")
        case .sum, .average:
            let values = try attributes(given, 0, of: try sequence(value))
            var sum = given.value(1, "start") ?? .int(0)
            for element in values { sum = try calculate(.plus, sum, element) }
            guard filter == .average else { return sum }
            guard let total = sum.number?.double, !values.isEmpty else {
                throw JinjaError("an average requires numbers")
            }
            return .float(total / Double(values.count))
        case .median, .statisticalMode:
            let values = try sequence(value)
            if values.isEmpty, let fallback = given.value(0, "default") { return fallback }
            return filter == .median ? try median(of: values) : try mode(of: values)
        case .contains: return .bool(try compare(try given.required(0, "value"), .isIn, value))
        case .sort:
            let isReversed = given.value(0, "reverse")?.isTrue ?? false
            let values = try sequence(value)
            guard given.value(2, "attribute") == nil else { throw JinjaError("sorting by attribute isn't supported") }
            let sorted = try sorted(values)
            return .list(isReversed ? sorted.reversed() : sorted)
        case .unique:
            var values: [JinjaValue] = []
            for element in try sequence(value) {
                try count(values.count * 16)
                if !values.contains(element) { values.append(element) }
            }
            return .list(values)
        case .map: return .list(try mapped(try sequence(value), given))
        case .select, .reject, .selectattr, .rejectattr: return .list(try selected(filter, try sequence(value), given))
        }
    }

    // MARK: Numbers

    static func noNumber(_ value: JinjaValue) -> JinjaError {
        JinjaError("a value of type \(value.typeName) isn't a number")
    }

    /// Converts a value to a number, or returns `nil` if that's impossible.
    ///
    /// Text is parsed by the rules of Python's `float`.
    static func read(_ value: JinjaValue) -> Double? {
        guard case .string(let text) = value else { return value.number?.double }
        let digits = text.trimmingWhitespace.filter { $0 != "_" }
        // Swift accepts hexadecimal numbers, but Python doesn't.
        guard !digits.lowercased().contains("x") else { return nil }
        return Double(digits)
    }

    private func number(_ value: JinjaValue) throws(JinjaError) -> JinjaNumber {
        guard let number = value.number else { throw Self.noNumber(value) }
        return number
    }

    func fraction(_ value: JinjaValue, _ given: GivenArguments) throws(JinjaError) -> JinjaValue {
        if let number = Self.read(try defined(value)) { return .float(number) }
        guard let fallback = given.value(0, "default") else { throw Self.noNumber(value) }
        return fallback
    }

    func whole(_ value: JinjaValue, _ given: GivenArguments) throws(JinjaError) -> JinjaValue {
        let value = try defined(value)
        let base = try given.int(1, "base") ?? 10
        guard base == 0 || (2...36).contains(base) else { throw JinjaError("invalid base") }
        if case .string(let text) = value {
            var digits = text.trimmingWhitespace.filter { $0 != "_" }
            let prefixes = [16: "0x", 8: "0o", 2: "0b"]
            if let prefix = prefixes[base], digits.lowercased().hasPrefix(prefix) { digits.removeFirst(2) }
            if (2...36).contains(base), let number = Int(digits, radix: base) { return .int(number) }
        } else if case .int(let number)? = value.number {
            return .int(number)
        }
        if let number = Self.read(value), let whole = Int(exactly: number.rounded(.towardZero)) { return .int(whole) }
        guard let fallback = given.value(0, "default") else { throw Self.noNumber(value) }
        return fallback
    }

    private func rounded(_ value: JinjaValue, _ given: GivenArguments) throws(JinjaError) -> JinjaValue {
        let digits = try given.int(0, "precision") ?? 0
        let method = try given.text(1, "method") ?? "common"
        guard let number = Self.read(try defined(value)), number.isFinite, (-308...308).contains(digits) else {
            guard let fallback = given.value(2, "default") else { throw Self.noNumber(value) }
            return fallback
        }
        let scale = pow(10, Double(digits))
        let result: Double
        switch method {
        case "common": result = TextFormat.rounded(number, digits: digits)
        case "ceil": result = (number * scale).rounded(.up) / scale
        case "floor": result = (number * scale).rounded(.down) / scale
        case "half": result = (number * 2).rounded(.toNearestOrEven) / 2
        default: throw JinjaError("unknown rounding method")
        }
        guard digits == 0, method != "half", let whole = Int(exactly: result) else { return .float(result) }
        return .int(whole)
    }

    /// Converts a number, or a string such as `on` or `false`, to a Boolean value.
    ///
    /// For other values, returns the `default` argument, or throws an error if it is missing.
    func truth(_ value: JinjaValue, _ given: GivenArguments) throws(JinjaError) -> JinjaValue {
        if case .bool = value { return value }
        if let number = value.number?.double { return .bool(number != 0) }
        switch value.text.lowercased() {
        case "1", "true", "yes", "on", "enable": return .bool(true)
        case "0", "false", "no", "off", "disable": return .bool(false)
        default:
            guard let fallback = given.value(0, "default") else { throw JinjaError("the value isn't a Boolean") }
            return fallback
        }
    }

    private func trigonometry(
        _ filter: Filter, _ value: JinjaValue, _ given: GivenArguments
    ) throws(JinjaError) -> JinjaValue {
        let result = Self.read(try defined(value)).map { number in
            switch filter {
            case .sin: Glibc.sin(number)
            case .cos: Glibc.cos(number)
            case .tan: Glibc.tan(number)
            case .asin: Glibc.asin(number)
            case .acos: Glibc.acos(number)
            default: Glibc.atan(number)
            }
        }
        if let result, !result.isNaN { return .float(result) }
        guard let fallback = given.value(0, "default") else { throw Self.noNumber(value) }
        return fallback
    }

    /// Returns a number clamped or wrapped into a range, or mapped from one range to another.
    private func ranged(
        _ filter: Filter, _ value: JinjaValue, _ given: GivenArguments
    ) throws(JinjaError) -> JinjaValue {
        func bound(_ place: Int, _ name: String) throws(JinjaError) -> Double {
            let given = try given.required(place, name)
            guard let number = Self.read(given) else { throw Self.noNumber(given) }
            return number
        }
        guard let number = Self.read(try defined(value)) else { throw Self.noNumber(value) }
        guard filter == .remap else {
            let low = try bound(0, "min_value")
            let high = try bound(1, "max_value")
            return .float(filter == .clamp ? max(low, min(high, number)) : Self.wrapped(number, low, high))
        }
        let low = try bound(0, "in_min")
        let high = try bound(1, "in_max")
        let target = (low: try bound(2, "out_min"), high: try bound(3, "out_max"))
        guard low != high else { throw JinjaError("remap: the range is empty") }
        var share = (number - low) / (high - low)
        switch try given.text(5, "edges") ?? "none" {
        case "none": break
        case "clamp": share = max(0, min(1, share))
        case "wrap": share = Self.wrapped(share, 0, 1)
        case "mirror":
            share = Self.wrapped(share, 0, 2)
            if share > 1 { share = 2 - share }
        default: throw JinjaError("remap: edges must be none, clamp, wrap or mirror")
        }
        if let steps = try given.int(4, "steps"), steps > 0 {
            share = (share * Double(steps)).rounded(.toNearestOrEven) / Double(steps)
        }
        return .float(target.low + share * (target.high - target.low))
    }

    private static func wrapped(_ number: Double, _ low: Double, _ high: Double) -> Double {
        guard high != low else { return low }
        let rest = fmod(number - low, high - low)
        return low + (rest != 0 && (rest < 0) != (high < low) ? rest + high - low : rest)
    }

    private func median(of values: [JinjaValue]) throws(JinjaError) -> JinjaValue {
        guard !values.isEmpty, values.allSatisfy({ $0.number != nil }) else {
            throw JinjaError("a median requires numbers")
        }
        let sorted = values.sorted { $0.isLess(than: $1) ?? false }
        let middle = sorted.count / 2
        guard sorted.count.isMultiple(of: 2) else { return sorted[middle] }
        return .float(((sorted[middle - 1].number?.double ?? 0) + (sorted[middle].number?.double ?? 0)) / 2)
    }

    /// Returns the most frequent value.
    ///
    /// If several values are equally frequent, it returns the first of them.
    private mutating func mode(of values: [JinjaValue]) throws(JinjaError) -> JinjaValue {
        try count(values.count * values.count)
        var best: (value: JinjaValue, count: Int)?
        for value in values {
            let count = values.count { $0 == value }
            if count > best?.count ?? 0 { best = (value, count) }
        }
        guard let best else { throw JinjaError("an empty list has no mode") }
        return best.value
    }

    // MARK: Text

    mutating func replacing(
        _ text: String, _ old: String, _ new: String, _ limit: Int?
    ) throws(JinjaError) -> JinjaValue {
        try countSearch(for: old, in: text)
        var left = limit ?? -1
        if left < 0 { left = .max }
        guard !old.isEmpty else { throw JinjaError("an empty string can't be replaced") }
        var result = ""
        var start = text.startIndex
        while left > 0, let range = text.range(ofPart: old, from: start) {
            result += text[start..<range.lowerBound]
            result += new
            guard result.utf8.count <= JinjaLimits.text else {
                throw JinjaError("the text is longer than \(JinjaLimits.text) bytes")
            }
            start = range.upperBound
            left -= 1
        }
        return try string(result + text[start...])
    }

    /// Returns the text truncated to a length, between words if possible, followed by an end mark.
    private func truncated(_ text: String, _ given: GivenArguments) throws(JinjaError) -> JinjaValue {
        let length = try given.int(0, "length") ?? 255
        let end = try given.text(2, "end") ?? "..."
        let leeway = try given.int(3, "leeway") ?? 5
        let scalars = text.unicodeScalars
        guard length >= end.unicodeScalars.count, leeway >= 0 else { throw JinjaError("the length is too short") }
        guard scalars.count > length, scalars.count - length > leeway else { return .string(text) }
        let kept = String(scalars.prefix(length - end.unicodeScalars.count))
        if given.value(1, "killwords")?.isTrue ?? false { return .string(kept + end) }
        let words = kept.lastIndex(of: " ").map { String(kept[..<$0]) }
        return .string((words ?? kept) + end)
    }

    private static func json(of value: JinjaValue, _ isSpaced: Bool) throws(JinjaError) -> String {
        switch value {
        case .none: return "null"
        case .bool(let value): return value ? "true" : "false"
        case .float(let number) where !number.isFinite: throw JinjaError("the number can't be written as JSON")
        case .int, .float: return value.text
        case .string(let text): return isSpaced ? pageJSON(of: text) : JSONValue.string(text).text
        case .undefined(let name): throw JinjaError("\(name.prefix(32)) is not defined")
        case .namespace: throw JinjaError("a namespace can't be written as JSON")
        case .datetime(let date): return JSONValue.string(date.text(separator: "T")).text
        case .list, .tuple, .dict, .json: break
        }
        var texts: [String] = []
        if let elements = value.elements {
            for element in elements { texts.append(try json(of: element, isSpaced)) }
            return "[" + texts.joined(separator: isSpaced ? ", " : ",") + "]"
        }
        var members = value.members ?? []
        // Jinja2's `tojson` filter sorts the keys, but Home Assistant's `to_json` doesn't.
        if isSpaced { members.sort { $0.key.isLess(than: $1.key) ?? false } }
        for member in members {
            let name = try json(of: .string(member.key.text), isSpaced)
            texts.append(try name + (isSpaced ? ": " : ":") + json(of: member.value, isSpaced))
        }
        return "{" + texts.joined(separator: isSpaced ? ", " : ",") + "}"
    }

    /// Returns text as a JSON string that is safe in a web page.
    ///
    /// Like Jinja2, it uses only ASCII, and escapes the characters that have a meaning in HTML.
    private static func pageJSON(of text: String) -> String {
        var result = ""
        for unit in JSONValue.string(text).text.utf16 {
            if unit < 0x80, let scalar = Unicode.Scalar(unit), !"<>&'".unicodeScalars.contains(scalar) {
                result.unicodeScalars.append(scalar)
            } else {
                let digits = String(unit, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
            }
        }
        return result
    }

    // MARK: Lists

    /// Returns the given attribute of a value, or the value itself if the attribute is `nil`.
    ///
    /// An attribute is a name, an index, or several of them separated by dots, such as `color.0`.
    private static func member(_ attribute: String?, of value: JinjaValue) throws(JinjaError) -> JinjaValue {
        guard let attribute else { return value }
        var value = value
        for name in attribute.split(separator: ".") {
            if let index = Int(name) {
                let elements = value.elements ?? []
                value = elements.indices.contains(index) ? elements[index] : .undefined(String(name))
            } else {
                value = value.members?.last { $0.key == .string(String(name)) }?.value ?? .undefined(String(name))
            }
        }
        return value
    }

    private func attributes(
        _ given: GivenArguments, _ place: Int, of values: [JinjaValue]
    ) throws(JinjaError) -> [JinjaValue] {
        let attribute = try given.text(place, "attribute")
        var result: [JinjaValue] = []
        for value in values { result.append(try Self.member(attribute, of: value)) }
        return result
    }

    private mutating func sorted(_ values: [JinjaValue]) throws(JinjaError) -> [JinjaValue] {
        try count(values.count * 16)
        for pair in zip(values, values.dropFirst()) where pair.0.isLess(than: pair.1) == nil {
            throw JinjaError("values of types \(pair.0.typeName) and \(pair.1.typeName) can't be compared")
        }
        // Jinja2 ignores case when it sorts.
        return values.map { (key: $0.foldedForSorting, value: $0) }.sorted { $0.key.isLess(than: $1.key) ?? false }
            .map(\.value)
    }

    private mutating func mapped(
        _ values: [JinjaValue], _ given: GivenArguments
    ) throws(JinjaError) -> [JinjaValue] {
        var result: [JinjaValue] = []
        if let attribute = given.named["attribute"] {
            let fallback = given.named["default"]
            for value in values {
                let member = try Self.member(attribute.text, of: value)
                result.append(member.isUndefined ? fallback ?? member : member)
            }
            return result
        }
        let name = try given.requiredText(0, "filter")
        // `map` can't apply itself, because the nesting could then be as deep as the number of arguments.
        guard let filter = Filter(name: name), filter != .map else {
            throw JinjaError("the filter \"\(name.prefix(32))\" isn't supported")
        }
        let arguments = GivenArguments(positional: Array(given.positional.dropFirst()), named: given.named)
        for value in values { result.append(try apply(filter, to: value, arguments)) }
        return result
    }

    private mutating func selected(
        _ filter: Filter, _ values: [JinjaValue], _ given: GivenArguments
    ) throws(JinjaError) -> [JinjaValue] {
        let byAttribute = filter == .selectattr || filter == .rejectattr
        let attribute = byAttribute ? try given.requiredText(0, "attribute") : nil
        let place = byAttribute ? 1 : 0
        var wanted: Test?
        if let name = try given.text(place, "test") {
            wanted = Test(name: name)
            guard wanted != nil else { throw JinjaError("the test \"\(name.prefix(32))\" isn't supported") }
        }
        let arguments = GivenArguments(positional: Array(given.positional.dropFirst(place + 1)))
        var result: [JinjaValue] = []
        for value in values {
            let member = try Self.member(attribute, of: value)
            let passes = try wanted.map { (test) throws(JinjaError) in try self.passes(member, test, arguments) }
            if (passes ?? member.isTrue) == (filter == .select || filter == .selectattr) { result.append(value) }
        }
        return result
    }
}

extension JinjaValue {
    fileprivate var foldedForSorting: JinjaValue {
        if case .string(let text) = self { .string(text.lowercased()) } else { self }
    }
}
