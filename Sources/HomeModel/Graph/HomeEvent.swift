public import HAPModel

/// A change of the home database, as everyone who may see it is told.
///
/// Events are complete: whoever applies all of them to a copy has the database. `HomeGraph` itself changes in no
/// other way.
@nonexhaustive
public enum HomeEvent: Codable, Sendable, Hashable {
    // MARK: The manager's

    /// A home came; it has its default room.
    case homeAdded(Home)
    /// The home went, with everything in it.
    case homeRemoved
    /// Another home is the primary one; `nil` when the last home went.
    case primaryHomeUpdated(Home.ID?)

    // MARK: The home's

    /// The home has another name, and so has its default room.
    case nameUpdated(String)
    /// A room came.
    case roomAdded(Room)
    /// A room went; nothing is in it any more.
    case roomRemoved(Room.ID)
    /// A room has another name.
    case roomNameUpdated(Room.ID, String)
    /// A zone came.
    case zoneAdded(Zone)
    /// A zone went; its rooms stay.
    case zoneRemoved(Zone.ID)
    /// A zone has another name.
    case zoneNameUpdated(Zone.ID, String)
    /// A room is part of a zone now.
    case roomAddedToZone(Room.ID, Zone.ID)
    /// A room is no part of a zone any more.
    case roomRemovedFromZone(Room.ID, Zone.ID)
    /// An accessory came, with its services.
    case accessoryAdded(Accessory)
    /// An accessory went; its actions left the scenes, and its services the service groups.
    case accessoryRemoved(Accessory.ID)
    /// An accessory is in another room.
    case accessoryRoomUpdated(Accessory.ID, Room.ID)
    /// An accessory failed; with `accessoryIsBlocked` it is left alone from now on.
    case accessoryError(Accessory.ID, HomeError.Code)
    /// An accessory is not blocked any more.
    case accessoryUnblocked(Accessory.ID)
    /// A scene came.
    case actionSetAdded(ActionSet)
    /// A scene went.
    case actionSetRemoved(ActionSet.ID)
    /// A scene has another name.
    case actionSetNameUpdated(ActionSet.ID, String)
    /// A scene sets other values.
    case actionSetActionsUpdated(ActionSet.ID, [CharacteristicWriteAction])
    /// A service group came.
    case serviceGroupAdded(ServiceGroup)
    /// A service group went; its services stay.
    case serviceGroupRemoved(ServiceGroup.ID)
    /// A service group has another name.
    case serviceGroupNameUpdated(ServiceGroup.ID, String)
    /// A service is part of a group now.
    case serviceAddedToServiceGroup(Service.ID, ServiceGroup.ID)
    /// A service is no part of a group any more.
    case serviceRemovedFromServiceGroup(Service.ID, ServiceGroup.ID)

    // MARK: The accessory's

    /// An accessory has another name.
    case accessoryNameUpdated(Accessory.ID, String)
    /// A device took the place of an accessory; everything kept its identity, name and settings.
    case accessoryReplaced(Accessory)
    /// An accessory has other services; what it still has kept its identity.
    case servicesUpdated(Accessory.ID, [Service])
    /// An accessory has other software.
    case firmwareVersionUpdated(Accessory.ID, String)
    /// A service has another name.
    case serviceNameUpdated(Service.ID, String)
    /// A service is shown as something else.
    case associatedServiceTypeUpdated(Service.ID, ServiceType?)
    /// A service became, or ceased to be, a favorite.
    case favoriteUpdated(Service.ID, Bool)
}

/// A change that is no write: it has no revision, and the database may forget it.
@nonexhaustive
public enum LiveEvent: Codable, Sendable, Hashable {
    /// An accessory answers, or does not any more.
    case reachabilityUpdated(Accessory.ID, Bool)
    /// It is known, or not any more, why an accessory cannot be reached.
    case faultUpdated(Accessory.ID, AccessoryFault?)
    /// A value was received.
    case valueUpdated(Characteristic.ID, CharacteristicValue, time: Timestamp)
    /// A scene is being carried out, or not any more; with when it was last.
    case actionSetExecutionUpdated(ActionSet.ID, isExecuting: Bool, last: Timestamp?)
}

/// An event, and whether whoever caused it is notified of it, too.
public struct HomeChange: Codable, Sendable, Hashable {
    /// What happened.
    public var event: HomeEvent
    /// Whether the initiator's own listeners get the event, as with what comes and goes with a bridge.
    public var reachesInitiator: Bool

    package init(_ event: HomeEvent, reachesInitiator: Bool = false) {
        self.event = event
        self.reachesInitiator = reachesInitiator
    }
}

/// All that one write changed, at once: its events in the order in which they are told.
public struct HomeTransaction: Codable, Sendable, Hashable {
    /// The home that was written to.
    public var home: Home.ID
    /// The home's revision once this is applied, one above what it was.
    public var revision: UInt64
    /// What changed; never empty.
    public var changes: [HomeChange]

    package init(home: Home.ID, revision: UInt64, changes: [HomeChange]) {
        self.home = home
        self.revision = revision
        self.changes = changes
    }
}
