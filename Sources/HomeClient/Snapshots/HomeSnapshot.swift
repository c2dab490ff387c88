/// The state of an app's copy of the homes at a point in time.
public struct HomeSnapshot: Sendable, Hashable {
    /// The homes, oldest first; empty until they are loaded, and while the app has no permission.
    public let homes: [Home]
    /// The permission that the user has given to the app.
    public let authorizationStatus: AuthorizationStatus
    /// A Boolean value that indicates whether the homes equal the daemon's state.
    ///
    /// It's `false` until the homes are loaded, and from the loss of a connection until they're loaded again.
    /// The homes don't change in the meantime.
    public let isCurrent: Bool

    /// The home that apps show first; `nil` only if ``homes`` is empty.
    public var primaryHome: Home? { homes.first(where: \.isPrimary) }

    /// Returns the home with the given ID, or `nil` if there is none.
    public func home(_ id: Home.ID) -> Home? { homes.first { $0.id == id } }

    /// Returns the accessory with the given ID from any home, or `nil` if there is none.
    public func accessory(_ id: Accessory.ID) -> Accessory? {
        for home in homes {
            if let accessory = home.accessory(id) { return accessory }
        }
        return nil
    }

    /// Returns the characteristic with the given ID from any home, or `nil` if there is none.
    public func characteristic(_ id: Characteristic.ID) -> Characteristic? {
        for home in homes {
            if let characteristic = home.characteristic(id) { return characteristic }
        }
        return nil
    }
}
