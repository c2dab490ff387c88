/// The identity of an object of the home database: never used again, the same over renames, moves and restarts.
///
/// An identifier of a room does not pass for one of a zone.
public struct Identifier<Entity>: Hashable, Sendable, Comparable, CustomStringConvertible {
    private let high: UInt64
    private let low: UInt64

    /// Reads the text form; `nil` for anything but a UUID in groups of 8, 4, 4, 4 and 12 hex digits, of either case.
    public init?(_ text: String) {
        guard text.utf8.count == 36 else { return nil }
        let groups = text.split(separator: "-", omittingEmptySubsequences: false)
        guard groups.map(\.utf8.count) == [8, 4, 4, 4, 12] else { return nil }
        let digits = groups.joined()
        // A sign would be read as part of the number.
        guard digits.utf8.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }),
            let high = UInt64(digits.prefix(16), radix: 16), let low = UInt64(digits.suffix(16), radix: 16)
        else { return nil }
        self.high = high
        self.low = low
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
        let digits = [high, low].map { number in
            let digits = String(number, radix: 16, uppercase: true)
            return String(repeating: "0", count: 16 - digits.utf8.count) + digits
        }
        let groups = [
            digits[0].prefix(8), digits[0].dropFirst(8).prefix(4), digits[0].suffix(4), digits[1].prefix(4),
            digits[1].suffix(12),
        ]
        return groups.joined(separator: "-")
    }

    /// Orders identifiers by their bits, which means nothing but is the same everywhere.
    public static func < (a: Identifier, b: Identifier) -> Bool { (a.high, a.low) < (b.high, b.low) }
}
