/// The identity of an object of the home database: never used again, the same over renames, moves and restarts.
///
/// An identifier of a room does not pass for one of a zone.
public struct Identifier<Entity>: Hashable, Sendable, Comparable, CustomStringConvertible {
    private let high: UInt64
    private let low: UInt64

    /// Reads the text form; `nil` for anything but a UUID in groups of 8, 4, 4, 4 and 12 hex digits, of either case.
    public init?(_ text: String) {
        guard text.utf8.count == 36 else { return nil }
        var (high, low) = (UInt64(0), UInt64(0))
        for (index, byte) in text.utf8.enumerated() {
            if index == 8 || index == 13 || index == 18 || index == 23 {
                guard byte == UInt8(ascii: "-") else { return nil }
                continue
            }
            guard let digit = Self.digit(byte) else { return nil }
            if index < 18 { high = high << 4 | digit } else { low = low << 4 | digit }
        }
        self.high = high
        self.low = low
    }

    private static func digit(_ byte: UInt8) -> UInt64? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt64(byte - UInt8(ascii: "0"))
        case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt64(byte - UInt8(ascii: "A")) + 10
        case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt64(byte - UInt8(ascii: "a")) + 10
        default: nil
        }
    }

    /// Draws an identifier: a random UUID (version 4).
    ///
    /// - Parameter generator: where the random bits come from; the system's generator outside tests.
    public init(using generator: inout some RandomNumberGenerator) {
        high = generator.next() & 0xFFFF_FFFF_FFFF_0FFF | 0x4000
        low = generator.next() & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
    }

    /// The text form, in upper case.
    public var description: String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(36)
        for index in 0..<32 {
            if index == 8 || index == 12 || index == 16 || index == 20 { bytes.append(UInt8(ascii: "-")) }
            let digit = UInt8((index < 16 ? high : low) >> UInt64(60 - index % 16 * 4) & 15)
            bytes.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "A") + digit - 10)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Orders identifiers by their bits, which means nothing but is the same everywhere.
    public static func < (a: Identifier, b: Identifier) -> Bool { (a.high, a.low) < (b.high, b.low) }
}
