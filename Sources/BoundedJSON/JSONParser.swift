/// An error in JSON text.
public enum JSONError: Error, Equatable, Sendable {
    /// The text isn't valid JSON (RFC 8259) at this byte offset.
    case malformed(offset: Int)
    /// The nesting of arrays and objects exceeds the limit.
    case tooDeep
    /// The text exceeds the length limit.
    case tooLong
}

extension JSONValue {
    /// The maximum nesting depth of arrays and objects.
    ///
    /// HAP's bodies have only four levels. The depth is limited because the parser is recursive.
    public static let maximumDepth = 16
    /// The default maximum length of JSON text, in bytes.
    public static let defaultLength = 1 << 20

    /// Parses JSON text (RFC 8259), which may be followed only by white space.
    ///
    /// Strings must be valid UTF-8 without lone surrogates, and numbers must be finite. For any input, time and memory
    /// are proportional to the number of bytes.
    ///
    /// - Parameters:
    ///   - bytes: The text.
    ///   - maximumLength: The maximum length of the text, in bytes.
    ///   - allowsTrailingCommas: Whether a comma may precede a closing bracket, as in the output of some accessories.
    /// - Throws: ``JSONError``.
    public init(
        parsing bytes: some Sequence<UInt8>, maximumLength: Int = JSONValue.defaultLength,
        allowsTrailingCommas: Bool = false
    ) throws(JSONError) {
        let bytes = (bytes as? [UInt8]) ?? Array(bytes)
        guard bytes.count <= maximumLength else { throw .tooLong }
        var parser = JSONParser(bytes: bytes, allowsTrailingCommas: allowsTrailingCommas)
        self = try parser.document()
    }

    /// Parses JSON text of at most `maximumLength` bytes.
    ///
    /// - Throws: ``JSONError``.
    public init(parsing text: String, maximumLength: Int = JSONValue.defaultLength) throws(JSONError) {
        try self.init(parsing: Array(text.utf8), maximumLength: maximumLength)
    }
}

/// A recursive-descent parser, whose recursion is limited by ``JSONValue/maximumDepth``.
private struct JSONParser {
    let bytes: [UInt8]
    let allowsTrailingCommas: Bool
    var position = 0
    var depth = 0

    mutating func document() throws(JSONError) -> JSONValue {
        let value = try value()
        skipSpace()
        guard position == bytes.count else { throw malformed }
        return value
    }

    private var malformed: JSONError { .malformed(offset: position) }

    private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func skipSpace() {
        while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { position += 1 }
    }

    private mutating func value() throws(JSONError) -> JSONValue {
        skipSpace()
        guard let byte = next else { throw malformed }
        switch byte {
        case UInt8(ascii: "{"): return try object()
        case UInt8(ascii: "["): return try array()
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try number()
        default: throw malformed
        }
    }

    private mutating func word(_ text: StaticString, _ value: JSONValue) throws(JSONError) -> JSONValue {
        let count = text.utf8CodeUnitCount
        guard bytes.count - position >= count else { throw malformed }
        let matches = text.withUTF8Buffer { word in
            (0..<count).allSatisfy { word[$0] == bytes[position + $0] }
        }
        guard matches else { throw malformed }
        position += count
        return value
    }

    private mutating func enter() throws(JSONError) {
        depth += 1
        guard depth <= JSONValue.maximumDepth else { throw .tooDeep }
        position += 1
        skipSpace()
    }

    private mutating func object() throws(JSONError) -> JSONValue {
        try enter()
        var object = JSONObject()
        if next == UInt8(ascii: "}") {
            position += 1
        } else {
            while true {
                skipSpace()
                guard next == UInt8(ascii: "\"") else { throw malformed }
                let name = try string()
                skipSpace()
                guard next == UInt8(ascii: ":") else { throw malformed }
                position += 1
                object.append(name, try value())
                if try endsAfterElement(UInt8(ascii: "}")) { break }
            }
        }
        depth -= 1
        return .object(object)
    }

    private mutating func array() throws(JSONError) -> JSONValue {
        try enter()
        var elements: [JSONValue] = []
        if next == UInt8(ascii: "]") {
            position += 1
        } else {
            while true {
                elements.append(try value())
                if try endsAfterElement(UInt8(ascii: "]")) { break }
            }
        }
        depth -= 1
        return .array(elements)
    }

    private mutating func endsAfterElement(_ end: UInt8) throws(JSONError) -> Bool {
        skipSpace()
        guard let byte = next, byte == end || byte == UInt8(ascii: ",") else { throw malformed }
        position += 1
        guard byte != end, allowsTrailingCommas else { return byte == end }
        skipSpace()
        guard next == end else { return false }
        position += 1
        return true
    }

