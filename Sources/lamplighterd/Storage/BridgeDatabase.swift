internal import BoundedJSON
internal import GRDB
internal import HAPAccessory
internal import HAPCrypto
internal import HAPModel
internal import HAPProtocol
internal import LightKit

/// What the database says and cannot be true.
struct DamagedDatabase: Error, Equatable, CustomStringConvertible {
    let description: String
}

/// The bridge's memory in SQLite: identity, pairings, `c#`, aids and iids change together or not at all.
struct BridgeDatabase: AccessoryServerStore {
    private let writer: any DatabaseWriter

    /// The steps from an empty file to today's tables; a step once released is never edited.
    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1") { db in
            try db.create(table: "server") { table in
                table.primaryKey("id", .integer).check { $0 == 1 }
                table.column("deviceID", .text).notNull()
                table.column("longTermSeed", .blob).notNull()
                table.column("setupCode", .text).notNull()
                table.column("setupID", .text).notNull()
                table.column("failedAttempts", .integer).notNull()
                table.column("configurationNumber", .integer).notNull()
                table.column("databaseHash", .blob).notNull()
                table.column("instanceIDs", .text).notNull()
                table.column("port", .integer)
            }
            try db.create(table: "pairing") { table in
                table.primaryKey("position", .integer)
                table.column("controller", .blob).notNull().unique()
                table.column("publicKey", .blob).notNull()
                table.column("isAdmin", .boolean).notNull()
            }
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
        return migrator
    }

    /// Takes over a database that is open and migrated.
    init(_ writer: any DatabaseWriter) { self.writer = writer }

    // MARK: Loading

    /// All that is stored; a new identity is made and stored if there is none yet.
    ///
    /// - Throws: ``DamagedDatabase`` if what is stored cannot be true, or SQLite's own error.
    func load() async throws -> StoredServer {
        try await writer.write { db in
            if try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM server") == 0 {
                // Pairings or lights without an identity are the rest of something that has been lost.
                let remains = try Int.fetchOne(
                    db, sql: "SELECT (SELECT COUNT(*) FROM pairing) + (SELECT COUNT(*) FROM light)")
                guard remains == 0 else { throw DamagedDatabase(description: "the identity is missing") }
                try Self.makeIdentity(db)
            }
            return try Self.load(db)
        }
    }

    private static func makeIdentity(_ db: Database) throws {
        var octets = RandomBytes.make(count: 6)
        // Not a multicast address, and marked as not being a hardware address.
        octets[0] = octets[0] & 0xFC | 0x02
        guard let deviceID = DeviceID(octets: octets) else { throw DamagedDatabase(description: "no device id") }
        try db.execute(
            sql: """
                INSERT INTO server (id, deviceID, longTermSeed, setupCode, setupID, failedAttempts,
                    configurationNumber, databaseHash, instanceIDs) VALUES (1, ?, ?, ?, ?, 0, 1, x'', '{}')
                """,
            arguments: [
                deviceID.description, Blob(SecretBytes.random(count: Ed25519KeyPair.seedLength).copy).data,
                SetupCode.random(using: RandomBytes.uniform).text,
                SetupID.random(using: RandomBytes.uniform).description,
            ])
    }

    private static func load(_ db: Database) throws -> StoredServer {
        guard let row = try Row.fetchOne(db, sql: "SELECT * FROM server") else {
            throw DamagedDatabase(description: "the identity is missing")
        }
        guard let deviceID = DeviceID(row["deviceID"] as String),
            let key = try? Ed25519KeyPair(seed: SecretBytes(Blob(row["longTermSeed"]).bytes)),
            let setupCode = SetupCode(row["setupCode"] as String), let setupID = SetupID(row["setupID"] as String),
            let number = UInt16(exactly: row["configurationNumber"] as Int), number > 0,
            let ids = InstanceIDs(json: row["instanceIDs"])
        else { throw DamagedDatabase(description: "the identity cannot be read") }
        return StoredServer(
            identity: AccessoryIdentity(deviceID: deviceID, longTermKey: key), setupCode: setupCode, setupID: setupID,
            pairings: PairingList(try loadPairings(db)), failedAttempts: row["failedAttempts"],
            configuration: StoredConfiguration(number: number, databaseHash: Blob(row["databaseHash"]).bytes),
            bridgeInstanceIDs: ids, lights: try loadLights(db))
    }

    private static func loadPairings(_ db: Database) throws -> [Pairing] {
        try Row.fetchAll(db, sql: "SELECT * FROM pairing ORDER BY position").map { row in
            let publicKey = Blob(row["publicKey"]).bytes
            guard let controller = ControllerID(Blob(row["controller"]).bytes),
                publicKey.count == Ed25519.publicKeyLength
            else { throw DamagedDatabase(description: "a pairing cannot be read") }
            return Pairing(controller: controller, publicKey: publicKey, isAdmin: row["isAdmin"])
        }
    }

    private static func loadLights(_ db: Database) throws -> [StoredLight] {
        try Row.fetchAll(db, sql: "SELECT * FROM light ORDER BY aid").map { row in
            let key = LightKey(driver: row["driver"], light: LightID(row["light"] as String))
            guard let aid = UInt64(exactly: row["aid"] as Int64), aid > 1,
                let ids = InstanceIDs(json: row["instanceIDs"]),
                let description = LightDescription(id: key.light, json: row["description"])
            else { throw DamagedDatabase(description: "light \(key) cannot be read") }
            return StoredLight(
                key: key, aid: AccessoryID(aid), instanceIDs: ids, description: description,
                state: (row["state"] as String?).flatMap(LightReport.init(json:)), isRemoved: row["isRemoved"])
        }
    }

    /// The port that was chosen once for `port: auto`.
    func port() async throws -> Int? {
        try await writer.read { try Int.fetchOne($0, sql: "SELECT port FROM server") }
    }

    // MARK: Saving

    /// Makes a change durable; once begun it is not given up, because whoever asked may be cancelled with the daemon.
    private func commit(_ change: @escaping @Sendable (Database) throws -> Void) async throws {
        try await withCheckedThrowingContinuation { continuation in
            writer.asyncWrite(change) { _, result in continuation.resume(with: result) }
        }
    }

    func save(port: Int) async throws {
        try await commit { try $0.execute(sql: "UPDATE server SET port = ?", arguments: [port]) }
    }

    func save(_ pairings: PairingList) async throws {
        try await commit { db in
            try db.execute(sql: "DELETE FROM pairing")
            for (position, pairing) in pairings.pairings.enumerated() {
                try db.execute(
                    sql: "INSERT INTO pairing (position, controller, publicKey, isAdmin) VALUES (?, ?, ?, ?)",
                    arguments: [
                        position, Blob(pairing.controller.bytes).data, Blob(pairing.publicKey).data, pairing.isAdmin,
                    ])
            }
        }
    }

    func save(failedAttempts: Int) async throws {
        try await commit { db in
            try db.execute(sql: "UPDATE server SET failedAttempts = ?", arguments: [failedAttempts])
        }
    }

    func save(_ configuration: StoredConfiguration) async throws {
        try await commit { db in
            try db.execute(
                sql: "UPDATE server SET configurationNumber = ?, databaseHash = ?",
                arguments: [Int(configuration.number), Blob(configuration.databaseHash).data])
        }
    }

    func save(bridgeInstanceIDs: InstanceIDs) async throws {
        try await commit { db in
            try db.execute(sql: "UPDATE server SET instanceIDs = ?", arguments: [bridgeInstanceIDs.json])
        }
    }

    func save(_ light: StoredLight) async throws {
        try await commit { db in
            try db.execute(
                sql: """
                    INSERT INTO light (driver, light, aid, instanceIDs, description, state, isRemoved)
                    VALUES (?, ?, ?, ?, ?, ?, ?)
                    ON CONFLICT (driver, light) DO UPDATE SET instanceIDs = excluded.instanceIDs,
                        description = excluded.description, state = excluded.state, isRemoved = excluded.isRemoved
                    """,
                arguments: [
                    light.key.driver, light.key.light.rawValue, Int64(light.aid.rawValue), light.instanceIDs.json,
                    light.description.json, light.state?.json, light.isRemoved,
                ])
        }
    }

    func save(states: [LightKey: LightReport]) async throws {
        try await commit { db in
            for (key, state) in states {
                try db.execute(
                    sql: "UPDATE light SET state = ? WHERE driver = ? AND light = ?",
                    arguments: [state.json, key.driver, key.light.rawValue])
            }
        }
    }
}
