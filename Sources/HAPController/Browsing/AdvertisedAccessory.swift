package import Discovery
package import HAPModel
package import HAPProtocol

/// An accessory server as mDNS shows it; nothing of it is proven before pair verify.
package struct AdvertisedAccessory: Equatable, Sendable, Identifiable {
    /// Why a record is none of an accessory server that we can talk to.
    package struct BadRecord: Error, Equatable, Sendable, CustomStringConvertible {
        /// What is wrong, without anything that the record holds.
        package let description: String
    }

    /// The device id, `id`.
    package let id: DeviceID
    /// The instance name.
    package var name: String
    /// The model, `md`; at most 64 bytes.
    package var model: String
    /// `ci`; unknown numbers are kept.
    package var category: AccessoryCategory
    /// `c#`, 1 and above: another number stands for another attribute database.
    package var configurationNumber: UInt32
    /// `s#`.
    package var stateNumber: UInt32
    /// `sf`.
    package var status: Status
    /// `ff`.
    package var features: Features
    /// `sh`, if it is advertised: four bytes in base64.
    package var setupHash: String?
    /// `lv`: whose app can come by the token that pairing takes, if it takes one; at most 64 characters of printable ASCII.
    package var vendor: String?
    /// Where it may be reached, in the order in which to try.
    package var endpoints: [AccessoryEndpoint]

    /// The bits of `sf`.
    package struct Status: OptionSet, Sendable, Hashable {
        package let rawValue: UInt32
        package init(rawValue: UInt32) { self.rawValue = rawValue }
        /// No admin pairing exists.
        package static let notPaired = Status(rawValue: 1)
        /// It has not joined a Wi-Fi network.
        package static let notConfigured = Status(rawValue: 2)
        /// It has found something wrong with itself.
        package static let problem = Status(rawValue: 4)
    }

    /// The bits of `ff`.
    package struct Features: OptionSet, Sendable, Hashable {
        package let rawValue: UInt32
        package init(rawValue: UInt32) { self.rawValue = rawValue }
        /// A chip of Apple's takes part in pair setup, which is asked for with method 1.
        package static let hardwareAuthentication = Features(rawValue: 1)
        /// A token takes part in pair setup.
        package static let softwareAuthentication = Features(rawValue: 2)
    }

    /// Whether an admin pairing exists, ours or another's.
    package var isPaired: Bool { !status.contains(.notPaired) }

    /// Reads a service that was found.
    ///
    /// - Throws: ``BadRecord`` where the record lacks a required entry, or holds what cannot be (HAP 1.2).
    package init(_ service: DiscoveredService) throws(BadRecord) {
        let txt = service.txt
        guard let id = txt["id"].flatMap({ DeviceID($0) }) else {
            throw BadRecord(description: "its id is not six octets")
        }
        let version = txt["pv"] ?? "1.0"
        guard version == "1" || version.hasPrefix("1.") else {
            throw BadRecord(description: "it speaks another version of HAP")
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
        guard !endpoints.isEmpty else { throw BadRecord(description: "it has no address that can be reached") }
    }

    /// An accessory at an address that was given, of which no record has been seen.
    ///
    /// `look` counts how often it was looked for: each time its database is read anew, because nothing tells whether it is still
    /// the same.
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
        // `UInt32` alone would take a sign.
        guard text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }), let number = UInt32(text)
        else { throw BadRecord(description: "its \(key) is not a number") }
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
