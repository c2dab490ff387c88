/// Writes compact JSON into a byte array, in the form that HAP controllers and accessories support best.
///
/// Numbers are plain decimals without an exponent, with at most six decimal places, and never `-0`. A number that isn't
/// finite can't be represented in JSON, so 0 is written instead.
public struct JSONWriter: Sendable {
    /// The bytes written so far.
    public var bytes: [UInt8] = []

    /// Creates a writer whose buffer has the given capacity, in bytes.
    public init(reserving capacity: Int = 0) { bytes.reserveCapacity(capacity) }

    /// Appends text that is already valid JSON.
    public mutating func raw(_ text: StaticString) {
        text.withUTF8Buffer { bytes.append(contentsOf: $0) }
    }

    /// Appends bytes that are already valid JSON.
    public mutating func raw(_ json: some Collection<UInt8>) { bytes.append(contentsOf: json) }

    /// Appends `true` or `false`.
    public mutating func bool(_ value: Bool) { raw(value ? "true" : "false") }

    /// Appends an integer.
    public mutating func integer(_ value: Int64) {
        if value < 0 { bytes.append(UInt8(ascii: "-")) }
        integer(value.magnitude)
    }

    /// Appends an unsigned integer.
    public mutating func integer(_ value: UInt64) {
        if value < 10 {
            bytes.append(UInt8(ascii: "0") + UInt8(value))
            return
        }
        let start = bytes.count
        var rest = value
        while rest > 0 {
            bytes.append(UInt8(ascii: "0") + UInt8(rest % 10))
            rest /= 10
        }
        bytes[start...].reverse()
    }

    /// Appends a number as a plain decimal, rounded to six decimal places.
    public mutating func number(_ value: Double) {
        // Values beyond 2^53 have no fraction, and converting to an integer is exact up to 1e18.
        guard value.isFinite, value.magnitude < 1e18 else {
            largeNumber(value)
            return
        }
        let whole = value.rounded(.towardZero)
        var integral = Int64(whole)
        var fraction = Int64(((value - whole).magnitude * 1_000_000).rounded())
        if fraction == 1_000_000 {
            fraction = 0
            integral += value < 0 ? -1 : 1
        }
        if value < 0, integral != 0 || fraction != 0 { bytes.append(UInt8(ascii: "-")) }
        integer(integral.magnitude)
        guard fraction != 0 else { return }
        bytes.append(UInt8(ascii: "."))
        var divisor: Int64 = 100_000
        while fraction != 0 {
            bytes.append(UInt8(ascii: "0") + UInt8(fraction / divisor))
            fraction %= divisor
            divisor /= 10
        }
    }

    private mutating func largeNumber(_ value: Double) {
        guard value.isFinite else {
            bytes.append(UInt8(ascii: "0"))
            return
        }
        if value < 0 { bytes.append(UInt8(ascii: "-")) }
        // A `Double` of this size is an integer, and its shortest decimal form consists of digits and a power of ten.
        let text = value.magnitude.description
        let parts = text.split(separator: "e")
        let digits = parts[0].split(separator: ".")
        let fraction = digits.count > 1 && digits[1] != "0" ? digits[1] : ""
        let exponent = parts.count > 1 ? Int(parts[1]) ?? 0 : 0
        bytes.append(contentsOf: digits[0].utf8)
        bytes.append(contentsOf: fraction.utf8)
        bytes.append(contentsOf: repeatElement(UInt8(ascii: "0"), count: max(0, exponent - fraction.utf8.count)))
    }

    /// Appends an escaped string in quotation marks.
    public mutating func string(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""): raw("\\\"")
            case UInt8(ascii: "\\"): raw("\\\\")
            case 0x0A: raw("\\n")
            case 0x0D: raw("\\r")
            case 0x09: raw("\\t")
            case 0..<0x20, 0x7F:
                raw("\\u00")
                for nibble in [byte >> 4, byte & 15] {
                    bytes.append(nibble < 10 ? UInt8(ascii: "0") + nibble : UInt8(ascii: "a") + nibble - 10)
                }
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    /// Appends a complete value.
    public mutating func value(_ value: JSONValue) {
        switch value {
        case .null: raw("null")
        case .bool(let value): bool(value)
        case .integer(let value): integer(value)
        case .unsigned(let value): integer(value)
        case .number(let value): number(value)
        case .string(let value): string(value)
        case .array(let elements):
            bytes.append(UInt8(ascii: "["))
            for (index, element) in elements.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                self.value(element)
            }
            bytes.append(UInt8(ascii: "]"))
        case .object(let object):
            bytes.append(UInt8(ascii: "{"))
            for (index, member) in object.members.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                string(member.name)
                bytes.append(UInt8(ascii: ":"))
                self.value(member.value)
            }
            bytes.append(UInt8(ascii: "}"))
        }
    }
}

extension JSONValue {
    /// The value as compact JSON.
    public var encoded: [UInt8] {
        var writer = JSONWriter()
        writer.value(self)
        return writer.bytes
    }

    /// The value as compact JSON text.
    public var text: String { String(decoding: encoded, as: UTF8.self) }
}