    private mutating func string() throws(JSONError) -> String {
        position += 1
        let start = position
        // Most strings have no escapes, so they can be copied as a whole. Most of these are ASCII and need no
        // validation.
        var bits: UInt8 = 0
        while let byte = next, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\"), byte >= 0x20 {
            bits |= byte
            position += 1
        }
        guard let byte = next, byte >= 0x20 else { throw malformed }
        if byte == UInt8(ascii: "\"") {
            position += 1
            if bits < 0x80 {
                return bytes.span.extracting(start..<(position - 1)).withUnsafeBufferPointer {
                    String(decoding: $0, as: UTF8.self)
                }
            }
            guard let text = String(validating: bytes[start..<(position - 1)], as: UTF8.self) else {
                throw .malformed(offset: start)
            }
            return text
        }
        var buffer = Array(bytes[start..<position])
        while let byte = next {
            position += 1
            switch byte {
            case UInt8(ascii: "\""):
                guard let text = String(validating: buffer, as: UTF8.self) else { throw .malformed(offset: start) }
                return text
            case UInt8(ascii: "\\"): try escape(into: &buffer)
            case 0..<0x20: throw .malformed(offset: position - 1)
            default: buffer.append(byte)
            }
        }
        throw malformed
    }

    private mutating func escape(into buffer: inout [UInt8]) throws(JSONError) {
        guard let byte = next else { throw malformed }
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): buffer.append(byte)
        case UInt8(ascii: "b"): buffer.append(0x08)
        case UInt8(ascii: "f"): buffer.append(0x0C)
        case UInt8(ascii: "n"): buffer.append(0x0A)
        case UInt8(ascii: "r"): buffer.append(0x0D)
        case UInt8(ascii: "t"): buffer.append(0x09)
        case UInt8(ascii: "u"):
            var code = UInt32(try codeUnit())
            if (0xD800..<0xDC00).contains(code) {
                guard next == UInt8(ascii: "\\"), position + 1 < bytes.count, bytes[position + 1] == UInt8(ascii: "u")
                else { throw malformed }
                position += 2
                let low = UInt32(try codeUnit())
                guard (0xDC00..<0xE000).contains(low) else { throw malformed }
                code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00)
            }
            guard let scalar = Unicode.Scalar(code) else { throw malformed }
            buffer.append(contentsOf: Array(String(Character(scalar)).utf8))
        default: throw .malformed(offset: position - 1)
        }
    }

    private mutating func codeUnit() throws(JSONError) -> UInt16 {
        guard bytes.count - position >= 4 else { throw malformed }
        var unit: UInt16 = 0
        for _ in 0..<4 {
            guard let digit = Character(Unicode.Scalar(bytes[position])).hexDigitValue, bytes[position] < 0x80 else {
                throw malformed
            }
            unit = unit << 4 | UInt16(digit)
            position += 1
        }
        return unit
    }

    private mutating func digits() -> Int {
        let start = position
        while let byte = next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { position += 1 }
        return position - start
    }

    private mutating func number() throws(JSONError) -> JSONValue {
        let start = position
        let negative = next == UInt8(ascii: "-")
        if negative { position += 1 }
        let first = next
        let whole = digits()
        guard whole > 0, whole == 1 || first != UInt8(ascii: "0") else { throw malformed }
        var integral = true
        if next == UInt8(ascii: ".") {
            integral = false
            position += 1
            guard digits() > 0 else { throw malformed }
        }
        if next == UInt8(ascii: "e") || next == UInt8(ascii: "E") {
            integral = false
            position += 1
            if next == UInt8(ascii: "+") || next == UInt8(ascii: "-") { position += 1 }
            guard digits() > 0 else { throw malformed }
        }
        let digits = bytes[(negative ? start + 1 : start)..<position]
        if integral, let magnitude = Self.magnitude(digits) {
            if !negative {
                return Int64(exactly: magnitude).map(JSONValue.integer) ?? .unsigned(magnitude)
            } else if magnitude <= Int64.min.magnitude {
                return .integer(Int64(truncatingIfNeeded: 0 &- magnitude))
            }
        }
        guard let number = Double(String(decoding: bytes[start..<position], as: UTF8.self)), number.isFinite else {
            throw .malformed(offset: start)
        }
        return .number(number)
    }

    private static func magnitude(_ digits: ArraySlice<UInt8>) -> UInt64? {
        var value: UInt64 = 0
        for digit in digits {
            let (product, overflow) = value.multipliedReportingOverflow(by: 10)
            let (sum, carry) = product.addingReportingOverflow(UInt64(digit - UInt8(ascii: "0")))
            if overflow || carry { return nil }
            value = sum
        }
        return value
    }
}
