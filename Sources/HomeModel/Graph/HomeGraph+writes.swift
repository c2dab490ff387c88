extension HomeGraph {
    /// Performs an app's write atomically.
    ///
    /// Preconditions are checked in this order: the object exists in the given home, it can be changed, and the new
    /// name is valid, differs from the current one, and is unused.
    ///
    /// - Parameters:
    ///   - write: The write.
    ///   - now: The current time, to which the times of automations are compared.
    ///   - generator: The source of new IDs.
    /// - Returns: The result and the changes.
    /// - Throws: The error of the first violated precondition. Nothing changes in that case.
    package mutating func perform(
        _ write: HomeWrite, at now: Timestamp = .now, using generator: inout some RandomNumberGenerator
    ) throws(HomeError) -> HomeCommit {
        let plan = try plan(write, at: now, using: &generator)
        return HomeCommit(result: plan.result, transaction: commit(plan))
    }

    /// Applies a plan as a transaction, which also disables automations that lose parts because of the plan.
    mutating func commit(_ plan: Plan) -> HomeTransaction? {
        guard !plan.changes.isEmpty else { return nil }
        let revision = (home(plan.home)?.revision ?? 0) + 1
        let broken = home(plan.home)?.brokenTriggers(by: plan.changes.map(\.event)) ?? []
        let transaction = HomeTransaction(
            home: plan.home, revision: revision,
            changes: plan.changes + broken.map { HomeChange(.triggerUpdated($0), reachesInitiator: true) })
        let application = apply(transaction)
        precondition(application == .applied, "the next revision must follow the current one")
        return transaction
    }

    /// The planned result and changes of a write.
    ///
    /// Nothing has changed yet.
    struct Plan {
        var home: Home.ID
        var result = HomeCommit.Result.nothing
        var changes: [HomeChange]

        init(_ home: Home.ID, _ result: HomeCommit.Result, _ events: [HomeEvent]) {
            self.home = home
            self.result = result
            changes = events.map { HomeChange($0) }
        }

        init(_ home: Home.ID, _ events: [HomeEvent]) { self.init(home, .nothing, events) }
    }

    private func plan(
        _ write: HomeWrite, at now: Timestamp, using generator: inout some RandomNumberGenerator
    ) throws(HomeError) -> Plan {
        switch write {
        case .addHome(let name): try addHome(name, using: &generator)
        case .renameHome(let id, let name): try renameHome(id, name)
        case .removeHome(let id): removeHome(try existing(id))
        case .setPrimaryHome(let id): try setPrimaryHome(id)
        case .addRoom(let id, let name): try addRoom(name, to: try existing(id), using: &generator)
        case .renameRoom(let id, let name): try renameRoom(id, name)
        case .removeRoom(let home, let id): try removeRoom(id, from: try existing(home))
        case .addZone(let id, let name): try addZone(name, to: try existing(id), using: &generator)
        case .renameZone(let id, let name): try renameZone(id, name)
        case .removeZone(let home, let id): try removeZone(id, from: try existing(home))
        case .addRoomToZone(let zone, let room): try addRoom(room, toZone: zone)
        case .removeRoomFromZone(let zone, let room): try removeRoom(room, fromZone: zone)
        case .assignAccessory(let home, let id, let room): try assign(id, to: room, in: try existing(home))
        case .renameAccessory(let id, let name): try renameAccessory(id, name)
        case .removeAccessory(let home, let id): try removeAccessory(id, from: try existing(home))
        case .unblockAccessory(let home, let id): try unblock(id, in: try existing(home))
        case .renameService(let id, let name): try renameService(id, name)
        case .setAssociatedServiceType(let id, let type): try setAssociatedServiceType(type, of: id)
        case .setFavorite(let id, let isFavorite): try setFavorite(isFavorite, id)
        case .addActionSet(let id, let name, let kind):
            try addActionSet(name, kind, to: try existing(id), using: &generator)
        case .renameActionSet(let id, let name): try renameActionSet(id, name)
        case .removeActionSet(let id): try removeActionSet(id)
        case .setActions(let id, let actions): try setActions(actions, of: id)
        case .addServiceGroup(let id, let name): try addServiceGroup(name, to: try existing(id), using: &generator)
        case .renameServiceGroup(let id, let name): try renameServiceGroup(id, name)
        case .removeServiceGroup(let id): Plan(try existing(id).0.id, [.serviceGroupRemoved(id)])
        case .addServiceToServiceGroup(let group, let service): try addService(service, toGroup: group)
        case .removeServiceFromServiceGroup(let group, let service): try removeService(service, fromGroup: group)
        case .addTrigger(let id, let name, let definition, let isEnabled):
            try addTrigger(name, definition, isEnabled: isEnabled, to: try existing(id), at: now, using: &generator)
        case .renameTrigger(let id, let name): try renameTrigger(id, name)
        case .updateTrigger(let id, let definition): try updateTrigger(id, definition, at: now)
        case .enableTrigger(let id, let isEnabled): try enableTrigger(id, isEnabled, at: now)
        case .removeTrigger(let id): Plan(try existing(id).0.id, [.triggerRemoved(id)])
        case .addPerson(let id, let name): try addPerson(name, to: try existing(id), using: &generator)
        case .renamePerson(let id, let name): try renamePerson(id, name)
        case .removePerson(let id): Plan(try existing(id).0.id, [.personRemoved(id)])
        case .setPresence(let id, let isHome): try setPresence(id, isHome: isHome)
        case .setLocation(let id, let location): try setLocation(location, of: try existing(id))
        }
    }

    func existing(_ id: Home.ID) throws(HomeError) -> Home {
        guard let home = home(id) else { throw HomeError(.notFound, detail: "there is no such home") }
        return home
    }

    func limit(_ count: Int, below limit: Int, _ what: String) throws(HomeError) {
        guard count < limit else {
            throw HomeError(
                .maximumObjectLimitReached, detail: "there are already \(limit) \(what); remove one first")
        }
    }

    // MARK: Homes

    private func addHome(_ name: String, using generator: inout some RandomNumberGenerator) throws(HomeError) -> Plan {
        let name = try namespace.checked(name, context: NameContext(noun: "Home", taken: []))
        try limit(homes.count, below: HomeLimits.homes, "homes")
        let home = Home(id: Home.ID(using: &generator), name: name, defaultRoomID: Room.ID(using: &generator))
        var events = [HomeEvent.homeAdded(home)]
        if homes.isEmpty { events.append(.primaryHomeUpdated(home.id)) }
        return Plan(home.id, .home(home.id), events)
    }

    private func renameHome(_ id: Home.ID, _ newName: String) throws(HomeError) -> Plan {
        let home = try existing(id)
        let context = NameContext(noun: "Home", taken: [])
        let name = try namespace.checked(newName, current: home.name, context: context)
        // The default room has the home's name, so no other object in the home may have it.
        return Plan(id, [.nameUpdated(try home.namespace.checked(name, current: home.name, context: context))])
    }

    private func removeHome(_ home: Home) -> Plan {
        var events = [HomeEvent.homeRemoved]
        if home.isPrimary { events.append(.primaryHomeUpdated(homes.first { $0.id != home.id }?.id)) }
        return Plan(home.id, events)
    }

    private func setPrimaryHome(_ id: Home.ID) throws(HomeError) -> Plan {
        guard try !existing(id).isPrimary else {
            throw HomeError(.alreadyExists, detail: "it is already the primary home")
        }
        return Plan(id, [.primaryHomeUpdated(id)])
    }

    // MARK: Rooms

    private func addRoom(
        _ name: String, to home: Home, using generator: inout some RandomNumberGenerator
    ) throws(HomeError) -> Plan {
        let name = try home.namespace.checked(name, context: NameContext(noun: "Room", taken: []))
        try limit(home.rooms.count, below: HomeLimits.roomsInHome, "rooms")
        let room = Room(id: Room.ID(using: &generator), home: home.id, name: name)
        return Plan(home.id, .room(room.id), [.roomAdded(room)])
    }

    private func renameRoom(_ id: Room.ID, _ name: String) throws(HomeError) -> Plan {
        guard let home = home(of: id), let room = home.room(id) else { throw Self.noSuchRoom }
        guard id != home.defaultRoomID else { throw HomeError(.roomForHomeCannotBeUpdated) }
        let context = NameContext(noun: "Room", taken: [])
        return Plan(
            home.id, [.roomNameUpdated(id, try home.namespace.checked(name, current: room.name, context: context))])
    }

    private func removeRoom(_ id: Room.ID, from home: Home) throws(HomeError) -> Plan {
        _ = try room(id, in: home)
        guard id != home.defaultRoomID else { throw HomeError(.roomForHomeCannotBeUpdated) }
        let moved = home.accessories(in: id).map(\.id)
        var events = moved.map { HomeEvent.accessoryRoomUpdated($0, home.defaultRoomID) }
        events += home.zones.filter { $0.rooms.contains(id) }.map { .roomRemovedFromZone(id, $0.id) }
        events.append(.roomRemoved(id))
        return Plan(home.id, .accessories(moved), events)
    }

    private static let noSuchRoom = HomeError(.notFound, detail: "there is no such room")

    /// Returns a room of a home, including the default room.
    private func room(_ id: Room.ID, in home: Home) throws(HomeError) -> Room {
        if let room = home.room(id) { return room }
        guard self.home(of: id) == nil else {
            throw HomeError(.objectAssociatedToAnotherHome, detail: "the room is in another home")
        }
        throw Self.noSuchRoom
    }

    // MARK: Zones

    private func addZone(
        _ name: String, to home: Home, using generator: inout some RandomNumberGenerator
    ) throws(HomeError) -> Plan {
        let name = try home.namespace.checked(name, context: NameContext(noun: "Zone", taken: []))
        try limit(home.zones.count, below: HomeLimits.zonesInHome, "zones")
        let zone = Zone(id: Zone.ID(using: &generator), home: home.id, name: name)
        return Plan(home.id, .zone(zone.id), [.zoneAdded(zone)])
    }

    private func existing(_ id: Zone.ID) throws(HomeError) -> (Home, Zone) {
        guard let home = home(of: id), let zone = home.zone(id) else {
            throw HomeError(.notFound, detail: "there is no such zone")
        }
        return (home, zone)
    }

    private func renameZone(_ id: Zone.ID, _ name: String) throws(HomeError) -> Plan {
        let (home, zone) = try existing(id)
        let context = NameContext(noun: "Zone", taken: [])
        return Plan(
            home.id, [.zoneNameUpdated(id, try home.namespace.checked(name, current: zone.name, context: context))])
    }

    private func removeZone(_ id: Zone.ID, from home: Home) throws(HomeError) -> Plan {
        guard try existing(id).0.id == home.id else {
            throw HomeError(.objectAssociatedToAnotherHome, detail: "the zone is in another home")
        }
        return Plan(home.id, [.zoneRemoved(id)])
    }

    private func addRoom(_ id: Room.ID, toZone zoneID: Zone.ID) throws(HomeError) -> Plan {
        let (home, zone) = try existing(zoneID)
        _ = try room(id, in: home)
        guard id != home.defaultRoomID else { throw HomeError(.roomForHomeCannotBeInZone) }
        guard !zone.rooms.contains(id) else {
            throw HomeError(.alreadyExists, detail: "the room is already part of the zone")
        }
        return Plan(home.id, [.roomAddedToZone(id, zoneID)])
    }

    private func removeRoom(_ id: Room.ID, fromZone zoneID: Zone.ID) throws(HomeError) -> Plan {
        let (home, zone) = try existing(zoneID)
        guard zone.rooms.contains(id) else {
            throw HomeError(.notFound, detail: "the room isn't part of the zone")
        }
        return Plan(home.id, [.roomRemovedFromZone(id, zoneID)])
    }

    // MARK: Scenes

    private func addActionSet(
        _ name: String, _ kind: ActionSet.Kind, to home: Home, using generator: inout some RandomNumberGenerator
    ) throws(HomeError) -> Plan {
        let name = try home.namespace.checked(name, context: NameContext(noun: "Scene", taken: []))
        guard kind == .userDefined || !home.actionSets.contains(where: { $0.kind == kind }) else {
            throw HomeError(.alreadyExists, detail: "the home already has a scene of that type")
        }
        try limit(home.actionSets.count, below: HomeLimits.actionSetsInHome, "scenes")
        let actionSet = ActionSet(id: ActionSet.ID(using: &generator), home: home.id, kind: kind, name: name)
        return Plan(home.id, .actionSet(actionSet.id), [.actionSetAdded(actionSet)])
    }

    private func existing(_ id: ActionSet.ID) throws(HomeError) -> (Home, ActionSet) {
        guard let home = home(of: id), let actionSet = home.actionSet(id) else {
            throw HomeError(.notFound, detail: "there is no such scene")
        }
        return (home, actionSet)
    }

    private func renameActionSet(_ id: ActionSet.ID, _ newName: String) throws(HomeError) -> Plan {
        let (home, actionSet) = try existing(id)
        let context = NameContext(noun: "Scene", taken: [])
        let name = try home.namespace.checked(newName, current: actionSet.name, context: context)
        return Plan(home.id, [.actionSetNameUpdated(id, name)])
    }

    private func removeActionSet(_ id: ActionSet.ID) throws(HomeError) -> Plan {
        let (home, actionSet) = try existing(id)
        guard actionSet.kind == .userDefined else { throw HomeError(.cannotRemoveBuiltinActionSet) }
        return Plan(home.id, [.actionSetRemoved(id)])
    }

    private func setActions(_ actions: [CharacteristicWriteAction], of id: ActionSet.ID) throws(HomeError) -> Plan {
        let (home, actionSet) = try existing(id)
        guard actions.count <= HomeLimits.actionsInActionSet else {
            throw HomeError(
                .maximumObjectLimitReached,
                detail:
                    "a scene can set at most \(HomeLimits.actionsInActionSet) values; add the others to another scene"
            )
        }
        var checked: [CharacteristicWriteAction] = []
        var seen: Set<Characteristic.ID> = []
        for action in actions {
            guard seen.insert(action.characteristic).inserted else {
                throw HomeError(.invalidParameter, detail: "the scene sets two values for the same characteristic")
            }
            guard let characteristic = home.characteristic(action.characteristic) else {
                guard accessory(of: action.characteristic) == nil else {
                    throw HomeError(.objectAssociatedToAnotherHome, detail: "the accessory is in another home")
                }
                throw HomeError(.notFound, detail: "there is no such characteristic")
            }
            let value = try characteristic.metadata.validatedWrite(action.targetValue)
            checked.append(CharacteristicWriteAction(characteristic: action.characteristic, targetValue: value))
        }
        return Plan(home.id, checked == actionSet.actions ? [] : [.actionSetActionsUpdated(id, checked)])
    }

    // MARK: Service groups

    private func addServiceGroup(
        _ name: String, to home: Home, using generator: inout some RandomNumberGenerator
    ) throws(HomeError) -> Plan {
        let name = try home.namespace.checked(name, context: NameContext(noun: "Group", taken: []))
        try limit(home.serviceGroups.count, below: HomeLimits.serviceGroupsInHome, "service groups")
        let group = ServiceGroup(id: ServiceGroup.ID(using: &generator), home: home.id, name: name)
        return Plan(home.id, .serviceGroup(group.id), [.serviceGroupAdded(group)])
    }

    private func existing(_ id: ServiceGroup.ID) throws(HomeError) -> (Home, ServiceGroup) {
        guard let home = home(of: id), let group = home.serviceGroup(id) else {
            throw HomeError(.notFound, detail: "there is no such service group")
        }
        return (home, group)
    }

    private func renameServiceGroup(_ id: ServiceGroup.ID, _ newName: String) throws(HomeError) -> Plan {
        let (home, group) = try existing(id)
        let context = NameContext(noun: "Group", taken: [])
        let name = try home.namespace.checked(newName, current: group.name, context: context)
        return Plan(home.id, [.serviceGroupNameUpdated(id, name)])
    }

    private func addService(_ id: Service.ID, toGroup groupID: ServiceGroup.ID) throws(HomeError) -> Plan {
        let (home, group) = try existing(groupID)
        guard home.service(id) != nil else {
            guard accessory(of: id) == nil else {
                throw HomeError(.objectAssociatedToAnotherHome, detail: "the service is in another home")
            }
            throw HomeError(.notFound, detail: "there is no such service")
        }
        guard !group.services.contains(id) else {
            throw HomeError(.alreadyExists, detail: "the service is already part of the group")
        }
        try limit(group.services.count, below: HomeLimits.servicesInServiceGroup, "services in the group")
        return Plan(home.id, [.serviceAddedToServiceGroup(id, groupID)])
    }

    private func removeService(_ id: Service.ID, fromGroup groupID: ServiceGroup.ID) throws(HomeError) -> Plan {
        let (home, group) = try existing(groupID)
        guard group.services.contains(id) else {
            throw HomeError(.notFound, detail: "the service isn't part of the group")
        }
        return Plan(home.id, [.serviceRemovedFromServiceGroup(id, groupID)])
    }
}
