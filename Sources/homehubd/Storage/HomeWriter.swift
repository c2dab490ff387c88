internal import BoundedJSON
internal import GRDB
internal import HAPModel
internal import HomeModel

/// Writes the changes of one transaction to the tables.
struct HomeWriter {
    let db: Database
    let home: Home.ID
    /// The home's default room; `nil` if the home was removed.
    var defaultRoom: Room.ID?

    func write(_ event: HomeEvent) throws {
        switch event {
        case .homeAdded(let home): try insert(home)
        case .homeRemoved: try delete("home", home)
        case .primaryHomeUpdated(let primary):
            try db.execute(sql: "UPDATE home SET isPrimary = 0 WHERE isPrimary")
            if let primary { try set("home", primary, "isPrimary", true) }
        case .nameUpdated(let name): try set("home", home, "name", name)
        case .roomAdded(let room): try insert(room)
        case .roomRemoved(let id): try delete("room", id)
        case .roomNameUpdated(let id, let name): try set("room", id, "name", name)
        case .zoneAdded(let zone): try insert(zone)
        case .zoneRemoved(let id): try delete("zone", id)
        case .zoneNameUpdated(let id, let name): try set("zone", id, "name", name)
        case .roomAddedToZone(let room, let zone): try add(room, to: zone)
        case .roomRemovedFromZone(let room, let zone):
            try execute("DELETE FROM zoneRoom WHERE room = ? AND zone = ?", [room.description, zone.description])
        case .accessoryAdded(let accessory): try insert(accessory)
        case .accessoryRemoved(let id): try delete("accessory", id)
        case .accessoryRoomUpdated(let id, let room):
            try set("accessory", id, "room", room == defaultRoom ? nil : room.description)
        case .accessoryError(let id, let code):
            if code == .accessoryIsBlocked { try set("accessory", id, "isBlocked", true) }
        case .accessoryUnblocked(let id): try set("accessory", id, "isBlocked", false)
        case .actionSetAdded(let actionSet): try insert(actionSet)
        case .actionSetRemoved(let id): try delete("actionSet", id)
        case .actionSetNameUpdated(let id, let name): try set("actionSet", id, "name", name)
        case .actionSetActionsUpdated(let id, let actions): try replaceActions(of: id, with: actions)
        case .serviceGroupAdded(let group): try insert(group)
        case .serviceGroupRemoved(let id): try delete("serviceGroup", id)
        case .serviceGroupNameUpdated(let id, let name): try set("serviceGroup", id, "name", name)
        case .serviceAddedToServiceGroup(let service, let group): try add(service, to: group)
        case .serviceRemovedFromServiceGroup(let service, let group):
            try execute(
                "DELETE FROM serviceGroupService WHERE service = ? AND serviceGroup = ?",
                [service.description, group.description])
        case .triggerAdded(let trigger): try insert(trigger)
        case .triggerRemoved(let id): try delete("trigger", id)
        case .triggerNameUpdated(let id, let name): try set("trigger", id, "name", name)
        case .triggerUpdated(let trigger):
            try set("trigger", trigger.id, "isEnabled", trigger.isEnabled)
            try set("trigger", trigger.id, "definition", trigger.definition.json.text)
            try set("trigger", trigger.id, "missingParts", trigger.missingPartsJSON)
            try set("trigger", trigger.id, "creator", trigger.creator?.json.text)
            try set("trigger", trigger.id, "openers", trigger.openers.json.text)
        case .personAdded(let person): try insert(person)
        case .personRemoved(let id): try delete("person", id)
        case .personNameUpdated(let id, let name): try set("person", id, "name", name)
        case .presenceUpdated(let id, let isHome): try set("person", id, "isHome", isHome)
        case .locationUpdated(let location): try setLocation(location, of: home)
        case .accessoryNameUpdated(let id, let name): try set("accessory", id, "name", name)
        case .accessoryReplaced(let accessory): try replace(accessory)
        case .servicesUpdated(let id, let services): try replaceServices(of: id, with: services)
        case .firmwareVersionUpdated(let id, let version): try set("accessory", id, "firmwareVersion", version)
        case .serviceNameUpdated(let id, let name): try set("service", id, "name", name)
        case .associatedServiceTypeUpdated(let id, let type):
            try set("service", id, "associatedType", type?.description)
        case .favoriteUpdated(let id, let isFavorite): try set("service", id, "isFavorite", isFavorite)
        }
    }

    // MARK: Insertion

