/// A UUID (RFC 9562).
///
/// Foundation's `UUID` isn't used, because it accepts invalid text: any input that `sscanf` accepts as two hex digits.
package struct UUIDBits: Hashable, Sendable, Comparable, CustomStringConvertible {
    package let high: UInt64
    package let low: UInt64

    package init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Parses 32 hex digits of either case, together or in groups of 8, 4, 4, 4 and 12.
    ///
    /// Returns `nil` for any other text.
    package init?(_ text: String) {
        let isGrouped = text.utf8.count == 36
        guard isGrouped || text.utf8.count == 32 else { return nil }
        var (high, low, count) = (UInt64(0), UInt64(0), 0)
        for (index, byte) in text.utf8.enumerated() {
            if isGrouped, index == 8 || index == 13 || index == 18 || index == 23 {
                guard byte == UInt8(ascii: "-") else { return nil }
                continue
            }
            guard let digit = Hex.value(of: byte) else { return nil }
            if count < 16 { high = high << 4 | UInt64(digit) } else { low = low << 4 | UInt64(digit) }
            count += 1
        }
        self.init(high: high, low: low)
    }

    /// Creates a random UUID (version 4).
    package init(using generator: inout some RandomNumberGenerator) {
        high = generator.next() & 0xFFFF_FFFF_FFFF_0FFF | 0x4000
        low = generator.next() & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
    }

    /// The digits in groups, with uppercase letters.
    package var description: String {
        var text: [UInt8] = []
        text.reserveCapacity(36)
        for index in 0..<32 {
            if index == 8 || index == 12 || index == 16 || index == 20 { text.append(UInt8(ascii: "-")) }
            text.append(Hex.digit(UInt8((index < 16 ? high : low) >> UInt64(60 - index % 16 * 4) & 15)))
        }
        return String(decoding: text, as: UTF8.self)
    }

    package static func < (a: UUIDBits, b: UUIDBits) -> Bool { (a.high, a.low) < (b.high, b.low) }
}
