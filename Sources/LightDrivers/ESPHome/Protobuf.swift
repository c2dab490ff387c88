/// Reads the fields of a protobuf message in order.
///
/// It copies nothing and never reads past the end of the message, so reading a message takes at most one pass over its
/// bytes. `fixed64` fields are skipped.
struct ProtobufReader {
    /// An error that indicates that a message ends within a field or contains an invalid field.
    struct Malformed: Error, Equatable {}

    enum Value: Equatable {
        case varint(UInt64)
        case fixed32(UInt32)
        case bytes(ArraySlice<UInt8>)
    }

    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    /// Returns the next field, or `nil` at the end.
    mutating func next() throws(Malformed) -> (number: Int, value: Value)? {
        while !rest.isEmpty {
            let tag = try varint()
            guard let number = Int(exactly: tag >> 3), number > 0 else { throw Malformed() }
            switch tag & 7 {
            case 0: return (number, .varint(try varint()))
            case 1: _ = try take(8)
            case 2: return (number, .bytes(try take(try varint())))
            case 5: return (number, .fixed32(try take(4).reversed().reduce(0) { $0 << 8 | UInt32($1) }))
            default: throw Malformed()
            }
        }
        return nil
    }

    private mutating func varint() throws(Malformed) -> UInt64 {
        var value: UInt64 = 0
        for shift in stride(from: 0, to: 64, by: 7) {
            guard let byte = rest.popFirst() else { throw Malformed() }
            value |= UInt64(byte & 0x7F) << UInt64(shift)
            if byte & 0x80 == 0 { return value }
        }
        throw Malformed()
    }

    private mutating func take(_ count: UInt64) throws(Malformed) -> ArraySlice<UInt8> {
        guard count <= UInt64(rest.count) else { throw Malformed() }
        defer { rest = rest.dropFirst(Int(count)) }
        return rest.prefix(Int(count))
    }
}

extension ProtobufReader.Value {
    /// The field as a number.
    ///
    /// It is 0 if the field contains bytes, as if the field were missing.
    var number: UInt64 {
        switch self {
        case .varint(let value): value
        case .fixed32(let value): UInt64(value)
        case .bytes: 0
        }
    }

    var flag: Bool { number != 0 }

    var float: Float {
        guard case .fixed32(let bits) = self else { return 0 }
        return Float(bitPattern: bits)
    }

    /// The first 255 bytes of the field as text, without control characters, which could garble a terminal or a log.
    var text: String {
        guard case .bytes(let bytes) = self else { return "" }
        let text = String(decoding: bytes.prefix(255), as: UTF8.self)
        return String(text.unicodeScalars.filter { $0.properties.generalCategory != .control })
    }

    /// The numbers in a repeated field, which has either a single number or several that are packed into bytes.
    var numbers: [UInt64] {
        guard case .bytes(var bytes) = self else { return [number] }
        var numbers: [UInt64] = []
        while !bytes.isEmpty, numbers.count < 32 {
            var value: UInt64 = 0
            var shift: UInt64 = 0
            while let byte = bytes.popFirst(), shift < 64 {
                value |= UInt64(byte & 0x7F) << shift
                shift += 7
                if byte & 0x80 == 0 { break }
            }
            numbers.append(value)
        }
        return numbers
    }
}

/// Writes the fields of a protobuf message.
struct ProtobufWriter {
    private(set) var bytes: [UInt8] = []

    /// Appends a number as a varint: in groups of seven bits, the least significant group first.
    static func append(_ value: UInt64, to bytes: inout [UInt8]) {
        var value = value
        while value >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: value) | 0x80)
            value >>= 7
        }
        bytes.append(UInt8(value))
    }

    mutating func write(_ value: UInt64, field: UInt64) {
        Self.append(field << 3, to: &bytes)
        Self.append(value, to: &bytes)
    }

    mutating func write(_ value: Bool, field: UInt64) { write(value ? UInt64(1) : 0, field: field) }

    mutating func write(fixed32 value: UInt32, field: UInt64) {
        Self.append(field << 3 | 5, to: &bytes)
        bytes += (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

    mutating func write(_ value: Float, field: UInt64) { write(fixed32: value.bitPattern, field: field) }

    mutating func write(_ text: String, field: UInt64) {
        Self.append(field << 3 | 2, to: &bytes)
        Self.append(UInt64(text.utf8.count), to: &bytes)
        bytes += text.utf8
    }
}
