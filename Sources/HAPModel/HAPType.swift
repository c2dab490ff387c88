/// The UUID by which HAP names a kind of service or characteristic.
///
/// Apple's own share one base and are written short: `0000003E-0000-1000-8000-0026BB765291` is `3E`.
public struct HAPType: Hashable, Sendable, CustomStringConvertible {
    private let high: UInt64
    private let low: UInt64

    private static let baseLow: UInt64 = 0x8000_0026_BB76_5291
    private static let baseHigh: UInt64 = 0x0000_1000

    /// One of Apple's types.
    ///
    /// - Parameter number: the first eight hex digits of its UUID.
    public init(apple number: UInt32) {
        self.init(high: UInt64(number) << 32 | Self.baseHigh, low: Self.baseLow)
    }

    /// Reads the short form or a full UUID, in either case.
    public init?(_ text: String) {
        let digits = text.utf8.filter { $0 != UInt8(ascii: "-") }
        guard digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }) else { return nil }
        if text.utf8.count <= 8, digits.count == text.utf8.count, let number = UInt32(text, radix: 16) {
            self.init(apple: number)
            return
        }
        let groups = text.split(separator: "-", omittingEmptySubsequences: false).map(\.utf8.count)
        guard groups == [8, 4, 4, 4, 12] || groups == [32],
            let high = UInt64(String(decoding: digits.prefix(16), as: UTF8.self), radix: 16),
            let low = UInt64(String(decoding: digits.suffix(16), as: UTF8.self), radix: 16)
        else { return nil }
        self.init(high: high, low: low)
    }

    private init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Whether the type is one of Apple's.
    public var isApple: Bool { low == Self.baseLow && high & 0xFFFF_FFFF == Self.baseHigh }

    /// The form that goes over the wire: upper case, short for Apple's types.
    public var description: String {
        if isApple { return String(high >> 32, radix: 16, uppercase: true) }
        let digits = Array((Self.hex(high) + Self.hex(low)).utf8)
        let groups = [0..<8, 8..<12, 12..<16, 16..<20, 20..<32]
        return groups.map { String(decoding: digits[$0], as: UTF8.self) }.joined(separator: "-")
    }

    private static func hex(_ number: UInt64) -> String {
        let digits = String(number, radix: 16, uppercase: true)
        return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }
}

/// What a service is, such as a lightbulb.
///
/// Apple's are generated into `Catalog/`.
public struct ServiceType: Hashable, Sendable, CustomStringConvertible {
    /// The UUID behind the type.
    public let type: HAPType

    /// Makes a service type of any UUID.
    public init(_ type: HAPType) { self.type = type }

    /// The form that goes over the wire.
    public var description: String { type.description }
}

/// What a characteristic is, such as brightness.
///
/// Apple's are generated into `Catalog/`.
public struct CharacteristicType: Hashable, Sendable, CustomStringConvertible {
    /// The UUID behind the type.
    public let type: HAPType

    /// Makes a characteristic type of any UUID.
    public init(_ type: HAPType) { self.type = type }

    /// The form that goes over the wire.
    public var description: String { type.description }

    /// Whether each of its events is an occurrence, such as the press of a button, and leaves no value behind: the same value
    /// twice is two presses, and reading it says nothing (HAP 8.4).
    package var isMomentary: Bool { self == .programmableSwitchEvent || self == .buttonEvent }
}
