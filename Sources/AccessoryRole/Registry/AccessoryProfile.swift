public import HAPModel

/// The identity of an accessory server: its mDNS advertisement and the information of accessory 1.
public struct AccessoryProfile: Equatable, Sendable {
    /// The category, which determines the icon in setup dialogs; `bridge` for a server with bridged accessories (HAP
    /// 1.2, `ci` key).
    public let category: AccessoryCategory
    /// The accessory information.
    ///
    /// Its name is also the accessory's name on the network.
    public let information: AccessoryInformation

    /// Creates a profile.
    ///
    /// - Parameters:
    ///   - category: The category, which determines the icon in setup dialogs.
    ///   - information: The accessory information.
    public init(category: AccessoryCategory, information: AccessoryInformation) {
        self.category = category
        self.information = information
    }
}
