internal import BoundedJSON
internal import HAPCrypto
import HAPModel
internal import HAPProtocol

/// The configuration number, `c#`, and the rules for increasing it (HAP 1.3).
///
/// The number increases when the structure of the database, a name or the firmware version changes. Other values don't
/// affect it. 1 follows 65535.
struct ConfigurationNumber: Equatable, Sendable {
    package private(set) var stored: StoredConfiguration

    package init(_ stored: StoredConfiguration) { self.stored = stored }

    package var number: UInt16 { stored.number }

    /// Compares a new or changed database with the stored hash.
    ///
    /// - Returns: Whether the hash changed; if so, store the number and the hash before advertising the number.
    mutating func databaseChanged(_ accessories: [AccessoryObject], firmware: String) -> Bool {
        var json = JSONWriter()
        for accessory in accessories.sorted(by: { $0.aid < $1.aid }) { json.accessory(accessory, values: false) }
        let hash = SHA512.hash(json.bytes, Array(firmware.utf8))
        guard hash != stored.databaseHash else { return false }
        if !stored.databaseHash.isEmpty { stored.number = stored.number == UInt16.max ? 1 : stored.number + 1 }
        stored.databaseHash = hash
        return true
    }
}
