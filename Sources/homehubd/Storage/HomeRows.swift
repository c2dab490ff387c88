internal import BoundedJSON
internal import DaemonKit
internal import DatabaseKit
internal import GRDB
internal import HAPModel
internal import HomeModel

/// Reads the homes from the database.
///
/// Each table is read once. Any inconsistency is reported as damage.
struct HomeRows {
    private let db: Database

    init(_ db: Database) { self.db = db }

    /// Returns the homes, oldest first.
    ///
    /// In the returned homes, all accessories are unreachable and no characteristic is observed.
    func homes() throws -> [Home] {
        let rooms = Dictionary(grouping: try rooms(), by: \.home)
        let zones = Dictionary(grouping: try zones(), by: \.home)
        let actionSets = Dictionary(grouping: try actionSets(), by: \.home)
        let serviceGroups = Dictionary(grouping: try serviceGroups(), by: \.home)
        let accessories = Dictionary(grouping: try accessoryRows(), by: \.home)
        let triggers = Dictionary(grouping: try triggers(), by: \.home)
        let people = Dictionary(grouping: try people(), by: \.home)
        let services = try services()
        return try rows("home", by: "position").map { row in
            let id: Home.ID = try row.id("id")
            let defaultRoom: Room.ID = try row.id("defaultRoom")
            let rows = accessories[id] ?? []
            let bridged = Dictionary(grouping: rows.filter { $0.bridge != nil }) { $0.bridge }
            return Home(
                id: id, name: try row.text("name"), isPrimary: try row.flag("isPrimary"),
                revision: UInt64(try row.number("revision", in: 1...Int64.max)), defaultRoomID: defaultRoom,
                rooms: rooms[id] ?? [], zones: zones[id] ?? [],
                accessories: try rows.map { accessory in
                    try accessory.accessory(
                        defaultRoom: defaultRoom, bridged: bridged[accessory.id]?.map(\.id) ?? [],
                        services: services[accessory.id] ?? [])
                },
                actionSets: actionSets[id] ?? [], serviceGroups: serviceGroups[id] ?? [],
                triggers: triggers[id] ?? [], people: people[id] ?? [], location: try row.location())
        }
    }

    private func rooms() throws -> [Room] {
        try rows("room", by: "position").map { row in
            Room(id: try row.id("id"), home: try row.id("home"), name: try row.text("name"))
        }
    }

    private func zones() throws -> [Zone] {
        let rooms: [Zone.ID: [Room.ID]] = try lists("zoneRoom", by: "position") { row in
            (try row.id("zone"), try row.id("room"))
        }
        return try rows("zone", by: "position").map { row in
            let id: Zone.ID = try row.id("id")
            return Zone(id: id, home: try row.id("home"), name: try row.text("name"), rooms: rooms[id] ?? [])
        }
    }

    private func actionSets() throws -> [ActionSet] {
        let actions: [ActionSet.ID: [CharacteristicWriteAction]] = try lists("action", by: "position") { row in
            let value: CharacteristicValue = try row.message("value")
            return (
                try row.id("actionSet"),
                CharacteristicWriteAction(characteristic: try row.id("characteristic"), targetValue: value)
            )
        }
        return try rows("actionSet", by: "position").map { row in
            let id: ActionSet.ID = try row.id("id")
            return ActionSet(
                id: id, home: try row.id("home"),
                kind: try row.read("kind", ActionSet.Kind(rawValue: try row.text("kind"))),
                name: try row.text("name"), actions: actions[id] ?? [],
                lastExecutionTime: try row.timestamp("lastExecutionTime"))
        }
    }

    private func serviceGroups() throws -> [ServiceGroup] {
        let services: [ServiceGroup.ID: [Service.ID]] = try lists("serviceGroupService", by: "position") { row in
            (try row.id("serviceGroup"), try row.id("service"))
        }
        return try rows("serviceGroup", by: "position").map { row in
            let id: ServiceGroup.ID = try row.id("id")
            return ServiceGroup(
                id: id, home: try row.id("home"), name: try row.text("name"), services: services[id] ?? [])
        }
    }

