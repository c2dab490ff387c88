package import AccessoryRole
internal import HAPModel

extension AccessoryProfile {
    /// A bridge that shows lights.
    ///
    /// - Parameters:
    ///   - name: the bridge's name, made valid here.
    ///   - serialNumber: tells bridges apart for people.
    ///   - firmware: the program's version.
    /// - Returns: its profile.
    package static func deviceBridge(name: String, serialNumber: String, firmware: String) -> AccessoryProfile {
        AccessoryProfile(
            category: .bridge,
            information: AccessoryInformation(
                name: AccessoryName.sanitized(name, fallback: "Lamplighter"), manufacturer: "Lamplighter",
                model: "Lamplighter Bridge", serialNumber: serialNumber, firmware: firmware))
    }
}
