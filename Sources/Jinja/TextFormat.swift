import Glibc

/// Formats values as text in Python's two ways: `"%02x" % value` and `"{:02x}".format(value)`.
enum TextFormat {
    /// The format of one value.
    private struct Field {
        var fill: Unicode.Scalar = " "
        var alignment: Unicode.Scalar?
        var sign: Unicode.Scalar = "-"
        var isAlternate = false
        var isZeroPadded = false
        var isGrouped = false
        var width = 0
        var precision: Int?
        var type: Unicode.Scalar = "s"
    }

    /// The maximum width and precision.
    ///
    /// Formats with a larger width or precision are rejected.
    private static let maximumWidth = 100

    // MARK: "%02x" % value

    static func percent(
        _ format: String, _ values: [JinjaValue], mapping: JinjaValue
    ) throws(JinjaError) -> String {
        var result = ""
        var values = values[...]
        var usesMapping = false
        let members = mapping.members
        var scalars = format.unicodeScalars[...]
        while let scalar = scalars.popFirst() {
            guard result.utf8.count <= JinjaLimits.text else {
                throw JinjaError("the text is longer than \(JinjaLimits.text) bytes")
            }
            guard scalar == "%" else {
                result.unicodeScalars.append(scalar)
                continue
            }
            if scalars.first == "%" {
                scalars.removeFirst()
                result += "%"
                continue
            }
            var value: JinjaValue?
            if scalars.first == "(" {
                let name = scalars.dropFirst().prefix { $0 != ")" }
                scalars = scalars.dropFirst(name.count + 2)
                usesMapping = true
                value = members?.last { $0.key == .string(String(name)) }?.value
                guard value != nil else { throw JinjaError("a name in a format has no value") }
            }
            var field = Field()
            while let flag = scalars.first, "-+ 0#".unicodeScalars.contains(flag) {
                scalars.removeFirst()
                switch flag {
                case "-": field.alignment = "<"
                case "+": field.sign = "+"
                case " ": if field.sign != "+" { field.sign = " " }
                case "0": field.isZeroPadded = true
                default: field.isAlternate = true
                }
            }
            field.width = try number(&scalars) ?? 0
            if scalars.first == "." {
                scalars.removeFirst()
                field.precision = try number(&scalars) ?? 0
            }
            guard let type = scalars.popFirst() else { throw JinjaError("a format ends too early") }
            guard let value = value ?? values.popFirst() else { throw JinjaError("a format has too few values") }
            field.type = type
            switch type {
            case "s":
                field.alignment = field.alignment ?? ">"
                result += padded(cut(value.text, field.precision), field)
            case "r", "a": result += padded(cut(value.representation, field.precision), field)
            case "c":
                guard case .int(let code) = value, let code = UInt32(exactly: code), let scalar = Unicode.Scalar(code)
                else { throw JinjaError("%c requires a character code") }
                result += padded(String(Character(scalar)), field)
            case "d", "i", "u":
                guard let number = value.number else { throw JinjaError("%d requires a number") }
                field.type = "d"
                let whole = number.double.rounded(.towardZero)
                guard let integer = exactly(number, whole) else { throw JinjaError("%d requires a number") }
                result += text(of: integer, field)
            case "x", "X", "o":
                guard case .int(let integer)? = value.number else { throw JinjaError("%x requires a whole number") }
                result += text(of: integer, field)
            case "f", "F", "e", "E", "g", "G":
                guard let number = value.number?.double else { throw JinjaError("%f requires a number") }
                result += text(of: number, field)
            default: throw JinjaError("the format isn't supported")
            }
        }
        guard values.isEmpty || usesMapping || members != nil else {
            throw JinjaError("a format has too many values")
        }
        return result
    }

    private static func exactly(_ number: JinjaNumber, _ whole: Double) -> Int? {
        if case .int(let integer) = number { integer } else { Int(exactly: whole) }
    }

    // MARK: "{:02x}".format(value)