    private func triggers() throws -> [Trigger] {
        try rows("trigger", by: "position").map { row in
            Trigger(
                id: try row.id("id"), home: try row.id("home"), name: try row.text("name"),
                isEnabled: try row.flag("isEnabled"), definition: try row.message("definition"),
                missingParts: try row.texts("missingParts"),
                creator: try row.isNull("creator") ? nil : try row.message("creator"),
                openers: try row.message("openers"))
        }
    }

    private func people() throws -> [Resident] {
        try rows("person", by: "position").map { row in
            Resident(
                id: try row.id("id"), home: try row.id("home"), name: try row.text("name"),
                isHome: try row.flag("isHome"))
        }
    }

    /// Returns the states of automations.
    func triggerStates() throws -> [TriggerState] {
        try rows("triggerState", by: "rowid").map { row in try row.message("state") }
    }

    /// Returns the records of an automation, newest first.
    func triggerRecords(of trigger: Trigger.ID) throws -> [TriggerRecord] {
        try records("SELECT record FROM triggerRecord WHERE trigger = ? ORDER BY position DESC", [trigger.description])
    }

    /// Returns the newest records of a home's automations, newest first.
    func triggerRecords(of home: Home.ID, limit: Int) throws -> [TriggerRecord] {
        // The unary plus makes SQLite read the table from its end, instead of sorting all records of the home.
        try records(
            """
            SELECT record FROM triggerRecord WHERE +trigger IN (SELECT id FROM trigger WHERE home = ?)
            ORDER BY position DESC LIMIT ?
            """, [home.description, limit])
    }

    /// Returns the newest record of each of a home's automations.
    func latestTriggerRecords(of home: Home.ID) throws -> [TriggerRecord] {
        try records(
            """
            SELECT record FROM trigger JOIN triggerRecord ON triggerRecord.position = (
                SELECT MAX(position) FROM triggerRecord WHERE triggerRecord.trigger = trigger.id)
            WHERE trigger.home = ?
            """, [home.description])
    }

    private func records(_ sql: String, _ arguments: StatementArguments) throws -> [TriggerRecord] {
        try Row.fetchAll(db, sql: sql, arguments: arguments).map { row in try row.message("record") }
    }

    // MARK: Accessories

    private struct AccessoryRow {
        let row: Row
        let id: Accessory.ID
        let home: Home.ID
        let bridge: Accessory.ID?

        func accessory(
            defaultRoom: Room.ID, bridged: [Accessory.ID], services: [Service]
        ) throws(DamagedDatabase) -> Accessory {
            let room: Room.ID? = try row.isNull("room") ? nil : try row.id("room")
            return Accessory(
                id: id, home: home, name: try row.text("name"), configuredName: try row.text("configuredName"),
                room: room ?? defaultRoom,
                category: AccessoryCategory(rawValue: UInt16(try row.number("category", in: 0...Int64(UInt16.max)))),
                manufacturer: try row.text("manufacturer"), model: try row.text("model"),
                serialNumber: try row.text("serialNumber"), firmwareVersion: try row.text("firmwareVersion"),
                isReachable: false, isBlocked: try row.flag("isBlocked"),
                supportsIdentify: try row.flag("supportsIdentify"), bridge: bridge,
                bridgedAccessories: try row.flag("isBridge") ? bridged : nil,
                deviceID: try row.read("deviceID", DeviceID(try row.text("deviceID"))),
                aid: AccessoryID(try row.unsigned("aid")), services: services)
        }
    }

    private func accessoryRows() throws -> [AccessoryRow] {
        try rows("accessory", by: "position").map { row in
            AccessoryRow(
                row: row, id: try row.id("id"), home: try row.id("home"),
                bridge: try row.isNull("bridge") ? nil : try row.id("bridge"))
        }
    }

