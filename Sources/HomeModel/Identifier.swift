internal import HAPModel

/// The ID of an object of the home database.
///
/// An ID is never reused, and it survives renames, moves and restarts.
///
/// The type parameter prevents mix-ups, such as using a room's ID as the ID of a zone.
public struct Identifier<Entity>: Hashable, Sendable, Comparable, CustomStringConvertible {
    private let bits: UUIDBits

    /// Parses the text form; returns `nil` for anything but a UUID in groups of 8, 4, 4, 4 and 12 hex digits, of either
    /// case.
    public init?(_ text: String) {
        guard text.utf8.count == 36, let bits = UUIDBits(text) else { return nil }
        self.bits = bits
    }

    /// Creates a random identifier: a UUID of version 4.
    ///
    /// - Parameter generator: The source of random bits; the system's generator outside tests.
    public init(using generator: inout some RandomNumberGenerator) {
        bits = UUIDBits(using: &generator)
    }

    /// The text form in uppercase.
    public var description: String { bits.description }

    /// Orders identifiers by their bits.
    ///
    /// The order has no meaning, but it's the same on all computers.
    public static func < (a: Identifier, b: Identifier) -> Bool { a.bits < b.bits }
}

/// The system's random number generator, wrapped in a type whose size isn't zero.
///
/// The thread sanitizer checks the address of each `inout` argument, and the address of an empty type is arbitrary.
package struct SystemRandomNumbers: RandomNumberGenerator {
    private var system = SystemRandomNumberGenerator()
    private let room: UInt8 = 0

    package init() {}

    package mutating func next() -> UInt64 { system.next() }
}
