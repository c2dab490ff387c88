internal import HAPProtocol

// The limits of a device bridge for drivers and waits. AccessoryRole/Limits.swift has the limits of the server.

extension DeviceBridge {
    /// The maximum number of lights on a bridge, which is an accessory itself.
    static let maximumLights = AccessoryDatabase.maximumAccessories - 1
    /// The maximum number of bridges: more than any house needs, but few enough for a device that announces without
    /// end.
    static let maximumBridges = 10
    /// The maximum number of lights that wait to be stored or for room.
    static let maximumWaitingLights = maximumLights
    /// The maximum number of lights remembered after their sources have removed them, so that they return with their
    /// aids.
    static let maximumRemovedLights = 300
}

extension CommandWaiter {
    /// The timeout of a request to a device (Decision 8).
    ///
    /// iOS gives up on a whole request after about 10 s.
    static let timeout = Duration.seconds(2)
}
