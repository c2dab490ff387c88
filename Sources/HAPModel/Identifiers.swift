/// The number of an accessory within its server (aid).
///
/// It is permanent and never reused. Number 1 is the server's own accessory.
public struct AccessoryID: RawRepresentable, Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The number, 1 or above.
    public let rawValue: UInt64

    /// Creates an id from its number.
    public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// Creates an id from its number.
    public init(_ number: UInt64) { rawValue = number }

    /// The accessory of the server itself: the bridge, or a stand-alone accessory.
    public static let bridge = AccessoryID(1)

    /// Compares ids by their numbers.
    public static func < (a: AccessoryID, b: AccessoryID) -> Bool { a.rawValue < b.rawValue }

    /// The number as text.
    public var description: String { String(rawValue) }
}

/// The number of a service or a characteristic within its accessory (iid).
///
/// Services and characteristics share one number space.
public struct InstanceID: RawRepresentable, Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The number, 1 or above.
    public let rawValue: UInt64

    /// Creates an id from its number.
    public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// Creates an id from its number.
    public init(_ number: UInt64) { rawValue = number }

    /// The id of the Accessory Information service of every accessory (HAP 9.2).
    public static let accessoryInformation = InstanceID(1)

    /// Compares ids by their numbers.
    public static func < (a: InstanceID, b: InstanceID) -> Bool { a.rawValue < b.rawValue }

    /// The number as text.
    public var description: String { String(rawValue) }
}

/// The id of a characteristic within its server: `aid.iid`.
public struct CharacteristicID: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The id of the accessory.
    public let aid: AccessoryID
    /// The id of the characteristic within the accessory.
    public let iid: InstanceID

    /// Creates an id from its two numbers.
    ///
    /// - Parameters:
    ///   - aid: The accessory.
    ///   - iid: The characteristic within the accessory.
    public init(_ aid: AccessoryID, _ iid: InstanceID) {
        self.aid = aid
        self.iid = iid
    }

    /// Compares ids by accessory, then by instance.
    public static func < (a: CharacteristicID, b: CharacteristicID) -> Bool { (a.aid, a.iid) < (b.aid, b.iid) }

    /// The id as `aid.iid`, as in read requests.
    public var description: String { "\(aid).\(iid)" }
}

/// The accessory server's id, `XX:XX:XX:XX:XX:XX`.
///
/// It is random, not a hardware address. It changes only when the server is reset.
public struct DeviceID: Hashable, Sendable, CustomStringConvertible {
    /// The six octets.
    public let octets: [UInt8]

    /// Creates an id from its octets.
    ///
    /// - Parameter octets: Six octets. With any other number of octets, the result is `nil`.
    public init?(octets: [UInt8]) {
        guard octets.count == 6 else { return nil }
        self.octets = octets
    }

    /// Parses an id of the form `1A:2B:3C:4D:5E:FF`, ignoring case.
    public init?(_ text: String) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 6 else { return nil }
        var octets: [UInt8] = []
        for part in parts {
            guard let octet = Hex.decode(part), octet.count == 1 else { return nil }
            octets += octet
        }
        self.octets = octets
    }

    /// The id in uppercase with colons, as in TXT records, TLVs and signatures.
    public var description: String { octets.map { Hex.encode([$0]) }.joined(separator: ":") }

    /// The last four hex digits.
    ///
    /// They are added to the mDNS instance name, so that bridges with the same name have different instance names.
    public var suffix: String { Hex.encode(octets.suffix(2)) }
}
