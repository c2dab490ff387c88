extension HomeEvent {
    /// Returns the change for the activity of a home; `nil` for an event that isn't part of the activity.
    ///
    /// - Parameters:
    ///   - before: The home before the event; `nil` if it was added.
    ///   - after: The home after the event; `nil` if it was removed.
    /// - Returns: The change.
    package func activityChange(from before: Home?, to after: Home?) -> ActivityChange? {
        switch self {
        case .homeAdded(let home): .added(object: .home, name: home.name, accessory: nil)
        case .nameUpdated(let name): .renamed(object: .home, old: before?.name ?? "", name: name, accessory: nil)
        case .locationUpdated: .changed(object: .home, name: after?.name ?? "", accessory: nil)
        case .roomAdded(let room): .added(object: .room, name: room.name, accessory: nil)
        case .roomRemoved(let id): .removed(object: .room, name: before?.room(id)?.name ?? "")
        case .roomNameUpdated(let id, let name):
            .renamed(object: .room, old: before?.room(id)?.name ?? "", name: name, accessory: nil)
        case .zoneAdded(let zone): .added(object: .zone, name: zone.name, accessory: nil)
        case .zoneRemoved(let id): .removed(object: .zone, name: before?.zone(id)?.name ?? "")
        case .zoneNameUpdated(let id, let name):
            .renamed(object: .zone, old: before?.zone(id)?.name ?? "", name: name, accessory: nil)
        case .roomAddedToZone(_, let id), .roomRemovedFromZone(_, let id):
            .changed(object: .zone, name: after?.zone(id)?.name ?? "", accessory: nil)
        case .accessoryAdded(let accessory):
            .added(object: .accessory, name: accessory.name, accessory: accessory.id)
        case .accessoryRemoved(let id): .removed(object: .accessory, name: before?.accessory(id)?.name ?? "")
        case .accessoryRoomUpdated(let id, let room):
            .moved(accessory: id, room: after?.room(room)?.name ?? "")
        case .accessoryError(let id, let code): .fault(accessory: id, code: code)
        case .accessoryUnblocked(let id): .unblocked(accessory: id)
        case .accessoryNameUpdated(let id, let name):
            .renamed(object: .accessory, old: before?.accessory(id)?.name ?? "", name: name, accessory: id)
        case .accessoryReplaced(let accessory):
            .changed(object: .accessory, name: accessory.name, accessory: accessory.id)
        case .firmwareVersionUpdated(let id, let version): .firmware(accessory: id, version: version)
        case .serviceNameUpdated(let id, let name):
            .renamed(
                object: .service, old: before?.service(id)?.name ?? "", name: name,
                accessory: after?.service(id)?.accessory)
        case .actionSetAdded(let scene): .added(object: .actionSet, name: scene.name, accessory: nil)
        case .actionSetRemoved(let id): .removed(object: .actionSet, name: before?.actionSet(id)?.name ?? "")
        case .actionSetNameUpdated(let id, let name):
            .renamed(object: .actionSet, old: before?.actionSet(id)?.name ?? "", name: name, accessory: nil)
        case .actionSetActionsUpdated(let id, _):
            .changed(object: .actionSet, name: after?.actionSet(id)?.name ?? "", accessory: nil)
        case .serviceGroupAdded(let group): .added(object: .serviceGroup, name: group.name, accessory: nil)
        case .serviceGroupRemoved(let id):
            .removed(object: .serviceGroup, name: before?.serviceGroup(id)?.name ?? "")
        case .serviceGroupNameUpdated(let id, let name):
            .renamed(object: .serviceGroup, old: before?.serviceGroup(id)?.name ?? "", name: name, accessory: nil)
        case .serviceAddedToServiceGroup(_, let id), .serviceRemovedFromServiceGroup(_, let id):
            .changed(object: .serviceGroup, name: after?.serviceGroup(id)?.name ?? "", accessory: nil)
        case .triggerAdded(let trigger): .added(object: .trigger, name: trigger.name, accessory: nil)
        case .triggerRemoved(let id): .removed(object: .trigger, name: before?.trigger(id)?.name ?? "")
        case .triggerNameUpdated(let id, let name):
            .renamed(object: .trigger, old: before?.trigger(id)?.name ?? "", name: name, accessory: nil)
        case .triggerUpdated(let trigger): .changed(object: .trigger, name: trigger.name, accessory: nil)
        case .personAdded(let person): .added(object: .person, name: person.name, accessory: nil)
        case .personRemoved(let id): .removed(object: .person, name: before?.person(id)?.name ?? "")
        case .personNameUpdated(let id, let name):
            .renamed(object: .person, old: before?.person(id)?.name ?? "", name: name, accessory: nil)
        case .presenceUpdated(let id, let isHome): .presence(name: after?.person(id)?.name ?? "", isHome: isHome)
        case .homeRemoved, .primaryHomeUpdated, .servicesUpdated, .associatedServiceTypeUpdated, .favoriteUpdated: nil
        }
    }
}
