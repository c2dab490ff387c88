/// What came of adding an accessory.
public enum AddResult: Sendable, Hashable {
    /// It is in the home, in the default room: one accessory, or a bridge and then those behind it.
    case added([Accessory])
    /// Its maker's app goes on; the accessory will come by an event, or not.
    case handedOver(appName: String)
}

/// What came of removing accessories.
public struct AccessoryRemoval: Sendable, Hashable {
    /// What was removed.
    public let removed: [Accessory.ID]
    /// Those whose device could not be told: it must be reset by hand before it can be added again.
    public let stale: [Accessory.ID]

    package init(removed: [Accessory.ID], stale: [Accessory.ID]) {
        self.removed = removed
        self.stale = stale
    }
}
