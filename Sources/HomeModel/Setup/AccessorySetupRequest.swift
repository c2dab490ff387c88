/// The input of the standard setup flow.
///
/// All properties are optional. The setup asks the user for a missing home or code, and lets the user change the
/// suggested room and name.
public struct AccessorySetupRequest: Sendable, Hashable {
    /// The home for the accessory.
    public var home: Home.ID?
    /// The suggested room.
    public var suggestedRoom: Room.ID?
    /// The suggested name; for a bridge, its own name.
    public var suggestedName: String?
    /// The content of the QR code, if it was already scanned.
    public var payload: AccessorySetupPayload?

    /// Creates a request.
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

/// The result of the standard setup flow.
public struct AccessorySetupResult: Codable, Sendable, Hashable {
    /// The home to which the accessory was added.
    public let home: Home.ID
    /// The added accessories: one accessory, or a bridge followed by its bridged accessories.
    public let accessories: [Accessory.ID]
    /// The steps that failed after the accessories were added, such as assigning one to a room.
    ///
    /// Each error names its accessory.
    public private(set) var failures: [HomeError] = []

    package init(home: Home.ID, accessories: [Accessory.ID], failures: [HomeError] = []) {
        self.home = home
        self.accessories = accessories
        self.failures = failures
    }
}