    static func braces(_ format: String, _ arguments: GivenArguments) throws(JinjaError) -> String {
        var result = ""
        var next = 0
        var scalars = format.unicodeScalars[...]
        while let scalar = scalars.popFirst() {
            guard result.utf8.count <= JinjaLimits.text else {
                throw JinjaError("the text is longer than \(JinjaLimits.text) bytes")
            }
            if scalar == "{" || scalar == "}", scalars.first == scalar {
                scalars.removeFirst()
                result.unicodeScalars.append(scalar)
                continue
            }
            guard scalar == "{" else {
                guard scalar != "}" else { throw JinjaError("a } without { in a format") }
                result.unicodeScalars.append(scalar)
                continue
            }
            let inner = scalars.prefix { $0 != "}" }
            guard inner.endIndex != scalars.endIndex else { throw JinjaError("a { without } in a format") }
            scalars = scalars[inner.endIndex...].dropFirst()
            let name = String(inner.prefix { $0 != ":" })
            let value: JinjaValue?
            if name.isEmpty {
                value = next < arguments.positional.count ? arguments.positional[next] : nil
                next += 1
            } else if let place = Int(name) {
                value = arguments.positional.indices.contains(place) ? arguments.positional[place] : nil
            } else {
                value = arguments.named[name]
            }
            guard let value else { throw JinjaError("a format has too few values") }
            result += try braced(value, inner.dropFirst(name.unicodeScalars.count).dropFirst())
        }
        return result
    }

    private static func braced(
        _ value: JinjaValue, _ specification: Substring.UnicodeScalarView
    ) throws(JinjaError) -> String {
        var field = Field()
        var rest = specification
        let alignments = "<>^=".unicodeScalars
        if let second = rest.dropFirst().first, alignments.contains(second), let fill = rest.first {
            field.fill = fill
            field.alignment = second
            rest = rest.dropFirst(2)
        } else if let first = rest.first, alignments.contains(first) {
            field.alignment = first
            rest.removeFirst()
        }
        if let sign = rest.first, "+- ".unicodeScalars.contains(sign) { field.sign = rest.removeFirst() }
        if rest.first == "#" {
            field.isAlternate = true
            rest.removeFirst()
        }
        if rest.first == "0" {
            field.isZeroPadded = true
            rest.removeFirst()
        }
        field.width = try number(&rest) ?? 0
        if rest.first == "," {
            field.isGrouped = true
            rest.removeFirst()
        }
        if rest.first == "." {
            rest.removeFirst()
            field.precision = try number(&rest) ?? 0
        }
        let type = rest.popFirst()
        guard rest.isEmpty else { throw JinjaError("the format isn't supported") }
        switch (type, value.number) {
        case (nil, .int(let integer)?) where value.typeName == "int", ("d", .int(let integer)?):
            field.type = "d"
            return text(of: integer, field)
        case ("x", .int(let integer)?), ("X", .int(let integer)?), ("o", .int(let integer)?), ("b", .int(let integer)?):
            field.type = type ?? "d"
            return text(of: integer, field)
        case ("f", let number?), ("F", let number?), ("e", let number?), ("E", let number?), ("g", let number?),
            ("G", let number?):
            field.type = type ?? "f"
            return text(of: number.double, field)
        case ("%", let number?):
            field.type = "f"
            return text(of: number.double * 100, field) + "%"
        case (nil, .float?) where field.precision == nil:
            field.alignment = field.alignment ?? ">"
            return padded(value.text, field)
        case (nil, _), ("s", _):
            guard type == nil || value.typeName == "str" else { break }
            return padded(cut(value.text, field.precision), field)
        default: break
        }
        throw JinjaError("the format isn't supported, or requires values of another type")
    }

    // MARK: Parts

    private static func number(_ scalars: inout Substring.UnicodeScalarView) throws(JinjaError) -> Int? {
        let digits = scalars.prefix { ("0"..."9").contains($0) }
        guard !digits.isEmpty else { return nil }
        scalars = scalars[digits.endIndex...]
        guard let number = Int(String(digits)), number <= maximumWidth else {
            throw JinjaError("a width in a format is more than \(maximumWidth)")
        }
        return number
    }

