/// What happens to the homes as a whole.
@nonexhaustive
public enum HomeManagerEvent: Sendable, Hashable {
    /// The user allowed the app to use homes, or withdrew it. After a withdrawal nothing follows.
    case authorizationStatusUpdated(AuthorizationStatus)
    /// The homes were loaded anew: whatever was kept of them is void.
    case homesUpdated
    /// Another home is the primary one; `nil` when the last home went.
    case primaryHomeUpdated(Home?)
    /// A home came.
    case homeAdded(Home)
    /// A home went; this is how it was.
    case homeRemoved(Home)
    /// The maker's app is asked for a proof, with which it calls
    /// ``HomeManager/addAndSetupAccessories(with:to:name:)``; or it declines.
    case addAccessoryRequest(AddAccessoryRequest)
    /// An accessory that this app has begun to add, and that was handed over to its maker's app, will not come.
    case additionFailed(AccessoryAdditionFailure)

    /// The event's name, as tools print it.
    public var name: String { Mirror.caseName(of: self) }
}

/// An event of any kind, for listeners that want all of them in the order in which they happened.
@nonexhaustive
public enum HomeClientEvent: Sendable, Hashable {
    /// Something that happened to the homes as a whole.
    case manager(HomeManagerEvent)
    /// Something that happened in a home.
    case home(Home.Event)
    /// Something that happened to an accessory.
    case accessory(Accessory.Event)

    /// The event's name, as tools print it.
    public var name: String {
        switch self {
        case .manager(let event): event.name
        case .home(let event): event.change.name
        case .accessory(let event): event.change.name
        }
    }
}
