enum JinjaToken: Equatable {
    /// Literal text.
    case text(String)
    case outputBegin, outputEnd
    case blockBegin, blockEnd
    case name(String)
    case string(String)
    case int(Int)
    case float(Double)
    case symbol(String)
}

struct JinjaLexer {
    private let bytes: [UInt8]
    private var position = 0
    private var tokens: [JinjaToken] = []
    /// A Boolean value that indicates whether the last tag ended with a minus, so that the whitespace after it is
    /// removed.
    private var stripsNext = false

    static func tokens(of source: String) throws(JinjaError) -> [JinjaToken] {
        var lexer = JinjaLexer(source)
        try lexer.run()
        return lexer.tokens
    }

    private init(_ source: String) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(source.utf8.count)
        // As in Jinja2, all line endings become \n, and a single line ending at the end is removed.
        var last: UInt8 = 0
        for byte in source.utf8 {
            if byte == 0x0D { bytes.append(0x0A) } else if byte != 0x0A || last != 0x0D { bytes.append(byte) }
            last = byte
        }
        if bytes.last == 0x0A { bytes.removeLast() }
        self.bytes = bytes
    }

    private func isAt(_ text: StaticString, _ offset: Int = 0) -> Bool {
        let start = position + offset
        guard start + text.utf8CodeUnitCount <= bytes.count else { return false }
        return text.withUTF8Buffer { wanted in bytes[start..<(start + wanted.count)].elementsEqual(wanted) }
    }

    private mutating func run() throws(JinjaError) {
        var start = 0
        while position < bytes.count {
            if isAt("{{") || isAt("{%") || isAt("{#") {
                let opening = bytes[position + 1]
                let strips = isAt("-", 2)
                appendText(bytes[start..<position], strippingEnd: strips)
                position += strips || isAt("+", 2) ? 3 : 2
                switch opening {
                case UInt8(ascii: "#"): try skipComment()
                case UInt8(ascii: "{"):
                    tokens.append(.outputBegin)
                    try expression(end: "}}", .outputEnd)
                default:
                    if try !raw() {
                        tokens.append(.blockBegin)
                        try expression(end: "%}", .blockEnd)
                    }
                }
                start = position
            } else {
                position += 1
            }
        }
        appendText(bytes[start..<position], strippingEnd: false)
    }

    private mutating func appendText(_ text: ArraySlice<UInt8>, strippingEnd: Bool) {
        var text = text
        if stripsNext { text = text.drop(while: Self.isSpace) }
        if strippingEnd { while let last = text.last, Self.isSpace(last) { text.removeLast() } }
        stripsNext = false
        if !text.isEmpty { tokens.append(.text(String(decoding: text, as: UTF8.self))) }
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

    private mutating func skipSpace() { while position < bytes.count, Self.isSpace(bytes[position]) { position += 1 } }

    private mutating func skipComment() throws(JinjaError) {
        while position < bytes.count {
            if isAt("#}") {
                stripsNext = bytes[position - 1] == UInt8(ascii: "-")
                position += 2
                return
            }
            position += 1
        }
        throw JinjaError("unterminated comment")
    }

    /// Adds the content between `{% raw %}` and `{% endraw %}` as text, or returns `false` if this is a different
    /// block.
    private mutating func raw() throws(JinjaError) -> Bool {
        let start = position
        guard word("raw"), blockEnd() else {
            position = start
            stripsNext = false
            return false
        }
        let textStart = position
        while position < bytes.count {
            if isAt("{%") {
                let textEnd = position
                let strips = isAt("-", 2)
                position += strips || isAt("+", 2) ? 3 : 2
                let stripsStart = stripsNext
                if word("endraw"), blockEnd() {
                    let stripsAfter = stripsNext
                    stripsNext = stripsStart
                    appendText(bytes[textStart..<textEnd], strippingEnd: strips)
                    stripsNext = stripsAfter
                    return true
                }
                stripsNext = stripsStart
                position = textEnd
            }
            position += 1
        }
        throw JinjaError("unterminated raw block")
    }

    private mutating func word(_ word: StaticString) -> Bool {
        skipSpace()
        guard isAt(word) else { return false }
        position += word.utf8CodeUnitCount
        return true
    }

    private mutating func blockEnd() -> Bool {
        skipSpace()
        let strips = isAt("-")
        if strips || isAt("+") { position += 1 }
        guard isAt("%}") else { return false }
        position += 2
        stripsNext = strips
        return true
    }

    // MARK: Expressions

    private static let symbols: [StaticString] = [
        "//", "**", "==", "!=", "<=", ">=", "+", "-", "*", "/", "%", "~", "<", ">", "(", ")", "[", "]", "{", "}", ".",
        ":",
        ",", "|", "=",
    ]

    private mutating func expression(end: StaticString, _ endToken: JinjaToken) throws(JinjaError) {
        var open: [UInt8] = []
        while true {
            skipSpace()
            guard position < bytes.count else { throw JinjaError("unterminated tag") }
            let byte = bytes[position]
            if open.isEmpty {
                let strips = byte == UInt8(ascii: "-") && isAt(end, 1)
                if strips || isAt(end) || (byte == UInt8(ascii: "+") && isAt(end, 1) && endToken == .blockEnd) {
                    position += isAt(end) ? 2 : 3
                    stripsNext = strips
                    tokens.append(endToken)
                    return
                }
            }
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "_"):
                tokens.append(.name(String(decoding: take(while: Self.isNamePart), as: UTF8.self)))
            case UInt8(ascii: "0")...UInt8(ascii: "9"): try number()
            case UInt8(ascii: "'"), UInt8(ascii: "\""): try string(quote: byte)
            default:
                guard let symbol = Self.symbols.first(where: { isAt($0) }) else {
                    throw JinjaError("unexpected character in an expression")
                }
                switch byte {
                case UInt8(ascii: "("), UInt8(ascii: "["), UInt8(ascii: "{"): open.append(byte)
                case UInt8(ascii: ")"), UInt8(ascii: "]"), UInt8(ascii: "}"):
                    let opening = byte == UInt8(ascii: ")") ? UInt8(ascii: "(") : byte - 2
                    guard open.popLast() == opening else { throw JinjaError("brackets don't match") }
                default: break
                }
                position += symbol.utf8CodeUnitCount
                tokens.append(.symbol(symbol.description))
            }
        }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

    private static func isNamePart(_ byte: UInt8) -> Bool {
        isDigit(byte) || byte == 0x5F || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
    }

    private mutating func take(while isPart: (UInt8) -> Bool) -> ArraySlice<UInt8> {
        let start = position
        while position < bytes.count, isPart(bytes[position]) { position += 1 }
        return bytes[start..<position]
    }

    private mutating func number() throws(JinjaError) {
        let tooLarge = JinjaError("a number is too large")
        for (prefix, radix) in [("0x", 16), ("0o", 8), ("0b", 2)] {
            guard position + 2 < bytes.count,
                String(decoding: bytes[position..<(position + 2)], as: UTF8.self).lowercased() == prefix
            else { continue }
            position += 2
            let digits = take(while: Self.isNamePart).filter { $0 != 0x5F }
            guard let value = Int(String(decoding: digits, as: UTF8.self), radix: radix) else { throw tooLarge }
            tokens.append(.int(value))
            return
        }
        let isDigit: (UInt8) -> Bool = { Self.isDigit($0) || $0 == 0x5F }
        var text = take(while: isDigit).filter { $0 != 0x5F }
        var isWhole = true
        if position + 1 < bytes.count, bytes[position] == UInt8(ascii: "."), Self.isDigit(bytes[position + 1]) {
            position += 1
            text += [UInt8(ascii: ".")] + take(while: isDigit).filter { $0 != 0x5F }
            isWhole = false
        }
        if position < bytes.count, bytes[position] | 0x20 == UInt8(ascii: "e") {
            let start = position
            position += 1
            var exponent: [UInt8] = [UInt8(ascii: "e")]
            if position < bytes.count, bytes[position] == UInt8(ascii: "-") || bytes[position] == UInt8(ascii: "+") {
                exponent.append(bytes[position])
                position += 1
            }
            let digits = take(while: isDigit).filter { $0 != 0x5F }
            if digits.isEmpty {
                position = start
            } else {
                text += exponent + digits
                isWhole = false
            }
        }
        let digits = String(decoding: text, as: UTF8.self)
        if isWhole {
            guard let value = Int(digits) else { throw tooLarge }
            tokens.append(.int(value))
        } else {
            guard let value = Double(digits) else { throw tooLarge }
            tokens.append(.float(value))
        }
    }

    private mutating func string(quote: UInt8) throws(JinjaError) {
        position += 1
        var result: [UInt8] = []
        while position < bytes.count, bytes[position] != quote {
            let byte = bytes[position]
            position += 1
            guard byte == UInt8(ascii: "\\"), position < bytes.count else {
                result.append(byte)
                continue
            }
            let escape = bytes[position]
            position += 1
            switch escape {
            case UInt8(ascii: "\n"): break
            case UInt8(ascii: "\\"), UInt8(ascii: "'"), UInt8(ascii: "\""): result.append(escape)
            case UInt8(ascii: "n"): result.append(0x0A)
            case UInt8(ascii: "r"): result.append(0x0D)
            case UInt8(ascii: "t"): result.append(0x09)
            case UInt8(ascii: "a"): result.append(0x07)
            case UInt8(ascii: "b"): result.append(0x08)
            case UInt8(ascii: "f"): result.append(0x0C)
            case UInt8(ascii: "v"): result.append(0x0B)
            case UInt8(ascii: "x"): result += try scalar(digits: 2)
            case UInt8(ascii: "u"): result += try scalar(digits: 4)
            case UInt8(ascii: "U"): result += try scalar(digits: 8)
            case UInt8(ascii: "0")...UInt8(ascii: "7"), UInt8(ascii: "N"):
                throw JinjaError("unsupported escape sequence in a string")
            default: result += [UInt8(ascii: "\\"), escape]
            }
        }
        guard position < bytes.count else { throw JinjaError("unterminated string") }
        position += 1
        tokens.append(.string(String(decoding: result, as: UTF8.self)))
    }

    private mutating func scalar(digits count: Int) throws(JinjaError) -> [UInt8] {
        let end = min(position + count, bytes.count)
        let digits = String(decoding: bytes[position..<end], as: UTF8.self)
        guard digits.utf8.count == count, let value = UInt32(digits, radix: 16), let scalar = Unicode.Scalar(value)
        else {
            throw JinjaError("unsupported escape sequence in a string")
        }
        position = end
        return Array(String(Character(scalar)).utf8)
    }
}