    private static func cut(_ text: String, _ length: Int?) -> String {
        guard let length else { return text }
        return String(text.unicodeScalars.prefix(length))
    }

    private static func text(of integer: Int, _ field: Field) -> String {
        let (radix, prefix) =
            switch field.type {
            case "x", "X": (16, "0x")
            case "o": (8, "0o")
            case "b": (2, "0b")
            default: (10, "")
            }
        var digits = String(integer.magnitude, radix: radix, uppercase: field.type == "X")
        if let precision = field.precision, digits.utf8.count < precision {
            digits = String(repeating: "0", count: precision - digits.utf8.count) + digits
        }
        let shown = field.isAlternate ? (field.type == "X" ? prefix.uppercased() : prefix) : ""
        return signed(digits, isNegative: integer < 0, prefix: shown, field)
    }

    private static func text(of number: Double, _ field: Field) -> String {
        guard number.isFinite else {
            let word = number.isNaN ? "nan" : "inf"
            var field = field
            field.isZeroPadded = false
            return signed(
                "FEG".unicodeScalars.contains(field.type) ? word.uppercased() : word, isNegative: number < 0,
                prefix: "",
                field)
        }
        let format = "%.\(field.precision ?? 6)\(field.type)"
        return signed(printed(number.magnitude, format), isNegative: number.sign == .minus, prefix: "", field)
    }

    /// Returns a number in the format of C's `printf`.
    private static func printed(_ number: Double, _ format: String) -> String {
        withVaList([number]) { list in
            // The largest number has 309 digits before the decimal point, and at most 100 can follow.
            var buffer = [CChar](repeating: 0, count: 512)
            let length = vsnprintf(&buffer, buffer.count, format, list)
            return String(decoding: buffer.prefix(max(0, Int(length))).map(UInt8.init(bitPattern:)), as: UTF8.self)
        }
    }

    /// Returns a number rounded to the given number of decimal places as in Python: a tie is rounded to the even digit.
    static func rounded(_ number: Double, digits: Int) -> Double {
        guard number.isFinite else { return number }
        if digits == 0 { return number.rounded(.toNearestOrEven) }
        if digits > 0 { return digits > 17 ? number : Double(printed(number, "%.\(digits)f")) ?? number }
        let scale = pow(10, Double(min(-digits, 308)))
        return (number / scale).rounded(.toNearestOrEven) * scale
    }

    private static func signed(_ digits: String, isNegative: Bool, prefix: String, _ field: Field) -> String {
        let digits = field.isGrouped ? grouped(digits) : digits
        let sign = isNegative ? "-" : field.sign == "-" ? "" : String(Character(field.sign))
        let missing = field.width - (sign + prefix + digits).unicodeScalars.count
        if missing > 0, (field.isZeroPadded && field.alignment == nil) || field.alignment == "=" {
            let fill = field.isZeroPadded ? "0" : String(Character(field.fill))
            return sign + prefix + String(repeating: fill, count: missing) + digits
        }
        var field = field
        field.alignment = field.alignment ?? ">"
        return padded(sign + prefix + digits, field)
    }

    /// Inserts a comma after every third digit, counted from the decimal point.
    private static func grouped(_ digits: String) -> String {
        let whole = digits.prefix { $0.isASCII && $0.isNumber }
        var result = ""
        for (index, digit) in whole.enumerated() {
            if index > 0, (whole.count - index).isMultiple(of: 3) { result += "," }
            result.append(digit)
        }
        return result + digits[whole.endIndex...]
    }

    private static func padded(_ text: String, _ field: Field) -> String {
        let missing = field.width - text.unicodeScalars.count
        guard missing > 0 else { return text }
        let fill = String(Character(field.fill))
        let before =
            switch field.alignment {
            case ">": missing
            case "^": missing / 2
            default: 0
            }
        return String(repeating: fill, count: before) + text + String(repeating: fill, count: missing - before)
    }
}
