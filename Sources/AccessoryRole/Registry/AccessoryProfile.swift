public import HAPModel

/// What an accessory server is: how mDNS shows it, and what accessory 1 says of itself.
public struct AccessoryProfile: Equatable, Sendable {
    /// Which symbol users see while they add it; `bridge` for one that has others behind it (HAP 1.2, key `ci`).
    public let category: AccessoryCategory
    /// What it says of itself; the name is its name on the network, too.
    public let information: AccessoryInformation

    /// Describes a server.
    ///
    /// - Parameters:
    ///   - category: which symbol users see while they add it.
    ///   - information: what it says of itself.
    public init(category: AccessoryCategory, information: AccessoryInformation) {
        self.category = category
        self.information = information
    }
}
