/// The UUID of a service or characteristic type.
///
/// Apple's types share one base and have a short form: `0000003E-0000-1000-8000-0026BB765291` is `3E`.
public struct HAPType: Hashable, Sendable, CustomStringConvertible {
    private let bits: UUIDBits

    private static let baseLow: UInt64 = 0x8000_0026_BB76_5291
    private static let baseHigh: UInt64 = 0x0000_1000

    /// Creates one of Apple's types.
    ///
    /// - Parameter number: The first eight hex digits of its UUID.
    public init(apple number: UInt32) {
        self.init(bits: UUIDBits(high: UInt64(number) << 32 | Self.baseHigh, low: Self.baseLow))
    }

    /// Parses the short form or a full UUID, ignoring case.
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

    init(bits: UUIDBits) { self.bits = bits }

    /// A Boolean value that indicates whether the type is one of Apple's.
    public var isApple: Bool { bits.low == Self.baseLow && bits.high & 0xFFFF_FFFF == Self.baseHigh }

    /// The UUID as it appears in HAP messages: uppercase, and in the short form for Apple's types.
    public var description: String {
        isApple ? String(bits.high >> 32, radix: 16, uppercase: true) : bits.description
    }
}

/// The type of a service, such as a lightbulb.
///
/// Apple's types are generated into `Catalog/`.
public struct ServiceType: Hashable, Sendable, CustomStringConvertible {
    /// The UUID of the type.
    public let type: HAPType

    /// Creates a service type from any UUID.
    public init(_ type: HAPType) { self.type = type }

    /// The text in HAP messages.
    public var description: String { type.description }
}

/// The type of a characteristic, such as brightness.
///
/// Apple's types are generated into `Catalog/`.
public struct CharacteristicType: Hashable, Sendable, CustomStringConvertible {
    /// The UUID of the type.
    public let type: HAPType

    /// Creates a characteristic type from any UUID.
    public init(_ type: HAPType) { self.type = type }

    /// The text in HAP messages.
    public var description: String { type.description }

    /// A Boolean value that indicates whether each event is an occurrence, such as the press of a button, rather than a
    /// state.
    ///
    /// Two events with the same value mean two presses, and reads don't return the value (HAP 8.4).
    package var isMomentary: Bool { self == .programmableSwitchEvent || self == .buttonEvent }
}
