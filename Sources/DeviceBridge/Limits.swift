internal import HAPProtocol

// The limits of a device bridge for drivers, lights and timeouts. AccessoryRole/Limits.swift has the limits of the
// server.

extension DeviceBridge {
    /// The maximum number of lights on a bridge, which is an accessory itself.
    static let maximumLights = AccessoryDatabase.maximumAccessories - 1
    /// The maximum number of bridges.
    ///
    /// The limit is higher than any house needs. It prevents a source with an endless number of lights from opening
    /// an endless number of bridges.
    static let maximumBridges = 10
    /// The maximum number of lights that haven't been stored yet or for which no bridge has room.
    static let maximumWaitingLights = maximumLights
    /// The maximum number of removed lights that are remembered, so that they get their aids again when they return.
    static let maximumRemovedLights = 300
    /// The maximum number of reported devices of excluded kinds that are counted, as many as all bridges could show.
    static let maximumExcludedLights = maximumBridges * maximumLights
}

extension CommandWaiter {
    /// The timeout of a request to a device (Decision 8).
    ///
    /// iOS gives up on a whole request after about 10 s.
    static let timeout = Duration.seconds(2)
}
