extension Home {
    /// Something that happened in a home.
    public struct Event: Sendable, Hashable {
        /// The home as it is since then; its `Home.revision` tells which write it was.
        public let home: Home
        /// What happened.
        public let change: Change

        package init(_ change: Change, in home: Home) {
            self.home = home
            self.change = change
        }
    }
}

extension Home.Event {
    /// What can happen in a home; objects are as they are since then, those that went as they were.
    @nonexhaustive
    public enum Change: Sendable, Hashable {
        /// The home has another name, and so has its default room.
        case nameUpdated
        /// An accessory came; a bridge comes before those behind it.
        case accessoryAdded(Accessory)
        /// An accessory went; a bridge goes after those behind it.
        case accessoryRemoved(Accessory)
        /// An accessory is in another room.
        case accessoryRoomUpdated(Room, Accessory)
        /// A room came.
        case roomAdded(Room)
        /// A room went; what was in it is in the default room.
        case roomRemoved(Room)
        /// A room has another name.
        case roomNameUpdated(Room)
        /// A zone came.
        case zoneAdded(Zone)
        /// A zone went; its rooms stay.
        case zoneRemoved(Zone)
        /// A zone has another name.
        case zoneNameUpdated(Zone)
        /// A room is part of a zone now.
        case roomAddedToZone(Room, Zone)
        /// A room is no part of a zone any more.
        case roomRemovedFromZone(Room, Zone)
        /// An accessory failed; with `accessoryIsBlocked` it is blocked until it's unblocked.
        case accessoryError(HomeError, Accessory)
        /// An accessory is not blocked any more.
        case accessoryUnblocked(Accessory)
        /// A scene came.
        case actionSetAdded(ActionSet)
        /// A scene went.
        case actionSetRemoved(ActionSet)
        /// A scene has another name.
        case actionSetNameUpdated(ActionSet)
        /// A scene sets other values.
        case actionSetActionsUpdated(ActionSet)
        /// A scene is being carried out, or not any more; see `ActionSet.isExecuting`.
        case actionSetExecutionUpdated(ActionSet)
        /// A service group came.
        case serviceGroupAdded(ServiceGroup)
        /// A service group went; its services stay.
        case serviceGroupRemoved(ServiceGroup)
        /// A service group has another name.
        case serviceGroupNameUpdated(ServiceGroup)
        /// A service is part of a group now.
        case serviceAddedToServiceGroup(Service, ServiceGroup)
        /// A service is no part of a group any more.
        case serviceRemovedFromServiceGroup(Service, ServiceGroup)
        /// The homes were loaded anew, or this listener missed too much: whatever it kept of the home is void.
        case homesUpdated

        /// The event's name, as tools print it.
        public var name: String { self == .nameUpdated ? "home.nameUpdated" : Mirror.caseName(of: self) }
    }
}
