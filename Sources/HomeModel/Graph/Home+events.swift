import HAPModel

extension Home {
    /// Applies an event; events about missing objects have no effect.
    mutating func apply(_ event: HomeEvent) {
        switch event {
        case .homeAdded, .homeRemoved, .primaryHomeUpdated: break
        case .nameUpdated(let name): self.name = name
        case .roomAdded(let room): rooms.append(room)
        case .roomRemoved(let id): rooms.removeAll { $0.id == id }
        case .roomNameUpdated(let id, let name):
            if let index = rooms.firstIndex(where: { $0.id == id }) { rooms[index].name = name }
        case .zoneAdded(let zone): zones.append(zone)
        case .zoneRemoved(let id): zones.removeAll { $0.id == id }
        case .zoneNameUpdated(let id, let name): update(id) { $0.name = name }
        case .roomAddedToZone(let room, let id): update(id) { $0.rooms.append(room) }
        case .roomRemovedFromZone(let room, let id): update(id) { $0.rooms.removeAll { $0 == room } }
        case .accessoryAdded(let accessory): add(accessory)
        case .accessoryRemoved(let id): remove(id)
        case .accessoryRoomUpdated(let id, let room): update(id) { $0.room = room }
        case .accessoryError(let id, let code): if code == .accessoryIsBlocked { update(id) { $0.isBlocked = true } }
        case .accessoryUnblocked(let id): update(id) { $0.isBlocked = false }
        case .actionSetAdded(let actionSet): actionSets.append(actionSet)
        case .actionSetRemoved(let id): actionSets.removeAll { $0.id == id }
        case .actionSetNameUpdated(let id, let name): update(id) { $0.name = name }
        case .actionSetActionsUpdated(let id, let actions): update(id) { $0.actions = actions }
        case .serviceGroupAdded(let group): serviceGroups.append(group)
        case .serviceGroupRemoved(let id): serviceGroups.removeAll { $0.id == id }
        case .serviceGroupNameUpdated(let id, let name): update(id) { $0.name = name }
        case .serviceAddedToServiceGroup(let service, let id): update(id) { $0.services.append(service) }
        case .serviceRemovedFromServiceGroup(let service, let id):
            update(id) { $0.services.removeAll { $0 == service } }
        case .triggerAdded(let trigger): triggers.append(trigger)
        case .triggerRemoved(let id): triggers.removeAll { $0.id == id }
        case .triggerNameUpdated(let id, let name): update(id) { $0.name = name }
        case .triggerUpdated(let trigger): update(trigger.id) { $0 = trigger }
        case .personAdded(let person): people.append(person)
        case .personRemoved(let id): people.removeAll { $0.id == id }
        case .personNameUpdated(let id, let name): update(id) { $0.name = name }
        case .presenceUpdated(let id, let isHome): update(id) { $0.isHome = isHome }
        case .locationUpdated(let location): self.location = location
        case .accessoryNameUpdated(let id, let name): update(id) { $0.name = name }
        case .accessoryReplaced(let accessory): replace(with: accessory)
        case .servicesUpdated(let id, let services): replaceServices(of: id, with: services)
        case .firmwareVersionUpdated(let id, let version): update(id) { $0.firmwareVersion = version }
        case .serviceNameUpdated(let id, let name): update(id) { $0.name = name }
        case .associatedServiceTypeUpdated(let id, let type): update(id) { $0.associatedServiceType = type }
        case .favoriteUpdated(let id, let isFavorite): update(id) { $0.isFavorite = isFavorite }
        }
    }

    private mutating func add(_ accessory: Accessory) {
        accessories.append(accessory)
        // An accessory that was added after its bridge isn't in the bridge's list yet.
        guard let bridge = accessory.bridge else { return }
        update(bridge) { bridge in
            if bridge.bridgedAccessories?.contains(accessory.id) == false {
                bridge.bridgedAccessories?.append(accessory.id)
            }
        }
    }

