internal import BoundedJSON
internal import HAPCrypto
package import HAPModel

/// An accessory server's mDNS advertisement: the TXT record of `_hap._tcp` (HAP 1.2).
package struct Advertisement: Equatable, Sendable {
    /// The DNS-SD type of HAP over IP.
    package static let serviceType = "_hap._tcp"

    package var deviceID: DeviceID
    /// The configuration number, `c#`, 1 to 65535.
    package var configurationNumber: UInt16
    /// A Boolean value that indicates whether an admin pairing exists.
    ///
    /// If there is none, `sf` indicates that the server can be paired.
    package var isPaired: Bool
    package var category: AccessoryCategory
    /// The Model characteristic of accessory 1.
    package var model: String
    package var setupID: SetupID
    /// The issuer of the token that pair setup requires (``OwnershipRequirement``); `nil` if no token is required.
    package var vendor: String?

    package init(
        deviceID: DeviceID, configurationNumber: UInt16, isPaired: Bool, category: AccessoryCategory, model: String,
        setupID: SetupID, vendor: String? = nil
    ) {
        self.deviceID = deviceID
        self.configurationNumber = configurationNumber
        self.isPaired = isPaired
        self.category = category
        self.model = model
        self.setupID = setupID
        self.vendor = vendor
    }

    /// The TXT record's key for the vendor; the letters stand for "Lamplighter vendor".
    ///
    /// HAP and public implementations don't use this key, and controllers ignore unknown keys.
    package static let vendorKey = "lv"

    /// The record's keys and values, in a fixed order.
    ///
    /// The vendor is included only while the server can be paired.
    package var txt: [(key: String, value: String)] {
        let common = [
            ("c#", String(configurationNumber)), ("ff", "0"), ("id", deviceID.description),
            ("md", model.prefix(bytes: 64)),
            ("pv", "1.1"), ("s#", "1"), ("sf", isPaired ? "0" : "1"), ("ci", String(category.rawValue)),
            ("sh", setupHash),
        ]
        guard let vendor, !isPaired else { return common }
        return common + [(Self.vendorKey, vendor)]
    }

    /// The setup hash, `sh`, by which a controller that has scanned the QR code finds this server (HAP 2.4).
    package var setupHash: String {
        let hash = SHA512.hash(Array(setupID.description.utf8), Array(deviceID.description.utf8))
        return Base64.encode(Array(hash.prefix(4)))
    }
}
