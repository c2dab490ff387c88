/// What the standard setup flow starts with; all of it may be left to the person who runs it.
public struct AccessorySetupRequest: Sendable, Hashable {
    /// The home to which the accessory is to be added.
    public var home: Home.ID?
    /// The room that is proposed for it.
    public var suggestedRoom: Room.ID?
    /// The name that is proposed for it; for a bridge it is the bridge's own.
    public var suggestedName: String?
    /// What the QR code said, if it was read already.
    public var payload: AccessorySetupPayload?

    /// Describes what is known beforehand.
    public init(
        home: Home.ID? = nil, suggestedRoom: Room.ID? = nil, suggestedName: String? = nil,
        payload: AccessorySetupPayload? = nil
    ) {
        self.home = home
        self.suggestedRoom = suggestedRoom
        self.suggestedName = suggestedName
        self.payload = payload
    }
}

/// What the standard setup flow ended with.
public struct AccessorySetupResult: Codable, Sendable, Hashable {
    /// The home to which the accessory was added.
    public let home: Home.ID
    /// What was added: one accessory, or a bridge and then those behind it.
    public let accessories: [Accessory.ID]
    /// What could not be done once they were in the home, such as to put one into a room; each says for which accessory.
    public private(set) var failures: [HomeError] = []

    package init(home: Home.ID, accessories: [Accessory.ID], failures: [HomeError] = []) {
        self.home = home
        self.accessories = accessories
        self.failures = failures
    }
}