    private mutating func remove(_ id: Accessory.ID) {
        guard let accessory = accessory(id) else { return }
        accessories.removeAll { $0.id == id }
        if let bridge = accessory.bridge { update(bridge) { $0.bridgedAccessories?.removeAll { $0 == id } } }
        dropWhatIsGone()
    }

    private mutating func replace(with accessory: Accessory) {
        update(accessory.id) { present in
            var new = accessory
            new.isReachable = present.isReachable
            new.fault = present.fault
            new.bridgedAccessories = present.bridgedAccessories
            new.services = present.services
            present = new
        }
        replaceServices(of: accessory.id, with: accessory.services)
    }

    private mutating func replaceServices(of id: Accessory.ID, with services: [Service]) {
        update(id) { accessory in
            // An event doesn't include the observations of this app, so keep them.
            let enabled = Set(accessory.services.flatMap(\.characteristics).filter(\.isNotificationEnabled).map(\.id))
            accessory.services = services
            accessory.updateCharacteristics {
                $0.isNotificationEnabled = enabled.contains($0.id) && $0.metadata.permissions.contains(.notify)
            }
        }
        dropWhatIsGone()
    }

    /// Removes actions of missing characteristics from scenes and missing services from service groups.
    private mutating func dropWhatIsGone() {
        if actionSets.contains(where: { !$0.actions.isEmpty }) {
            let present = Set(accessories.flatMap { $0.services.flatMap { $0.characteristics.map(\.id) } })
            for index in actionSets.indices {
                actionSets[index].actions.removeAll { !present.contains($0.characteristic) }
            }
        }
        if serviceGroups.contains(where: { !$0.services.isEmpty }) {
            let present = Set(accessories.flatMap { $0.services.map(\.id) })
            for index in serviceGroups.indices { serviceGroups[index].services.removeAll { !present.contains($0) } }
        }
    }

    private mutating func update(_ id: Trigger.ID, _ change: (inout Trigger) -> Void) {
        if let index = triggers.firstIndex(where: { $0.id == id }) { change(&triggers[index]) }
    }

    private mutating func update(_ id: Resident.ID, _ change: (inout Resident) -> Void) {
        if let index = people.firstIndex(where: { $0.id == id }) { change(&people[index]) }
    }

    private mutating func update(_ id: ServiceGroup.ID, _ change: (inout ServiceGroup) -> Void) {
        if let index = serviceGroups.firstIndex(where: { $0.id == id }) { change(&serviceGroups[index]) }
    }

    private mutating func update(_ id: Zone.ID, _ change: (inout Zone) -> Void) {
        if let index = zones.firstIndex(where: { $0.id == id }) { change(&zones[index]) }
    }

    mutating func update(_ id: ActionSet.ID, _ change: (inout ActionSet) -> Void) {
        if let index = actionSets.firstIndex(where: { $0.id == id }) { change(&actionSets[index]) }
    }

    private mutating func update(_ id: Service.ID, _ change: (inout Service) -> Void) {
        for index in accessories.indices {
            guard let service = accessories[index].services.firstIndex(where: { $0.id == id }) else { continue }
            change(&accessories[index].services[service])
            return
        }
    }

    mutating func update(_ id: Accessory.ID, _ change: (inout Accessory) -> Void) {
        if let index = accessories.firstIndex(where: { $0.id == id }) { change(&accessories[index]) }
    }

    mutating func update(
        _ id: Characteristic.ID, of accessory: Accessory.ID, _ change: (inout Characteristic) -> Void
    ) {
        update(accessory) { $0.updateCharacteristics { if $0.id == id { change(&$0) } } }
    }
}

extension Accessory {
    mutating func updateCharacteristics(_ change: (inout Characteristic) -> Void) {
        for service in services.indices {
            for index in services[service].characteristics.indices {
                change(&services[service].characteristics[index])
            }
        }
    }
}
