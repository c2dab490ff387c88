package import AccessoryRole
internal import HAPModel

extension AccessoryProfile {
    /// Creates the profile of a bridge for lights.
    ///
    /// - Parameters:
    ///   - name: The bridge's name, which is sanitized here.
    ///   - serialNumber: A serial number that helps users distinguish several bridges.
    ///   - firmware: The program's version.
    /// - Returns: The profile.
    package static func deviceBridge(name: String, serialNumber: String, firmware: String) -> AccessoryProfile {
        AccessoryProfile(
            category: .bridge,
            information: AccessoryInformation(
                name: AccessoryName.sanitized(name, fallback: "Lamplighter"), manufacturer: "Lamplighter",
                model: "Lamplighter Bridge", serialNumber: serialNumber, firmware: firmware))
    }
}
