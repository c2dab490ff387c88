package import DeviceKit

/// A color in LIFX's units (Lights 9.4).
package struct LIFXColor: Equatable, Sendable {
    package var hue: UInt16 = 0
    package var saturation: UInt16 = 0
    package var brightness = UInt16.max
    package var kelvin: UInt16 = 3500
}

/// A query or a command to a LIFX device (Lights 9.4).
package enum LIFXRequest: Equatable, Sendable {
    case version
    case light
    case group
    case firmware
    case setColor(LIFXColor, milliseconds: UInt32)
    /// Sets the brightness and keeps the colors of zones.
    case setBrightness(UInt16, milliseconds: UInt32)
    case setPower(Bool, milliseconds: UInt32)
    /// Shows another color twice within a second and then restores the light's color.
    case blink(LIFXColor)

    var type: UInt16 {
        switch self {
        case .firmware: 14
        case .version: 32
        case .group: 51
        case .light: 101
        case .setColor: 102
        case .blink: 103
        case .setPower: 117
        case .setBrightness: 119
        }
    }

    var answerType: UInt16 {
        switch self {
        case .firmware: 15
        case .version: 33
        case .group: 53
        case .light: 107
        case .setColor, .setBrightness, .setPower, .blink: LIFXMessage.acknowledgement
        }
    }

    var payload: [UInt8] {
        var bytes: [UInt8] = []
        switch self {
        case .version, .light, .group, .firmware: break
        case .setColor(let color, let milliseconds):
            bytes.append(0)
            bytes.append(color)
            bytes.append(littleEndian: milliseconds)
        case .setBrightness(let brightness, let milliseconds):
            bytes.append(
                waveform: 0, transient: false, LIFXColor(brightness: brightness), period: milliseconds, cycles: 1)
            bytes += [0, 0, 1, 0]
        case .setPower(let isOn, let milliseconds):
            bytes.append(littleEndian: isOn ? UInt16.max : 0)
            bytes.append(littleEndian: milliseconds)
        case .blink(let color):
            bytes.append(waveform: 4, transient: true, color, period: 500, cycles: 2)
        }
        return bytes
    }
}

