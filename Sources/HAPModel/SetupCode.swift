/// The eight digits that a user types to pair, `XXX-XX-XXX` (HAP 2.1).
public struct SetupCode: Hashable, Sendable {
    /// The digits as a number, 0 to 99,999,999.
    public let number: UInt32

    /// Creates a code from its number, or returns `nil` for the trivial codes that controllers reject.
    public init?(number: UInt32) {
        guard number <= 99_999_999, number % 11_111_111 != 0, number != 12_345_678, number != 87_654_321 else {
            return nil
        }
        self.number = number
    }

    /// Parses `XXX-XX-XXX`, or returns `nil` for any other form and for the trivial codes.
    public init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count == 10, bytes[3] == UInt8(ascii: "-"), bytes[6] == UInt8(ascii: "-") else { return nil }
        var number: UInt32 = 0
        for (index, byte) in bytes.enumerated() where index != 3 && index != 6 {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
            number = number * 10 + UInt32(byte - UInt8(ascii: "0"))
        }
        self.init(number: number)
    }

    /// The text `XXX-XX-XXX`, which users see and which SRP uses as the password.
    public var text: String {
        var digits = String(number)
        digits = String(repeating: "0", count: 8 - digits.utf8.count) + digits
        let parts = [digits.prefix(3), digits.dropFirst(3).prefix(2), digits.suffix(3)]
        return parts.joined(separator: "-")
    }

    /// Returns a random code.
    ///
    /// - Parameter random: A closure that returns a uniformly distributed random number below its argument, from the
    ///   system's generator.
    /// - Returns: A code that isn't trivial.
    public static func random(using random: (UInt32) -> UInt32) -> SetupCode {
        while true {
            if let code = SetupCode(number: random(100_000_000)) { return code }
        }
    }
}

// The setup code is secret until the bridge is paired, so prevent printing it by accident.
extension SetupCode: CustomStringConvertible, CustomReflectable {
    /// A placeholder that doesn't contain the code.
    ///
    /// Use ``text`` where the user has asked for the code.
    public var description: String { "(setup code)" }
    /// An empty mirror.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// Four characters that identify a bridge when its QR code is scanned (HAP 2.2).
public struct SetupID: Hashable, Sendable, CustomStringConvertible {
    /// The characters: digits and uppercase letters.
    public let description: String

    /// Creates an id from four digits or uppercase letters, or returns `nil` for any other text.
    public init?(_ text: String) {
        let alphabet = Base36.alphabet
        guard text.utf8.count == 4, text.utf8.allSatisfy({ alphabet.contains($0) }) else { return nil }
        description = text
    }

    /// Returns a random id.
    ///
    /// - Parameter random: A closure that returns a uniformly distributed random number below its argument.
    /// - Returns: Four random characters.
    public static func random(using random: (UInt32) -> UInt32) -> SetupID {
        let text = (0..<4).map { _ in Base36.alphabet[Int(random(36))] }
        guard let id = SetupID(String(decoding: text, as: UTF8.self)) else {
            preconditionFailure("four characters of the alphabet are a valid id")
        }
        return id
    }
}

enum Base36 {
    static let alphabet = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ".utf8)
}
