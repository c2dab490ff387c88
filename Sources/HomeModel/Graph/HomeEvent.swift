public import HAPModel

/// A change of the home database, as reported to all apps with access.
///
/// Events are complete: a copy that applies all of them equals the database. `HomeGraph` itself changes only through
/// events.
@nonexhaustive
public enum HomeEvent: Codable, Sendable, Hashable {
    // MARK: Home manager

    /// A home was added, with its default room.
    case homeAdded(Home)
    /// The home was removed, with all its objects.
    case homeRemoved
    /// The primary home changed; `nil` after the last home was removed.
    case primaryHomeUpdated(Home.ID?)

    // MARK: Home

    /// The home and its default room were renamed.
    case nameUpdated(String)
    /// A room was added.
    case roomAdded(Room)
    /// An empty room was removed.
    case roomRemoved(Room.ID)
    /// A room was renamed.
    case roomNameUpdated(Room.ID, String)
    /// A zone was added.
    case zoneAdded(Zone)
    /// A zone was removed. Its rooms remain.
    case zoneRemoved(Zone.ID)
    /// A zone was renamed.
    case zoneNameUpdated(Zone.ID, String)
    /// A room was added to a zone.
    case roomAddedToZone(Room.ID, Zone.ID)
    /// A room was removed from a zone.
    case roomRemovedFromZone(Room.ID, Zone.ID)
    /// An accessory was added, with its services.
    case accessoryAdded(Accessory)
    /// An accessory was removed, along with its actions in scenes and its services in service groups.
    case accessoryRemoved(Accessory.ID)
    /// An accessory moved to another room.
    case accessoryRoomUpdated(Accessory.ID, Room.ID)
    /// An accessory failed. With `accessoryIsBlocked`, it's ignored until it's unblocked.
    case accessoryError(Accessory.ID, HomeError.Code)
    /// An accessory was unblocked.
    case accessoryUnblocked(Accessory.ID)
    /// A scene was added.
    case actionSetAdded(ActionSet)
    /// A scene was removed.
    case actionSetRemoved(ActionSet.ID)
    /// A scene was renamed.
    case actionSetNameUpdated(ActionSet.ID, String)
    /// A scene's actions changed.
    case actionSetActionsUpdated(ActionSet.ID, [CharacteristicWriteAction])
    /// A service group was added.
    case serviceGroupAdded(ServiceGroup)
    /// A service group was removed. Its services remain.
    case serviceGroupRemoved(ServiceGroup.ID)
    /// A service group was renamed.
    case serviceGroupNameUpdated(ServiceGroup.ID, String)
    /// A service was added to a group.
    case serviceAddedToServiceGroup(Service.ID, ServiceGroup.ID)
    /// A service was removed from a group.
    case serviceRemovedFromServiceGroup(Service.ID, ServiceGroup.ID)

    /// An automation was added.
    case triggerAdded(Trigger)
    /// An automation was removed.
    case triggerRemoved(Trigger.ID)
    /// An automation was renamed.
    case triggerNameUpdated(Trigger.ID, String)
    /// An automation was changed, enabled or disabled, or one of its parts was removed.
    case triggerUpdated(Trigger)
    /// A person was added.
    case personAdded(Resident)
    /// A person was removed.
    case personRemoved(Resident.ID)
    /// A person was renamed.
    case personNameUpdated(Resident.ID, String)
    /// A person came home or left.
    case presenceUpdated(Resident.ID, isHome: Bool)
    /// The home's location or time zone changed.
    case locationUpdated(HomeLocation?)

    // MARK: Accessory

    /// An accessory was renamed.
    case accessoryNameUpdated(Accessory.ID, String)
    /// A device replaced an accessory. All IDs, names and settings remain.
    case accessoryReplaced(Accessory)
    /// An accessory's services changed. Remaining services and characteristics keep their IDs.
    case servicesUpdated(Accessory.ID, [Service])
    /// An accessory's firmware changed.
    case firmwareVersionUpdated(Accessory.ID, String)
    /// A service was renamed.
    case serviceNameUpdated(Service.ID, String)
    /// A service's associated type changed.
    case associatedServiceTypeUpdated(Service.ID, ServiceType?)
    /// A service was added to or removed from the favorites.
    case favoriteUpdated(Service.ID, Bool)
}

/// A change that isn't a write.
///
/// Live events have no revision. The database stores only accessories' values, after a delay, the execution times of
/// scenes, and the history of automations, so a crash of the daemon may lose other live events and recent values.
@nonexhaustive
public enum LiveEvent: Codable, Sendable, Hashable {
    /// An accessory became reachable or unreachable.
    case reachabilityUpdated(Accessory.ID, Bool)
    /// The known reason why an accessory is unreachable changed.
    case faultUpdated(Accessory.ID, AccessoryFault?)
    /// A value was received.
    case valueUpdated(Characteristic.ID, CharacteristicValue, time: Timestamp)
    /// An accessory failed to return a value, so that the last one may be outdated.
    case readFailed(Characteristic.ID)
    /// A scene started or finished, with the time of its last execution.
    case actionSetExecutionUpdated(ActionSet.ID, isExecuting: Bool, last: Timestamp?)
    /// An automation was evaluated, or the outcomes of its actions changed.
    case triggerFired(TriggerRecord)
}

/// An event, with its visibility to the app that caused it.
public struct HomeChange: Codable, Sendable, Hashable {
    /// The event.
    public var event: HomeEvent
    /// A Boolean value that indicates whether the initiator's own listeners receive the event, as for accessories that
    /// are added or removed with their bridge.
    public var reachesInitiator: Bool

    package init(_ event: HomeEvent, reachesInitiator: Bool = false) {
        self.event = event
        self.reachesInitiator = reachesInitiator
    }
}

/// All changes of one atomic write, in notification order.
public struct HomeTransaction: Codable, Sendable, Hashable {
    /// The home that was changed.
    public var home: Home.ID
    /// The home's revision after this transaction, which is one more than before.
    public var revision: UInt64
    /// The changes; never empty.
    public var changes: [HomeChange]

    package init(home: Home.ID, revision: UInt64, changes: [HomeChange]) {
        self.home = home
        self.revision = revision
        self.changes = changes
    }
}