package struct LIFXMessage: Equatable, Sendable {
    package enum Content: Equatable, Sendable {
        case acknowledged
        case service(port: UInt16)
        case version(vendor: UInt32, product: UInt32)
        case light(LIFXColor, power: UInt16, label: String)
        case group(label: String)
        case firmware(major: UInt16, minor: UInt16)
        /// The device doesn't support messages of this type.
        case unhandled(type: UInt16)
    }

    static let acknowledgement: UInt16 = 45
    private static let headLength = 36
    /// The number of the protocol, and the flag that indicates that the header has a target field.
    private static let flags: UInt16 = 1024 | 1 << 12

    package var target: LightID
    package var source: UInt32
    package var number: UInt8
    package var type: UInt16
    package var content: Content

    /// Parses a datagram.
    ///
    /// Returns `nil` if it isn't a valid message from a device.
    package init?(_ bytes: [UInt8]) {
        var reader = LittleEndianReader(bytes)
        guard let size = reader.next(UInt16.self), Int(size) >= Self.headLength, Int(size) <= bytes.count,
            let flags = reader.next(UInt16.self), flags & 0xFFF == 1024, let source = reader.next(UInt32.self),
            let target = reader.next(6), reader.skip(9), let number = reader.next(UInt8.self), reader.skip(8),
            let type = reader.next(UInt16.self), reader.skip(2),
            let content = Self.content(type, LittleEndianReader(Array(bytes[Self.headLength..<Int(size)])))
        else { return nil }
        self.target = LightID(target.hexDigits)
        self.source = source
        self.number = number
        self.type = type
        self.content = content
    }

    private static func content(_ type: UInt16, _ payload: LittleEndianReader) -> Content? {
        var payload = payload
        switch type {
        case acknowledgement: return .acknowledged
        case 3:
            // Service 1 is UDP. Old firmware also announces other services.
            guard payload.next(UInt8.self) == 1, let port = payload.next(UInt32.self).flatMap(UInt16.init(exactly:)),
                port > 0
            else { return nil }
            return .service(port: port)
        case 15:
            guard payload.skip(16), let minor = payload.next(UInt16.self), let major = payload.next(UInt16.self)
            else { return nil }
            return .firmware(major: major, minor: minor)
        case 33:
            guard let vendor = payload.next(UInt32.self), let product = payload.next(UInt32.self) else { return nil }
            return .version(vendor: vendor, product: product)
        case 53:
            guard payload.skip(16), let label = payload.next(32) else { return nil }
            return .group(label: text(label))
        case 107:
            guard let hue = payload.next(UInt16.self), let saturation = payload.next(UInt16.self),
                let brightness = payload.next(UInt16.self), let kelvin = payload.next(UInt16.self), payload.skip(2),
                let power = payload.next(UInt16.self), let label = payload.next(32)
            else { return nil }
            let color = LIFXColor(hue: hue, saturation: saturation, brightness: brightness, kelvin: kelvin)
            return .light(color, power: power, label: text(label))
        case 223: return payload.next(UInt16.self).map { .unhandled(type: $0) }
        default: return nil
        }
    }

    private static func text(_ bytes: [UInt8]) -> String {
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }

    /// Returns the datagram of a message.
    ///
    /// - Parameters:
    ///   - type: The message's type.
    ///   - payload: The bytes after the header.
    ///   - target: The device, or `nil` for all devices.
    ///   - source: The number that identifies the sender, to which the answer is sent. It must not be 0 or 1.
    ///   - number: The number of the request, which the answer repeats.
    ///   - answer: The requested answer: bit 0 requests the state, bit 1 an acknowledgment.
    /// - Returns: The datagram.
    static func bytes(
        type: UInt16, payload: [UInt8], target: LightID?, source: UInt32, number: UInt8, answer: UInt8
    ) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(littleEndian: UInt16(headLength + payload.count))
        bytes.append(littleEndian: flags | (target == nil ? 1 << 13 : 0))
        bytes.append(littleEndian: source)
        let digits = Array((target?.rawValue ?? "").utf8).compactMap { Character(UnicodeScalar($0)).hexDigitValue }
        bytes += stride(from: 0, to: 12, by: 2).map { index in
            digits.count == 12 ? UInt8(digits[index] << 4 | digits[index + 1]) : 0
        }
        bytes += [UInt8](repeating: 0, count: 8) + [answer, number] + [UInt8](repeating: 0, count: 8)
        bytes.append(littleEndian: type)
        bytes.append(littleEndian: UInt16(0))
        return bytes + payload
    }
}

extension [UInt8] {
    fileprivate mutating func append(littleEndian value: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: value.littleEndian) { append(contentsOf: $0) }
    }

    fileprivate mutating func append(_ color: LIFXColor) {
        for value in [color.hue, color.saturation, color.brightness, color.kelvin] { append(littleEndian: value) }
    }

    fileprivate mutating func append(
        waveform: UInt8, transient: Bool, _ color: LIFXColor, period: UInt32, cycles: Float
    ) {
        self += [0, transient ? 1 : 0]
        append(color)
        append(littleEndian: period)
        append(littleEndian: cycles.bitPattern)
        append(littleEndian: Int16(0))
        append(waveform)
    }
}

/// Reads little-endian numbers.
private struct LittleEndianReader {
    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func next(_ count: Int) -> [UInt8]? {
        guard bytes.count - position >= count else { return nil }
        defer { position += count }
        return Array(bytes[position..<position + count])
    }

    mutating func next<Number: FixedWidthInteger>(_: Number.Type) -> Number? {
        next(MemoryLayout<Number>.size)?.reversed().reduce(0) { $0 << 8 | Number(truncatingIfNeeded: $1) }
    }

    mutating func skip(_ count: Int) -> Bool { next(count) != nil }
}
