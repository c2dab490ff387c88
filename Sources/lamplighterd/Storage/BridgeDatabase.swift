internal import AccessoryRole
internal import DaemonKit
internal import DatabaseKit
internal import DeviceBridge
internal import DeviceKit
internal import GRDB
internal import HAPAccessory
internal import HAPModel
internal import HAPProtocol

/// The bridge's persistent state in SQLite: the state of the server and the lights, in one file.
///
/// Each change is atomic.
struct BridgeDatabase: LightStore {
    private let writer: any DatabaseWriter
    /// The store of the first bridge, which also provides the stores of additional bridges.
    ///
    /// It contains the bridge's identity, pairings, configuration number and configuration hash, the iids of the
    /// bridge's own accessory, and the port.
    let server: ServerDatabase

    /// The migrations from an empty file to the current tables.
    ///
    /// Never edit a migration that has been released.
    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1") { db in
            try ServerDatabase.createTables(db)
            try db.create(table: "light") { table in
                table.primaryKey {
                    table.column("driver", .text).notNull()
                    table.column("light", .text).notNull()
                }
                table.column("aid", .integer).notNull().unique()
                table.column("instanceIDs", .text).notNull()
                table.column("description", .text).notNull()
                table.column("state", .text)
                table.column("isRemoved", .boolean).notNull()
            }
        }
        migrator.registerMigration("2") { db in
            // Store the highest aid separately, because the light that has it can be removed.
            try db.create(table: "lightBridge") { table in
                table.primaryKey("id", .integer).check { $0 == 1 }
                table.column("highestAID", .integer).notNull()
            }
            try db.execute(
                sql: "INSERT INTO lightBridge (id, highestAID) SELECT 1, COALESCE(MAX(aid), 1) FROM light")
            // `removal` orders the removed lights. The order of earlier removals is unknown, so use the order in which
            // these lights were added.
            try db.execute(sql: "ALTER TABLE light ADD COLUMN removal INTEGER")
            try db.execute(sql: "UPDATE light SET removal = aid WHERE isRemoved")
            try db.execute(sql: "ALTER TABLE light DROP COLUMN isRemoved")
        }
        migrator.registerMigration("3") { db in
            // Lights that don't fit on the first bridge are on additional bridges.
            try ServerDatabase.allowSeveral(db)
            try db.execute(sql: "ALTER TABLE light ADD COLUMN bridge INTEGER NOT NULL DEFAULT 1")
        }
        migrator.registerMigration("4") { db in
            try db.execute(sql: "ALTER TABLE light ADD COLUMN adaptiveLighting BLOB")
        }
        // Since this migration, descriptions contain functions, and states contain HAP values. Earlier versions of the
        // program can't read them. The empty migration lets these versions detect a newer database.
        migrator.registerMigration("5") { _ in }
        return migrator
    }

    /// Creates a store from an open and migrated database.
    init(_ writer: any DatabaseWriter) {
        self.writer = writer
        server = ServerDatabase(writer)
    }

    // MARK: Loading

    /// Returns all stored state.
    ///
    /// If no identity is stored and `makingIdentity` is `true`, a new identity is created and stored.
    ///
    /// - Throws: ``DamagedDatabase`` if the stored state is invalid, or an SQLite error.
    func load(makingIdentity: Bool = true) async throws -> StoredBridge {
        try await writer.write { db in
            if makingIdentity {
                // If there are pairings or lights without an identity, data was lost.
                try ServerDatabase.makeIdentityIfMissing(
                    db, remains: "SELECT (SELECT COUNT(*) FROM pairing) + (SELECT COUNT(*) FROM light)")
            }
            let further = try ServerDatabase.numbers(db).filter { $0 > 1 }
            let lights = try Self.loadLights(db)
            guard lights.allSatisfy({ $0.bridge == 1 || further.contains($0.bridge) }) else {
                throw DamagedDatabase(description: "the identity of an additional bridge is missing")
            }
            return StoredBridge(
                server: try ServerDatabase.load(db),
                furtherServers: try Dictionary(
                    uniqueKeysWithValues: further.map { ($0, try ServerDatabase.load(db, $0)) }),
                lights: lights, highestAID: try Self.loadHighestAID(db))
        }
    }

    /// Removes additional bridges that have neither lights nor pairings.
    ///
    /// - Throws: An SQLite error. The database is then unchanged.
    func dropUnusedBridges() async throws {
        try await server.commit { db in
            let unused = try Int.fetchAll(
                db,
                sql: """
                    SELECT id FROM server WHERE id > 1 AND id NOT IN (SELECT bridge FROM light)
                        AND id NOT IN (SELECT server FROM pairing)
                    """)
            for number in unused { try ServerDatabase.remove(db, number) }
        }
    }

    private static func loadHighestAID(_ db: Database) throws -> AccessoryID {
        guard let row = try Row.fetchOne(db, sql: "SELECT * FROM lightBridge") else {
            throw DamagedDatabase(description: "the highest accessory id is missing")
        }
        return AccessoryID(UInt64(try row.number("highestAID", in: 1...highestNumber)))
    }

    private static func loadLights(_ db: Database) throws -> [StoredLight] {
        try Row.fetchAll(db, sql: "SELECT * FROM light ORDER BY aid").map { row in
            let id = LightID(try row.text("light"))
            let key = LightKey(driver: try row.text("driver"), light: id)
            guard !key.driver.isEmpty else { throw row.damaged("driver") }
            guard (1...255).contains(id.rawValue.utf8.count) else { throw row.damaged("light") }
            let state = try row.optionalText("state").map { try row.read("state", LightReport(json: $0)) }
            return StoredLight(
                key: key, bridge: Int(try row.number("bridge", in: 1...Int64(UInt16.max))),
                aid: AccessoryID(UInt64(try row.number("aid", in: 2...highestNumber))),
                instanceIDs: try row.read("instanceIDs", try InstanceIDs(json: row.text("instanceIDs"))),
                description: try row.read(
                    "description", try LightDescription(id: id, json: row.text("description"))),
                state: state,
                transition: try row.isNull("adaptiveLighting") ? nil : row.blob("adaptiveLighting"),
                removal: try row.isNull("removal") ? nil : Int(row.number("removal", in: 1...highestNumber)))
        }
    }

    /// The highest valid aid and removal number.
    ///
    /// It is higher than the number of lights that can ever be added, and low enough for calculations without overflow.
    private static let highestNumber: Int64 = 1 << 53

    /// Gives the lights of the first bridge new aids, all higher than `highest`.
    ///
    /// Controllers of an imported bridge know other accessories by the lower aids.
    ///
    /// - Throws: An SQLite error. The database is then unchanged.
    func raiseAIDs(above highest: UInt64) async throws {
        try await server.commit { db in
            let own = Int64(try Self.loadHighestAID(db).rawValue)
            // Every new aid is also higher than all present ones, so that no two lights have the same aid in between.
            let step = max(own, Int64(highest))
            try db.execute(
                sql: "UPDATE light SET aid = aid + ?, adaptiveLighting = NULL WHERE bridge = 1", arguments: [step])
            try db.execute(sql: "UPDATE lightBridge SET highestAID = ?", arguments: [own + step])
        }
    }

    // MARK: Saving

    func save(_ light: StoredLight) async throws {
        try await server.commit { db in
            try db.execute(
                sql: """
                    INSERT INTO light
                        (driver, light, bridge, aid, instanceIDs, description, state, adaptiveLighting, removal)
                    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
                    ON CONFLICT (driver, light) DO UPDATE SET bridge = excluded.bridge,
                        instanceIDs = excluded.instanceIDs, description = excluded.description, state = excluded.state,
                        adaptiveLighting = excluded.adaptiveLighting, removal = excluded.removal
                    """,
                arguments: [
                    light.key.driver, light.key.light.rawValue, light.bridge, Int64(light.aid.rawValue),
                    light.instanceIDs.json,
                    light.description.json, light.state?.json,
                    light.transition.map { Blob($0).data }, light.removal,
                ])
            try db.execute(
                sql: "UPDATE lightBridge SET highestAID = MAX(highestAID, ?)", arguments: [Int64(light.aid.rawValue)])
        }
    }

    func forget(_ lights: [LightKey]) async throws {
        try await server.commit { db in
            for key in lights {
                try db.execute(
                    sql: "DELETE FROM light WHERE driver = ? AND light = ?",
                    arguments: [key.driver, key.light.rawValue])
            }
        }
    }

    func save(transition: [UInt8]?, of light: LightKey) async throws {
        try await server.commit { db in
            try db.execute(
                sql: "UPDATE light SET adaptiveLighting = ? WHERE driver = ? AND light = ?",
                arguments: [transition.map { Blob($0).data }, light.driver, light.light.rawValue])
        }
    }

    func save(states: [LightKey: LightReport]) async throws {
        try await server.commit { db in
            for (key, state) in states {
                try db.execute(
                    sql: "UPDATE light SET state = ? WHERE driver = ? AND light = ?",
                    arguments: [state.json, key.driver, key.light.rawValue])
            }
        }
    }
}

extension BridgeDatabase: AccessoryServerStore {
    func save(_ pairings: PairingList) async throws { try await server.save(pairings) }
    func save(failedAttempts: Int) async throws { try await server.save(failedAttempts: failedAttempts) }
    func save(_ configuration: StoredConfiguration) async throws { try await server.save(configuration) }
    func save(instanceIDs: InstanceIDs) async throws { try await server.save(instanceIDs: instanceIDs) }
}
