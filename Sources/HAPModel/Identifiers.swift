/// The number of an accessory within its server (aid): 1 is the bridge itself; never moves, never used again.
public struct AccessoryID: RawRepresentable, Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The number, 1 or above.
    public let rawValue: UInt64

    /// Makes an id of its number.
    public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// Makes an id of its number.
    public init(_ number: UInt64) { rawValue = number }

    /// The bridge's own accessory.
    public static let bridge = AccessoryID(1)

    /// Orders ids by their numbers.
    public static func < (a: AccessoryID, b: AccessoryID) -> Bool { a.rawValue < b.rawValue }

    /// The number.
    public var description: String { String(rawValue) }
}

/// The number of a service or a characteristic within its accessory (iid); services and characteristics share one space.
public struct InstanceID: RawRepresentable, Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The number, 1 or above.
    public let rawValue: UInt64

    /// Makes an id of its number.
    public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// Makes an id of its number.
    public init(_ number: UInt64) { rawValue = number }

    /// The Accessory Information service of every accessory (HAP 9.2).
    public static let accessoryInformation = InstanceID(1)

    /// Orders ids by their numbers.
    public static func < (a: InstanceID, b: InstanceID) -> Bool { a.rawValue < b.rawValue }

    /// The number.
    public var description: String { String(rawValue) }
}

/// Where a characteristic is: `aid.iid`.
public struct CharacteristicID: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The accessory.
    public let aid: AccessoryID
    /// The characteristic within the accessory.
    public let iid: InstanceID

    /// Makes an id of its two numbers.
    ///
    /// - Parameters:
    ///   - aid: the accessory.
    ///   - iid: the characteristic within the accessory.
    public init(_ aid: AccessoryID, _ iid: InstanceID) {
        self.aid = aid
        self.iid = iid
    }

    /// Orders ids by accessory, then by instance.
    public static func < (a: CharacteristicID, b: CharacteristicID) -> Bool { (a.aid, a.iid) < (b.aid, b.iid) }

    /// The id as it stands in a read request.
    public var description: String { "\(aid).\(iid)" }
}

/// The accessory server's own id, `XX:XX:XX:XX:XX:XX`: random, not a hardware address, new only after a reset.
public struct DeviceID: Hashable, Sendable, CustomStringConvertible {
    /// The six octets.
    public let octets: [UInt8]

    /// Makes an id of six octets.
    ///
    /// - Parameter octets: six of them, or the result is `nil`.
    public init?(octets: [UInt8]) {
        guard octets.count == 6 else { return nil }
        self.octets = octets
    }

    /// Reads an id of the form `1A:2B:3C:4D:5E:FF`, in either case.
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

    /// Upper case with colons, as it stands in TXT records, TLVs and signatures.
    public var description: String { octets.map { Hex.encode([$0]) }.joined(separator: ":") }

    /// The last four hex digits, which the mDNS instance name ends with so that two bridges of one name differ.
    public var suffix: String { Hex.encode(octets.suffix(2)) }
}
