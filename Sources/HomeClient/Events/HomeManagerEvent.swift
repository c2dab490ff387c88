/// An event of the homes as a whole.
@nonexhaustive
public enum HomeManagerEvent: Sendable, Hashable {
    /// The app's authorization status changed. While access isn't allowed, no other events follow.
    case authorizationStatusUpdated(AuthorizationStatus)
    /// The homes were loaded again, or this listener was too slow. Replace all stored data about the homes.
    case homesUpdated
    /// Another home became the primary home; `nil` after the last home was removed.
    case primaryHomeUpdated(Home?)
    /// A home was added.
    case homeAdded(Home)
    /// A home was removed; the value is its last state.
    case homeRemoved(Home)
    /// The daemon requests a proof of ownership from this vendor's app.
    ///
    /// The app answers with ``HomeManager/addAndSetupAccessories(with:to:name:)`` or ``HomeManager/decline(_:)``.
    case addAccessoryRequest(AddAccessoryRequest)
    /// The addition of an accessory that this app handed over to the vendor's app failed.
    case additionFailed(AccessoryAdditionFailure)
    /// The activity of a home has changed since this app loaded it.
    ///
    /// The event is delivered once after each ``HomeManager/activity(of:in:accessories:before:from:to:count:)``. Load
    /// the activity again after ``homesUpdated``, too.
    case activityUpdated(Home.ID)

    /// The event's name in the output of tools.
    public var name: String { Mirror.caseName(of: self) }
}

/// An event of any kind, for listeners that need all events in order.
@nonexhaustive
public enum HomeClientEvent: Sendable, Hashable {
    /// An event of the homes as a whole.
    case manager(HomeManagerEvent)
    /// An event of a home.
    case home(Home.Event)
    /// An event of an accessory.
    case accessory(Accessory.Event)

    /// The event's name in the output of tools.
    public var name: String {
        switch self {
        case .manager(let event): event.name
        case .home(let event): event.change.name
        case .accessory(let event): event.change.name
        }
    }
}
