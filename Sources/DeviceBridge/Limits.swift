internal import HAPProtocol

// The limits of a device bridge for drivers, lights and timeouts. AccessoryRole/Limits.swift has the limits of the
// server.

extension DeviceBridge {
    /// The maximum number of lights on a bridge, which is an accessory itself.
    static let maximumLights = AccessoryDatabase.maximumAccessories - 1
    /// The maximum number of bridges.
    ///
    /// It is more than any house needs, and it limits the bridges that a source with an endless number of lights can
    /// open.
    static let maximumBridges = 10
    /// The maximum number of lights that wait to be stored or for a free place.
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
