package import Discovery
package import HAPModel
package import HAPProtocol

/// An accessory server as mDNS advertises it; before pair verify, none of its properties are proven.
package struct AdvertisedAccessory: Equatable, Sendable, Identifiable {
    /// The reason why a record doesn't describe a supported accessory server.
    package struct BadRecord: Error, Equatable, Sendable, CustomStringConvertible {
        /// The problem; contains no data from the record.
        package let description: String
    }

    /// The device id, `id`.
    package let id: DeviceID
    /// The instance name.
    package var name: String
    /// The model, `md`; at most 64 bytes.
    package var model: String
    /// The category, `ci`; unknown numbers are kept.
    package var category: AccessoryCategory
    /// The configuration number, `c#`, at least 1; it changes with the attribute database.
    package var configurationNumber: UInt32
    /// The state number, `s#`.
    package var stateNumber: UInt32
    /// The status flags, `sf`.
    package var status: Status
    /// The feature flags, `ff`.
    package var features: Features
    /// The setup hash, `sh`: four bytes in Base64; `nil` if it isn't advertised.
    package var setupHash: String?
    /// The vendor, `lv`, whose app provides the token for pairing; `nil` if pairing doesn't require a token.
    ///
    /// The vendor id has at most 64 printable ASCII characters.
    package var vendor: String?
    /// The endpoints, in the order to try them.
    package var endpoints: [AccessoryEndpoint]

    /// The status flags, `sf` (HAP 1.2).
    package struct Status: OptionSet, Sendable, Hashable {
        package let rawValue: UInt32
        package init(rawValue: UInt32) { self.rawValue = rawValue }
        /// No controller has an admin pairing.
        package static let notPaired = Status(rawValue: 1)
        /// The accessory hasn't joined a Wi-Fi network.
        package static let notConfigured = Status(rawValue: 2)
        /// The accessory reports that it has a problem.
        package static let problem = Status(rawValue: 4)
    }

    /// The feature flags, `ff` (HAP 1.2).
    package struct Features: OptionSet, Sendable, Hashable {
        package let rawValue: UInt32
        package init(rawValue: UInt32) { self.rawValue = rawValue }
        /// Pair setup involves an Apple authentication chip, and uses method 1.
        package static let hardwareAuthentication = Features(rawValue: 1)
        /// Pair setup involves a token.
        package static let softwareAuthentication = Features(rawValue: 2)
    }

    /// A Boolean value that indicates whether any controller has an admin pairing.
    package var isPaired: Bool { !status.contains(.notPaired) }

    /// Creates an accessory from a discovered service.
    ///
    /// - Throws: ``BadRecord`` if a required key is missing or a key's value is invalid (HAP 1.2).
    package init(_ service: DiscoveredService) throws(BadRecord) {
        let txt = service.txt
        guard let id = txt["id"].flatMap({ DeviceID($0) }) else {
            throw BadRecord(description: "its id isn't six octets")
        }
        let version = txt["pv"] ?? "1.0"
        guard version == "1" || version.hasPrefix("1.") else {
            throw BadRecord(description: "it uses an unsupported version of HAP")
        }
        let number = try Self.number(txt, "c#", else: nil)
        guard number > 0 else { throw BadRecord(description: "its c# is 0") }
        self.id = id
        name = service.name
        model = (txt["md"] ?? "").prefix(bytes: 64)
        configurationNumber = number
        stateNumber = try Self.number(txt, "s#", else: 1)
        status = Status(rawValue: try Self.number(txt, "sf", else: nil))
        features = Features(rawValue: try Self.number(txt, "ff", else: 0))
        category = AccessoryCategory(rawValue: UInt16(exactly: try Self.number(txt, "ci", else: 1)) ?? 1)
        setupHash = txt["sh"].flatMap { $0.utf8.count == 8 ? $0 : nil }
        vendor = txt[Advertisement.vendorKey].flatMap { OwnershipRequirement.isVendor($0) ? $0 : nil }
        endpoints = Self.endpoints(of: service)
        guard !endpoints.isEmpty else { throw BadRecord(description: "it has no reachable address") }
    }

    /// Creates an accessory for a given endpoint, without an mDNS record.
    ///
    /// Without mDNS, nothing shows whether the database has changed. The number of the lookup, `look`, therefore serves
    /// as the configuration number, so the link reads the database after each lookup.
    init(_ id: DeviceID, at endpoint: AccessoryEndpoint, look: UInt32) {
        self.id = id
        name = endpoint.description
        model = ""
        category = AccessoryCategory(rawValue: 1)
        configurationNumber = look
        stateNumber = 1
        status = []
        features = []
        endpoints = [endpoint]
    }

    private static func number(
        _ txt: TXTRecord, _ key: String, else absent: UInt32?
    ) throws(BadRecord) -> UInt32 {
        guard let text = txt[key] else {
            if let absent { return absent }
            throw BadRecord(description: "its \(key) is missing")
        }
        // `UInt32` would accept a sign.
        guard text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }), let number = UInt32(text)
        else { throw BadRecord(description: "its \(key) isn't a number") }
        return number
    }

    private static func endpoints(of service: DiscoveredService) -> [AccessoryEndpoint] {
        var endpoints: [AccessoryEndpoint] = []
        for address in service.addresses.filter(\.isReachable).inConnectionOrder {
            guard
                let endpoint = AccessoryEndpoint(
                    address: address.bytes, scope: UInt32(exactly: address.interface) ?? 0, port: service.port),
                !endpoints.contains(endpoint)
            else { continue }
            endpoints.append(endpoint)
        }
        return endpoints
    }
}
