extension HomeClientEvent {
    /// Creates the event for listeners from a database event, or returns `nil` if its object doesn't exist.
    init?(_ event: HomeEvent, in id: Home.ID, from before: HomeGraph, to after: HomeGraph) {
        switch event {
        case .homeAdded(let home): self = .manager(.homeAdded(after.home(id) ?? home))
        case .homeRemoved:
            guard let home = before.home(id) else { return nil }
            self = .manager(.homeRemoved(home))
        case .primaryHomeUpdated(let id): self = .manager(.primaryHomeUpdated(id.flatMap { after.home($0) }))
        default:
            guard let home = after.home(id) else { return nil }
            if let change = Home.Event.Change(event, from: before.home(id) ?? home, to: home) {
                self = .home(Home.Event(change, in: home))
            } else if let (accessory, change) = Accessory.Event.Change.of(event, in: home) {
                self = .accessory(Accessory.Event(change, to: accessory, revision: home.revision))
            } else {
                return nil
            }
        }
    }
}

extension Home.Event.Change {
    fileprivate init?(_ event: HomeEvent, from before: Home, to home: Home) {
        let change: Self? =
            switch event {
            case .nameUpdated: .nameUpdated
            case .roomAdded(let room): .roomAdded(home.room(room.id) ?? room)
            case .roomRemoved(let id): before.room(id).map(Self.roomRemoved)
            case .roomNameUpdated(let id, _): home.room(id).map(Self.roomNameUpdated)
            case .zoneAdded(let zone): .zoneAdded(home.zone(zone.id) ?? zone)
            case .zoneRemoved(let id): before.zone(id).map(Self.zoneRemoved)
            case .zoneNameUpdated(let id, _): home.zone(id).map(Self.zoneNameUpdated)
            case .roomAddedToZone(let room, let zone):
                Self.both(home.room(room), home.zone(zone)).map(Self.roomAddedToZone)
            case .roomRemovedFromZone(let room, let zone):
                // The same write may remove the room.
                Self.both(home.room(room) ?? before.room(room), home.zone(zone)).map(Self.roomRemovedFromZone)
            case .accessoryAdded(let accessory): .accessoryAdded(home.accessory(accessory.id) ?? accessory)
            case .accessoryRemoved(let id): before.accessory(id).map(Self.accessoryRemoved)
            case .accessoryRoomUpdated(let id, let room):
                Self.both(home.room(room), home.accessory(id)).map(Self.accessoryRoomUpdated)
            case .accessoryError(let id, let code):
                home.accessory(id).map { .accessoryError(HomeError(code, accessory: id), $0) }
            case .accessoryUnblocked(let id): home.accessory(id).map(Self.accessoryUnblocked)
            case .actionSetAdded(let actionSet): .actionSetAdded(home.actionSet(actionSet.id) ?? actionSet)
            case .actionSetRemoved(let id): before.actionSet(id).map(Self.actionSetRemoved)
            case .actionSetNameUpdated(let id, _): home.actionSet(id).map(Self.actionSetNameUpdated)
            case .actionSetActionsUpdated(let id, _): home.actionSet(id).map(Self.actionSetActionsUpdated)
            case .serviceGroupAdded(let group): .serviceGroupAdded(home.serviceGroup(group.id) ?? group)
            case .serviceGroupRemoved(let id): before.serviceGroup(id).map(Self.serviceGroupRemoved)
            case .serviceGroupNameUpdated(let id, _): home.serviceGroup(id).map(Self.serviceGroupNameUpdated)
            case .serviceAddedToServiceGroup(let service, let group):
                Self.both(home.service(service), home.serviceGroup(group)).map(Self.serviceAddedToServiceGroup)
            case .serviceRemovedFromServiceGroup(let service, let group):
                Self.both(home.service(service), home.serviceGroup(group)).map(Self.serviceRemovedFromServiceGroup)
            case .triggerAdded(let trigger): .triggerAdded(home.trigger(trigger.id) ?? trigger)
            case .triggerRemoved(let id): before.trigger(id).map(Self.triggerRemoved)
            case .triggerNameUpdated(let id, _): home.trigger(id).map(Self.triggerNameUpdated)
            case .triggerUpdated(let trigger): home.trigger(trigger.id).map(Self.triggerUpdated)
            case .personAdded(let person): .personAdded(home.person(person.id) ?? person)
            case .personRemoved(let id): before.person(id).map(Self.personRemoved)
            case .personNameUpdated(let id, _): home.person(id).map(Self.personNameUpdated)
            case .presenceUpdated(let id, _): home.person(id).map(Self.presenceUpdated)
            case .locationUpdated: .locationUpdated
            case .homeAdded, .homeRemoved, .primaryHomeUpdated, .accessoryNameUpdated, .accessoryReplaced,
                .servicesUpdated, .firmwareVersionUpdated, .serviceNameUpdated, .associatedServiceTypeUpdated,
                .favoriteUpdated:
                nil
            }
        guard let change else { return nil }
        self = change
    }

    private static func both<First, Second>(_ first: First?, _ second: Second?) -> (First, Second)? {
        guard let first, let second else { return nil }
        return (first, second)
    }
}

extension Accessory.Event.Change {
    fileprivate static func of(_ event: HomeEvent, in home: Home) -> (Accessory, Self)? {
        let part = { (id: Service.ID, change: (Service) -> Self) -> (Accessory, Self)? in
            for accessory in home.accessories {
                if let service = accessory.service(id) { return (accessory, change(service)) }
            }
            return nil
        }
        return switch event {
        case .accessoryNameUpdated(let id, _): home.accessory(id).map { ($0, .nameUpdated) }
        case .accessoryReplaced(let accessory): home.accessory(accessory.id).map { ($0, .servicesUpdated) }
        case .servicesUpdated(let id, _): home.accessory(id).map { ($0, .servicesUpdated) }
        case .firmwareVersionUpdated(let id, _): home.accessory(id).map { ($0, .firmwareVersionUpdated) }
        case .serviceNameUpdated(let id, _): part(id, Self.serviceNameUpdated)
        case .associatedServiceTypeUpdated(let id, _): part(id, Self.associatedServiceTypeUpdated)
        case .favoriteUpdated(let id, _): part(id, Self.favoriteUpdated)
        default: nil
        }
    }
}
