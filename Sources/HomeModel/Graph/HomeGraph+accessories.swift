import HAPModel

extension HomeGraph {
    func assign(_ id: Accessory.ID, to room: Room.ID, in home: Home) throws(HomeError) -> Plan {
        guard let accessory = home.accessory(id) else {
            throw HomeError(self.home(of: id) == nil ? .objectNotAssociatedToAnyHome : .objectAssociatedToAnotherHome)
        }
        guard home.room(room) != nil else {
            guard self.home(of: room) == nil else {
                throw HomeError(.objectAssociatedToAnotherHome, detail: "the room is in another home")
            }
            throw HomeError(.notFound, detail: "there is no such room")
        }
        guard accessory.room != room else {
            throw HomeError(.alreadyExists, detail: "the accessory is already in that room")
        }
        return Plan(home.id, [.accessoryRoomUpdated(id, room)])
    }

    func renameAccessory(_ id: Accessory.ID, _ newName: String) throws(HomeError) -> Plan {
        guard let home = home(of: id), let accessory = home.accessory(id) else { throw Self.noSuchAccessory }
        let context = home.nameContext(of: accessory)
        let name = try home.namespace.checked(newName, current: accessory.name, context: context)
        var events = [HomeEvent.accessoryNameUpdated(id, name)]
        // A main service without its own name uses the accessory's.
        if let main = accessory.primaryService, accessory.shownName(of: main) == accessory.name, main.name != name,
            !accessory.parts.contains(where: { $0.id != main.id && NameKey($0.name) == NameKey(name) })
        {
            events.append(.serviceNameUpdated(main.id, name))
        }
        return Plan(home.id, events)
    }

    func removeAccessory(_ id: Accessory.ID, from home: Home) throws(HomeError) -> Plan {
        guard let accessory = home.accessory(id) else { throw HomeError(.objectNotAssociatedToAnyHome) }
        guard !accessory.isBridged else { throw HomeError(.cannotRemoveNonBridgeAccessory) }
        let bridged = accessory.bridgedAccessories ?? []
        var plan = Plan(home.id, .accessories([id] + bridged), [])
        plan.changes = bridged.map { HomeChange(.accessoryRemoved($0), reachesInitiator: true) }
        plan.changes.append(HomeChange(.accessoryRemoved(id)))
        return plan
    }

    func unblock(_ id: Accessory.ID, in home: Home) throws(HomeError) -> Plan {
        guard let accessory = home.accessory(id) else { throw HomeError(.objectNotAssociatedToAnyHome) }
        guard !accessory.isBridged else { throw HomeError(.cannotUnblockNonBridgeAccessory) }
        return Plan(home.id, accessory.isBlocked ? [.accessoryUnblocked(id)] : [])
    }

    private static let noSuchAccessory = HomeError(.notFound, detail: "there is no such accessory")

    // MARK: Services

    private func existing(_ id: Service.ID) throws(HomeError) -> (Accessory, Service) {
        guard let accessory = accessory(of: id), let service = accessory.service(id) else {
            throw HomeError(.notFound, detail: "there is no such service")
        }
        return (accessory, service)
    }

    func renameService(_ id: Service.ID, _ newName: String) throws(HomeError) -> Plan {
        let (accessory, service) = try existing(id)
        let context = try existing(accessory.home).nameContext(of: service, in: accessory)
        let name = try accessory.namespace.checked(newName, current: service.name, context: context)
        return Plan(accessory.home, [.serviceNameUpdated(id, name)])
    }

    func setAssociatedServiceType(_ type: ServiceType?, of id: Service.ID) throws(HomeError) -> Plan {
        let (accessory, service) = try existing(id)
        let associable = service.type.associableTypes
        guard !associable.isEmpty, type.map(associable.contains) ?? true else {
            throw HomeError(.invalidAssociatedServiceType)
        }
        let isNew = service.associatedServiceType != type
        return Plan(accessory.home, isNew ? [.associatedServiceTypeUpdated(id, type)] : [])
    }

    func setFavorite(_ isFavorite: Bool, _ id: Service.ID) throws(HomeError) -> Plan {
        let (accessory, service) = try existing(id)
        return Plan(accessory.home, service.isFavorite == isFavorite ? [] : [.favoriteUpdated(id, isFavorite)])
    }

    // MARK: Changes by devices

    /// Blocks a misbehaving accessory until it's unblocked; returns `nil` if it's already blocked or doesn't exist.
    package mutating func block(_ id: Accessory.ID) -> HomeTransaction? {
        guard let accessory = accessory(id), !accessory.isBlocked else { return nil }
        var plan = Plan(accessory.home, [])
        plan.changes = [HomeChange(.accessoryError(id, .accessoryIsBlocked), reachesInitiator: true)]
        return commit(plan)
    }
}
