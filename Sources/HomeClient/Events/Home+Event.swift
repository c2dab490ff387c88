extension Home {
    /// A change in a home.
    public struct Event: Sendable, Hashable {
        /// The home after the change; its `Home.revision` identifies the write.
        public let home: Home
        /// The kind of change.
        public let change: Change

        package init(_ change: Change, in home: Home) {
            self.home = home
            self.change = change
        }
    }
}

extension Home.Event {
    /// A kind of change, with the objects after the change, or removed objects before it.
    @nonexhaustive
    public enum Change: Sendable, Hashable {
        /// The home and its default room were renamed.
        case nameUpdated
        /// An accessory was added; a bridge is added before its bridged accessories.
        case accessoryAdded(Accessory)
        /// An accessory was removed; a bridge is removed after its bridged accessories.
        case accessoryRemoved(Accessory)
        /// An accessory was assigned to another room.
        case accessoryRoomUpdated(Room, Accessory)
        /// A room was added.
        case roomAdded(Room)
        /// A room was removed; its accessories moved to the default room.
        case roomRemoved(Room)
        /// A room was renamed.
        case roomNameUpdated(Room)
        /// A zone was added.
        case zoneAdded(Zone)
        /// A zone was removed, but not its rooms.
        case zoneRemoved(Zone)
        /// A zone was renamed.
        case zoneNameUpdated(Zone)
        /// A room was added to a zone.
        case roomAddedToZone(Room, Zone)
        /// A room was removed from a zone.
        case roomRemovedFromZone(Room, Zone)
        /// An accessory failed; after `accessoryIsBlocked` it's blocked until an app unblocks it.
        case accessoryError(HomeError, Accessory)
        /// An accessory was unblocked.
        case accessoryUnblocked(Accessory)
        /// A scene was added.
        case actionSetAdded(ActionSet)
        /// A scene was removed.
        case actionSetRemoved(ActionSet)
        /// A scene was renamed.
        case actionSetNameUpdated(ActionSet)
        /// The actions of a scene changed.
        case actionSetActionsUpdated(ActionSet)
        /// An execution of a scene began or ended; see `ActionSet.isExecuting`.
        case actionSetExecutionUpdated(ActionSet)
        /// A service group was added.
        case serviceGroupAdded(ServiceGroup)
        /// A service group was removed, but not its services.
        case serviceGroupRemoved(ServiceGroup)
        /// A service group was renamed.
        case serviceGroupNameUpdated(ServiceGroup)
        /// A service was added to a group.
        case serviceAddedToServiceGroup(Service, ServiceGroup)
        /// A service was removed from a group.
        case serviceRemovedFromServiceGroup(Service, ServiceGroup)
        /// An automation was added.
        case triggerAdded(Trigger)
        /// An automation was removed.
        case triggerRemoved(Trigger)
        /// An automation was renamed.
        case triggerNameUpdated(Trigger)
        /// An automation was changed, enabled or disabled, or one of its parts was removed.
        case triggerUpdated(Trigger)
        /// An automation was evaluated, or the outcomes of its actions changed. The record's ID remains the same.
        case triggerFired(Trigger, TriggerRecord)
        /// A person was added.
        case personAdded(Resident)
        /// A person was removed.
        case personRemoved(Resident)
        /// A person was renamed.
        case personNameUpdated(Resident)
        /// A person came home or left.
        case presenceUpdated(Resident)
        /// The location or the time zone changed.
        case locationUpdated
        /// The homes were loaded again, or this listener was too slow. Replace all stored data about the home.
        case homesUpdated

        /// The event's name in the output of tools.
        public var name: String { self == .nameUpdated ? "home.nameUpdated" : Mirror.caseName(of: self) }
    }
}
