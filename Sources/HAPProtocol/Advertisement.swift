internal import HAPCrypto
package import HAPModel

/// What an accessory server says of itself in mDNS: the TXT record of `_hap._tcp` (hap.md 1.2).
package struct Advertisement: Equatable, Sendable {
    /// The DNS-SD type of HAP over IP.
    package static let serviceType = "_hap._tcp"

    package var deviceID: DeviceID
    /// `c#`, 1 to 65535.
    package var configurationNumber: UInt16
    /// Whether an admin pairing exists; if not, `sf` says that the server can be paired with.
    package var isPaired: Bool
    package var category: AccessoryCategory
    /// The Model characteristic of accessory 1.
    package var model: String
    package var setupID: SetupID

    package init(
        deviceID: DeviceID, configurationNumber: UInt16, isPaired: Bool, category: AccessoryCategory, model: String,
        setupID: SetupID
    ) {
        self.deviceID = deviceID
        self.configurationNumber = configurationNumber
        self.isPaired = isPaired
        self.category = category
        self.model = model
        self.setupID = setupID
    }

    /// The record's keys and values, in a fixed order.
    package var txt: [(key: String, value: String)] {
        [
            ("c#", String(configurationNumber)), ("ff", "0"), ("id", deviceID.description),
            ("md", model.prefix(bytes: 64)),
            ("pv", "1.1"), ("s#", "1"), ("sf", isPaired ? "0" : "1"), ("ci", String(category.rawValue)),
            ("sh", setupHash),
        ]
    }

    /// `sh`: lets a controller that scanned the QR code find this server (hap.md 2.4).
    package var setupHash: String {
        let hash = SHA512.hash(Array(setupID.description.utf8), Array(deviceID.description.utf8))
        return Base64.encode(Array(hash.prefix(4)))
    }
}
