/// All that an app knows of the homes at one time.
public struct HomeSnapshot: Sendable, Hashable {
    /// The homes, oldest first; empty until they are loaded, and without permission.
    public let homes: [Home]
    /// What the app may do, as the user decided.
    public let authorizationStatus: AuthorizationStatus
    /// Whether the homes are what the daemon has.
    ///
    /// Until they are loaded, and from a lost connection until they are loaded again, they are what they were.
    public let isCurrent: Bool

    /// The home that apps show first; there is one if there are homes.
    public var primaryHome: Home? { homes.first(where: \.isPrimary) }

    /// A home of that identity.
    public func home(_ id: Home.ID) -> Home? { homes.first { $0.id == id } }

    /// An accessory of any home.
    public func accessory(_ id: Accessory.ID) -> Accessory? {
        for home in homes {
            if let accessory = home.accessory(id) { return accessory }
        }
        return nil
    }

    /// A characteristic of any home.
    public func characteristic(_ id: Characteristic.ID) -> Characteristic? {
        for home in homes {
            if let characteristic = home.characteristic(id) { return characteristic }
        }
        return nil
    }
}
