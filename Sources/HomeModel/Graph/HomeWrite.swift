package import HAPModel

/// An app's request to change the home database.
///
/// Adding an accessory is a separate request because it requires pairing with the device.
package enum HomeWrite: Codable, Sendable, Hashable {
    case addHome(name: String)
    case renameHome(Home.ID, name: String)
    case removeHome(Home.ID)
    case setPrimaryHome(Home.ID)
    case addRoom(Home.ID, name: String)
    case renameRoom(Room.ID, name: String)
    case removeRoom(Home.ID, Room.ID)
    case addZone(Home.ID, name: String)
    case renameZone(Zone.ID, name: String)
    case removeZone(Home.ID, Zone.ID)
    case addRoomToZone(Zone.ID, Room.ID)
    case removeRoomFromZone(Zone.ID, Room.ID)
    case assignAccessory(Home.ID, Accessory.ID, Room.ID)
    case renameAccessory(Accessory.ID, name: String)
    case removeAccessory(Home.ID, Accessory.ID)
    case unblockAccessory(Home.ID, Accessory.ID)
    case renameService(Service.ID, name: String)
    case setAssociatedServiceType(Service.ID, ServiceType?)
    case setFavorite(Service.ID, Bool)
    case addActionSet(Home.ID, name: String, kind: ActionSet.Kind)
    case renameActionSet(ActionSet.ID, name: String)
    case removeActionSet(ActionSet.ID)
    case setActions(ActionSet.ID, [CharacteristicWriteAction])
    case addServiceGroup(Home.ID, name: String)
    case renameServiceGroup(ServiceGroup.ID, name: String)
    case removeServiceGroup(ServiceGroup.ID)
    case addServiceToServiceGroup(ServiceGroup.ID, Service.ID)
    case removeServiceFromServiceGroup(ServiceGroup.ID, Service.ID)
    case addTrigger(Home.ID, name: String, TriggerDefinition, isEnabled: Bool)
    case renameTrigger(Trigger.ID, name: String)
    case updateTrigger(Trigger.ID, TriggerDefinition)
    case enableTrigger(Trigger.ID, Bool)
    case removeTrigger(Trigger.ID)
    case addPerson(Home.ID, name: String)
    case renamePerson(Resident.ID, name: String)
    case removePerson(Resident.ID)
    case setPresence(Resident.ID, isHome: Bool)
    case setLocation(Home.ID, HomeLocation?)
}

/// The result of a write.
package struct HomeCommit: Codable, Sendable, Hashable {
    /// The objects that were created, moved or removed.
    package enum Result: Codable, Sendable, Hashable {
        case nothing
        case home(Home.ID)
        case room(Room.ID)
        case zone(Zone.ID)
        case actionSet(ActionSet.ID)
        case serviceGroup(ServiceGroup.ID)
        case trigger(Trigger.ID)
        case person(Resident.ID)
        /// The accessories that were added, removed, or moved because their room was removed; a bridge comes first.
        case accessories([Accessory.ID])
    }

    package var result: Result
    /// The changes; `nil` if there was nothing to change.
    package var transaction: HomeTransaction?
    /// The removed accessories whose pairing couldn't be removed yet.
    ///
    /// The hub removes these pairings when the accessories reappear.
    package var stale: [Accessory.ID]

    package init(result: Result = .nothing, transaction: HomeTransaction?, stale: [Accessory.ID] = []) {
        self.result = result
        self.transaction = transaction
        self.stale = stale
    }
}
