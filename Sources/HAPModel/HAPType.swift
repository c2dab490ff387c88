/// The UUID by which HAP names a kind of service or characteristic.
///
/// Apple's own share one base and are written short: `0000003E-0000-1000-8000-0026BB765291` is `3E`.
public struct HAPType: Hashable, Sendable, CustomStringConvertible {
    private let bits: UUIDBits

    private static let baseLow: UInt64 = 0x8000_0026_BB76_5291
    private static let baseHigh: UInt64 = 0x0000_1000

    /// One of Apple's types.
    ///
    /// - Parameter number: the first eight hex digits of its UUID.
    public init(apple number: UInt32) {
        self.init(bits: UUIDBits(high: UInt64(number) << 32 | Self.baseHigh, low: Self.baseLow))
    }

    /// Reads the short form or a full UUID, in either case.
    public init?(_ text: String) {
        if (1...8).contains(text.utf8.count), text.utf8.allSatisfy({ Hex.value(of: $0) != nil }),
            let number = UInt32(text, radix: 16)
        {
            self.init(apple: number)
        } else if let bits = UUIDBits(text) {
            self.init(bits: bits)
        } else {
            return nil
        }
    }

    private init(bits: UUIDBits) { self.bits = bits }

    /// Whether the type is one of Apple's.
    public var isApple: Bool { bits.low == Self.baseLow && bits.high & 0xFFFF_FFFF == Self.baseHigh }

    /// The form that goes over the wire: upper case, short for Apple's types.
    public var description: String {
        isApple ? String(bits.high >> 32, radix: 16, uppercase: true) : bits.description
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
