import BoundedJSON

// An event is one flat object, `{"event":"roomNameUpdated","room":"...","name":"Attic"}`. Each case has coding keys
// that name its associated values in order.

extension HomeEvent: HomeMessage {
    /// The event's name, as `watch --json` prints it.
    package var name: String { JSONValue.tag(of: self) }

    enum CodingKeys: String, TaggedUnionKey {
        static let tag = "event"

        case homeAdded, homeRemoved, primaryHomeUpdated
        case nameUpdated = "home.nameUpdated"
        case roomAdded, roomRemoved, roomNameUpdated, zoneAdded, zoneRemoved, zoneNameUpdated, roomAddedToZone
        case roomRemovedFromZone, accessoryAdded, accessoryRemoved, accessoryRoomUpdated, accessoryError
        case accessoryUnblocked, actionSetAdded, actionSetRemoved, actionSetNameUpdated, actionSetActionsUpdated
        case serviceGroupAdded, serviceGroupRemoved, serviceGroupNameUpdated, serviceAddedToServiceGroup
        case serviceRemovedFromServiceGroup
        case triggerAdded, triggerRemoved, triggerNameUpdated, triggerUpdated
        case personAdded, personRemoved, personNameUpdated, presenceUpdated, locationUpdated
        case accessoryNameUpdated = "accessory.nameUpdated"
        case accessoryReplaced, servicesUpdated, firmwareVersionUpdated, serviceNameUpdated
        case associatedServiceTypeUpdated, favoriteUpdated
    }

    enum HomeAddedCodingKeys: String, CodingKey { case _0 = "home" }
    enum PrimaryHomeUpdatedCodingKeys: String, CodingKey { case _0 = "primaryHome" }
    enum NameUpdatedCodingKeys: String, CodingKey { case _0 = "name" }
    enum RoomAddedCodingKeys: String, CodingKey { case _0 = "room" }
    typealias RoomRemovedCodingKeys = RoomAddedCodingKeys
    enum RoomNameUpdatedCodingKeys: String, CodingKey { case _0 = "room", _1 = "name" }
    enum ZoneAddedCodingKeys: String, CodingKey { case _0 = "zone" }
    typealias ZoneRemovedCodingKeys = ZoneAddedCodingKeys
    enum ZoneNameUpdatedCodingKeys: String, CodingKey { case _0 = "zone", _1 = "name" }
    enum RoomAddedToZoneCodingKeys: String, CodingKey { case _0 = "room", _1 = "zone" }
    typealias RoomRemovedFromZoneCodingKeys = RoomAddedToZoneCodingKeys
    enum AccessoryAddedCodingKeys: String, CodingKey { case _0 = "accessory" }
    typealias AccessoryRemovedCodingKeys = AccessoryAddedCodingKeys
    typealias AccessoryReplacedCodingKeys = AccessoryAddedCodingKeys
    typealias AccessoryUnblockedCodingKeys = AccessoryAddedCodingKeys
    enum AccessoryRoomUpdatedCodingKeys: String, CodingKey { case _0 = "accessory", _1 = "room" }
    enum AccessoryErrorCodingKeys: String, CodingKey { case _0 = "accessory", _1 = "_0" }
    enum ActionSetAddedCodingKeys: String, CodingKey { case _0 = "actionSet" }
    typealias ActionSetRemovedCodingKeys = ActionSetAddedCodingKeys
    enum ActionSetNameUpdatedCodingKeys: String, CodingKey { case _0 = "actionSet", _1 = "name" }
    enum ActionSetActionsUpdatedCodingKeys: String, CodingKey { case _0 = "actionSet", _1 = "actions" }
    enum ServiceGroupAddedCodingKeys: String, CodingKey { case _0 = "serviceGroup" }
    typealias ServiceGroupRemovedCodingKeys = ServiceGroupAddedCodingKeys
    enum ServiceGroupNameUpdatedCodingKeys: String, CodingKey { case _0 = "serviceGroup", _1 = "name" }
    enum ServiceAddedToServiceGroupCodingKeys: String, CodingKey { case _0 = "service", _1 = "serviceGroup" }
    typealias ServiceRemovedFromServiceGroupCodingKeys = ServiceAddedToServiceGroupCodingKeys
    enum TriggerAddedCodingKeys: String, CodingKey { case _0 = "trigger" }
    typealias TriggerRemovedCodingKeys = TriggerAddedCodingKeys
    typealias TriggerUpdatedCodingKeys = TriggerAddedCodingKeys
    enum TriggerNameUpdatedCodingKeys: String, CodingKey { case _0 = "trigger", _1 = "name" }
    enum PersonAddedCodingKeys: String, CodingKey { case _0 = "person" }
    typealias PersonRemovedCodingKeys = PersonAddedCodingKeys
    enum PersonNameUpdatedCodingKeys: String, CodingKey { case _0 = "person", _1 = "name" }
    enum PresenceUpdatedCodingKeys: String, CodingKey { case _0 = "person", isHome }
    enum LocationUpdatedCodingKeys: String, CodingKey { case _0 = "location" }
    enum AccessoryNameUpdatedCodingKeys: String, CodingKey { case _0 = "accessory", _1 = "name" }
    enum ServicesUpdatedCodingKeys: String, CodingKey { case _0 = "accessory", _1 = "services" }
    enum FirmwareVersionUpdatedCodingKeys: String, CodingKey { case _0 = "accessory", _1 = "firmwareVersion" }
    enum ServiceNameUpdatedCodingKeys: String, CodingKey { case _0 = "service", _1 = "name" }
    enum AssociatedServiceTypeUpdatedCodingKeys: String, CodingKey { case _0 = "service", _1 = "associatedServiceType" }
    enum FavoriteUpdatedCodingKeys: String, CodingKey { case _0 = "service", _1 = "isFavorite" }
}

extension LiveEvent: HomeMessage {
    enum CodingKeys: String, TaggedUnionKey {
        static let tag = "event"

        case reachabilityUpdated, faultUpdated, valueUpdated, readFailed, actionSetExecutionUpdated, triggerFired
    }

    enum ReachabilityUpdatedCodingKeys: String, CodingKey { case _0 = "accessory", _1 = "isReachable" }
    enum FaultUpdatedCodingKeys: String, CodingKey { case _0 = "accessory", _1 = "fault" }
    enum ActionSetExecutionUpdatedCodingKeys: String, CodingKey { case _0 = "actionSet", isExecuting, last }
    enum TriggerFiredCodingKeys: String, CodingKey { case _0 = "record" }
    enum ValueUpdatedCodingKeys: String, CodingKey { case _0 = "characteristic", _1 = "value", time }
    enum ReadFailedCodingKeys: String, CodingKey { case _0 = "characteristic" }
}

extension HomeChange: HomeMessage {
    enum CodingKeys: String, OmittingKey {
        case event = "_0"
        case reachesInitiator
    }
}

extension HomeTransaction: HomeMessage {}
