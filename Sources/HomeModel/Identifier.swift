internal import HAPModel

/// The identity of an object of the home database: never used again, the same over renames, moves and restarts.
///
/// An identifier of a room does not pass for one of a zone.
public struct Identifier<Entity>: Hashable, Sendable, Comparable, CustomStringConvertible {
    private let bits: UUIDBits

    /// Reads the text form; `nil` for anything but a UUID in groups of 8, 4, 4, 4 and 12 hex digits, of either case.
    public init?(_ text: String) {
        guard text.utf8.count == 36, let bits = UUIDBits(text) else { return nil }
        self.bits = bits
    }

    /// Draws an identifier: a random UUID (version 4).
    ///
    /// - Parameter generator: where the random bits come from; the system's generator outside tests.
    public init(using generator: inout some RandomNumberGenerator) {
        bits = UUIDBits(using: &generator)
    }

    /// The text form, in upper case.
    public var description: String { bits.description }

    /// Orders identifiers by their bits, which means nothing but is the same everywhere.
    public static func < (a: Identifier, b: Identifier) -> Bool { a.bits < b.bits }
}

/// The system's random numbers, as a type that takes room.
///
/// The thread sanitizer looks at the address of whatever is passed `inout`, and one of an empty type is anything.
package struct SystemRandomNumbers: RandomNumberGenerator {
    private var system = SystemRandomNumberGenerator()
    private let room: UInt8 = 0

    package init() {}

    package mutating func next() -> UInt64 { system.next() }
}
