internal import HAPProtocol

// The limits of a device bridge for drivers and waits. The limits of the server are in AccessoryRole/Limits.swift.

extension DeviceBridge {
    /// The most lights of a bridge, which is an accessory itself.
    static let maximumLights = AccessoryDatabase.maximumAccessories - 1
    /// The most bridges: more lights than any house has, fewer than a device that announces without end can open.
    static let maximumBridges = 10
    /// The most lights that wait until they can be stored, or until there is room.
    static let maximumWaitingLights = maximumLights
    /// The most lights that are remembered after their sources have removed them, so that they come back under their aids.
    static let maximumRemovedLights = 300
}

extension CommandWaiter {
    /// How long a request waits for a device (Decision 8): iOS gives up on a whole request after about 10 s.
    static let timeout = Duration.seconds(2)
}