    private func services() throws -> [Accessory.ID: [Service]] {
        let links: [Service.ID: [Service.ID]] = try lists("serviceLink", by: "position") { row in
            (try row.id("service"), try row.id("linked"))
        }
        let characteristics: [Service.ID: [Characteristic]] = try lists("characteristic", by: "position") { row in
            let characteristic = try characteristic(row)
            return (characteristic.service, characteristic)
        }
        return try lists("service", by: "position") { row in
            let (id, accessory): (Service.ID, Accessory.ID) = (try row.id("id"), try row.id("accessory"))
            let type = try row.type("type")
            let service = Service(
                id: id, accessory: accessory, iid: InstanceID(try row.unsigned("iid")), type: ServiceType(type),
                name: try row.text("name"), isPrimary: try row.flag("isPrimary"),
                isHidden: try row.flag("isHidden"), linkedServices: links[id] ?? [],
                associatedServiceType: try row.isNull("associatedType")
                    ? nil : ServiceType(try row.type("associatedType")),
                isFavorite: try row.flag("isFavorite"), characteristics: characteristics[id] ?? [])
            return (accessory, service)
        }
    }

    private func characteristic(_ row: Row) throws(DamagedDatabase) -> Characteristic {
        let value: CharacteristicValue? = try row.isNull("value") ? nil : try row.message("value")
        return Characteristic(
            id: try row.id("id"), service: try row.id("service"), iid: InstanceID(try row.unsigned("iid")),
            type: CharacteristicType(try row.type("type")), metadata: try row.message("metadata"),
            manufacturerDescription: try row.optionalText("description"), value: value,
            valueTime: try row.timestamp("valueTime"))
    }

    // MARK: SQL

    private func rows(_ table: String, by order: String) throws -> [Row] {
        try Row.fetchAll(db, sql: "SELECT * FROM \(table) ORDER BY \(order)")
    }

    private func lists<Key: Hashable, Value>(
        _ table: String, by order: String, _ read: (Row) throws -> (Key, Value)
    ) throws -> [Key: [Value]] {
        var lists: [Key: [Value]] = [:]
        for row in try rows(table, by: order) {
            let (key, value) = try read(row)
            lists[key, default: []].append(value)
        }
        return lists
    }
}

extension Row {
    fileprivate func id<Entity>(_ column: String) throws(DamagedDatabase) -> Identifier<Entity> {
        try read(column, Identifier(try text(column)))
    }

    fileprivate func type(_ column: String) throws(DamagedDatabase) -> HAPType {
        try read(column, HAPType(try text(column)))
    }

    fileprivate func unsigned(_ column: String) throws(DamagedDatabase) -> UInt64 {
        UInt64(bitPattern: try number(column, in: Int64.min...Int64.max))
    }

    fileprivate func timestamp(_ column: String) throws(DamagedDatabase) -> Timestamp? {
        guard try !isNull(column) else { return nil }
        return Timestamp(millisecondsSince1970: try number(column, in: Int64.min...Int64.max))
    }

    fileprivate func location() throws(DamagedDatabase) -> HomeLocation? {
        guard try !isNull("latitude") else { return nil }
        let (latitude, longitude) = (try real("latitude"), try real("longitude"))
        let timeZone = try optionalText("timeZone")
        return try read(
            "latitude", try? HomeLocation(latitude: latitude, longitude: longitude, timeZone: timeZone))
    }

    fileprivate func texts(_ column: String) throws(DamagedDatabase) -> [String] {
        let bytes = Array(try text(column).utf8)
        let array = try? JSONValue(parsing: bytes, maximumLength: bytes.count).array
        let texts = array?.compactMap(\.string)
        guard let texts, texts.count == array?.count else { throw damaged(column) }
        return texts
    }

    /// Decodes a column that contains the JSON form of a message.
    fileprivate func message<Message: HomeMessage>(_ column: String) throws(DamagedDatabase) -> Message {
        let bytes = Array(try text(column).utf8)
        guard let json = try? JSONValue(parsing: bytes, maximumLength: bytes.count),
            let message = try? Message(json: json)
        else { throw damaged(column) }
        return message
    }
}