    private func insert(_ home: Home) throws {
        try execute(
            "INSERT INTO home (id, name, isPrimary, revision, defaultRoom) VALUES (?, ?, ?, ?, ?)",
            [
                home.id.description, home.name, home.isPrimary, Int64(clamping: home.revision),
                home.defaultRoomID.description,
            ])
        try home.rooms.forEach(insert)
        try home.zones.forEach(insert)
        try home.accessories.forEach(insert)
        try home.actionSets.forEach(insert)
        try home.serviceGroups.forEach(insert)
        try home.triggers.forEach(insert)
        try home.people.forEach(insert)
        try setLocation(home.location, of: home.id)
    }

    private func insert(_ room: Room) throws {
        try execute(
            "INSERT INTO room (id, home, name) VALUES (?, ?, ?)",
            [room.id.description, room.home.description, room.name])
    }

    private func insert(_ zone: Zone) throws {
        try execute(
            "INSERT INTO zone (id, home, name) VALUES (?, ?, ?)",
            [zone.id.description, zone.home.description, zone.name])
        for room in zone.rooms { try add(room, to: zone.id) }
    }

    private func add(_ room: Room.ID, to zone: Zone.ID) throws {
        try execute(
            "INSERT INTO zoneRoom (home, zone, room) VALUES (?, ?, ?)",
            [home.description, zone.description, room.description])
    }

    private func insert(_ accessory: Accessory) throws {
        try execute(
            """
            INSERT INTO accessory (id, home, name, configuredName, room, category, manufacturer, model, serialNumber,
                firmwareVersion, isBlocked, supportsIdentify, isBridge, bridge, deviceID, aid)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                accessory.id.description, accessory.home.description, accessory.name, accessory.configuredName,
                accessory.room == defaultRoom ? nil : accessory.room.description, Int64(accessory.category.rawValue),
                accessory.manufacturer, accessory.model, accessory.serialNumber, accessory.firmwareVersion,
                accessory.isBlocked, accessory.supportsIdentify, accessory.bridgedAccessories != nil,
                accessory.bridge?.description, accessory.deviceID.description,
                Int64(bitPattern: accessory.aid.rawValue),
            ])
        try replaceServices(of: accessory.id, with: accessory.services)
    }

    private func insert(_ actionSet: ActionSet) throws {
        try execute(
            "INSERT INTO actionSet (id, home, kind, name, lastExecutionTime) VALUES (?, ?, ?, ?, ?)",
            [
                actionSet.id.description, actionSet.home.description, actionSet.kind.rawValue, actionSet.name,
                actionSet.lastExecutionTime?.millisecondsSince1970,
            ])
        try replaceActions(of: actionSet.id, with: actionSet.actions)
    }

    private func insert(_ group: ServiceGroup) throws {
        try execute(
            "INSERT INTO serviceGroup (id, home, name) VALUES (?, ?, ?)",
            [group.id.description, group.home.description, group.name])
        for service in group.services { try add(service, to: group.id) }
    }

    private func add(_ service: Service.ID, to group: ServiceGroup.ID) throws {
        try execute(
            "INSERT INTO serviceGroupService (serviceGroup, service) VALUES (?, ?)",
            [group.description, service.description])
    }

    private func insert(_ trigger: Trigger) throws {
        try execute(
            """
            INSERT INTO trigger (id, home, name, isEnabled, definition, missingParts, creator, openers)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                trigger.id.description, trigger.home.description, trigger.name, trigger.isEnabled,
                trigger.definition.json.text, trigger.missingPartsJSON, trigger.creator?.json.text,
                trigger.openers.json.text,
            ])
    }

    private func insert(_ person: Resident) throws {
        try execute(
            "INSERT INTO person (id, home, name, isHome) VALUES (?, ?, ?, ?)",
            [person.id.description, person.home.description, person.name, person.isHome])
    }

    // MARK: Replacement

    private func setLocation(_ location: HomeLocation?, of home: Home.ID) throws {
        try execute(
            "UPDATE home SET latitude = ?, longitude = ?, timeZone = ? WHERE id = ?",
            [location?.latitude, location?.longitude, location?.timeZone, home.description])
    }

    private func replaceActions(of id: ActionSet.ID, with actions: [CharacteristicWriteAction]) throws {
        try execute("DELETE FROM action WHERE actionSet = ?", [id.description])
        for (position, action) in actions.enumerated() {
            try execute(
                "INSERT INTO action (actionSet, position, characteristic, value) VALUES (?, ?, ?, ?)",
                [id.description, position, action.characteristic.description, action.targetValue.json.text])
        }
    }

    private func replace(_ accessory: Accessory) throws {
        let place: StatementArguments = [
            accessory.deviceID.description, Int64(bitPattern: accessory.aid.rawValue), accessory.id.description,
        ]
        // Another accessory may still have these IDs until its own event in the same transaction is written.
        try execute(
            "UPDATE accessory SET deviceID = deviceID || ' ' || id WHERE deviceID = ? AND aid = ? AND id <> ?", place)
        try execute("UPDATE accessory SET deviceID = ?, aid = ? WHERE id = ?", place)
        try execute(
            """
            UPDATE accessory SET category = ?, manufacturer = ?, model = ?, serialNumber = ?, firmwareVersion = ?,
                isBlocked = ? WHERE id = ?
            """,
            [
                Int64(accessory.category.rawValue), accessory.manufacturer, accessory.model, accessory.serialNumber,
                accessory.firmwareVersion, accessory.isBlocked, accessory.id.description,
            ])
        try replaceServices(of: accessory.id, with: accessory.services)
    }

    /// Replaces an accessory's services.
    ///
    /// Services that the accessory still has are updated in place, because scenes refer to them.
    private func replaceServices(of accessory: Accessory.ID, with services: [Service]) throws {
        let kept = JSONValue.array(services.map { .string($0.id.description) }).text
        try execute(
            "DELETE FROM service WHERE accessory = ? AND id NOT IN (SELECT value FROM json_each(?))",
            [accessory.description, kept])
        for (position, service) in services.enumerated() { try put(service, at: position) }
        for service in services {
            try execute("DELETE FROM serviceLink WHERE service = ?", [service.id.description])
            for (position, linked) in service.linkedServices.enumerated() {
                try execute(
                    "INSERT INTO serviceLink (service, position, linked) VALUES (?, ?, ?)",
                    [service.id.description, position, linked.description])
            }
        }
    }

    private func put(_ service: Service, at position: Int) throws {
        try execute(
            """
            INSERT INTO service (id, accessory, position, iid, type, name, isPrimary, isHidden, isFavorite,
                associatedType)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (id) DO UPDATE SET position = excluded.position, iid = excluded.iid, type = excluded.type,
                name = excluded.name, isPrimary = excluded.isPrimary, isHidden = excluded.isHidden,
                isFavorite = excluded.isFavorite, associatedType = excluded.associatedType
            """,
            [
                service.id.description, service.accessory.description, position,
                Int64(bitPattern: service.iid.rawValue), service.type.description, service.name, service.isPrimary,
                service.isHidden, service.isFavorite, service.associatedServiceType?.description,
            ])
        let kept = JSONValue.array(service.characteristics.map { .string($0.id.description) }).text
        try execute(
            "DELETE FROM characteristic WHERE service = ? AND id NOT IN (SELECT value FROM json_each(?))",
            [service.id.description, kept])
        for (position, characteristic) in service.characteristics.enumerated() {
            try put(characteristic, at: position)
        }
    }

    private func put(_ characteristic: Characteristic, at position: Int) throws {
        try execute(
            """
            INSERT INTO characteristic (id, service, position, iid, type, metadata, description, value, valueTime)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (id) DO UPDATE SET position = excluded.position, iid = excluded.iid, type = excluded.type,
                metadata = excluded.metadata, description = excluded.description, value = excluded.value,
                valueTime = excluded.valueTime
            """,
            [
                characteristic.id.description, characteristic.service.description, position,
                Int64(bitPattern: characteristic.iid.rawValue), characteristic.type.description,
                characteristic.metadata.json.text, characteristic.manufacturerDescription,
                characteristic.value?.json.text, characteristic.valueTime?.millisecondsSince1970,
            ])
    }

    // MARK: SQL

    private func set<Entity>(
        _ table: String, _ id: Identifier<Entity>, _ column: String, _ value: (any DatabaseValueConvertible)?
    ) throws {
        try execute("UPDATE \(table) SET \(column) = ? WHERE id = ?", [value, id.description])
    }

    private func delete<Entity>(_ table: String, _ id: Identifier<Entity>) throws {
        try execute("DELETE FROM \(table) WHERE id = ?", [id.description])
    }

    private func execute(_ sql: String, _ arguments: StatementArguments) throws {
        try db.cachedStatement(sql: sql).execute(arguments: arguments)
    }
}

extension Trigger {
    fileprivate var missingPartsJSON: String { JSONValue.array(missingParts.map { .string($0) }).text }
}
