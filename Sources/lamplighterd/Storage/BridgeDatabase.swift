internal import BoundedJSON
internal import DaemonKit
internal import GRDB
internal import HAPAccessory
internal import HAPCrypto
internal import HAPModel
internal import HAPProtocol
internal import LightBridge
internal import LightKit
internal import Synchronization

/// The bridge's memory in SQLite: identity, pairings, `c#`, aids and iids change together or not at all.
struct BridgeDatabase: AccessoryServerStore, LightStore {
    private let writer: any DatabaseWriter
    let writes = WriteCount()

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

    /// All that is stored.
    ///
    /// - Parameter makingIdentity: make and store a new identity if there is none yet.
    /// - Returns: what is stored.
    /// - Throws: ``DamagedDatabase`` if what is stored cannot be true, or SQLite's own error.
    func load(makingIdentity: Bool = true) async throws -> StoredBridge {
        try await writer.write { db in
            if makingIdentity, try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM server") == 0 {
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

    private static func load(_ db: Database) throws -> StoredBridge {
        StoredBridge(server: try loadServer(db), lights: try loadLights(db))
    }

    private static func loadServer(_ db: Database) throws -> StoredServer {
        guard let row = try Row.fetchOne(db, sql: "SELECT * FROM server") else {
            throw DamagedDatabase(description: "the identity is missing")
        }
        // Its error is told at the start, with all others.
        _ = try port(row)
        let hash = try row.blob("databaseHash")
        guard hash.isEmpty || hash.count == hashLength else { throw row.damaged("databaseHash") }
        return StoredServer(
            identity: AccessoryIdentity(
                deviceID: try row.read("deviceID", try DeviceID(row.text("deviceID"))),
                longTermKey: try row.read(
                    "longTermSeed", try? Ed25519KeyPair(seed: SecretBytes(row.blob("longTermSeed"))))),
            setupCode: try row.read("setupCode", try SetupCode(row.text("setupCode"))),
            setupID: try row.read("setupID", try SetupID(row.text("setupID"))),
            pairings: try loadPairings(db),
            failedAttempts: Int(try row.number("failedAttempts", in: 0...Int64(Int32.max))),
            configuration: StoredConfiguration(
                number: UInt16(try row.number("configurationNumber", in: 1...Int64(UInt16.max))), databaseHash: hash),
            instanceIDs: try row.read("instanceIDs", try InstanceIDs(json: row.text("instanceIDs"))))
    }

    /// The length of a SHA-512.
    private static let hashLength = 64

    private static func loadPairings(_ db: Database) throws -> PairingList {
        let pairings = try Row.fetchAll(db, sql: "SELECT * FROM pairing ORDER BY position").map { row in
            let publicKey = try row.blob("publicKey")
            guard publicKey.count == Ed25519.publicKeyLength else { throw row.damaged("publicKey") }
            return Pairing(
                controller: try row.read("controller", try ControllerID(row.blob("controller"))), publicKey: publicKey,
                isAdmin: try row.flag("isAdmin"))
        }
        let list = PairingList(pairings)
        // Never stored so: the rest would be dropped, and the bridge come up unpaired.
        guard list.hasAdmin || list.isEmpty else { throw DamagedDatabase(description: "no pairing is an admin's") }
        return list
    }

    private static func loadLights(_ db: Database) throws -> [StoredLight] {
        try Row.fetchAll(db, sql: "SELECT * FROM light ORDER BY aid").map { row in
            let id = LightID(try row.text("light"))
            let key = LightKey(driver: try row.text("driver"), light: id)
            guard !key.driver.isEmpty else { throw row.damaged("driver") }
            guard (1...255).contains(id.rawValue.utf8.count) else { throw row.damaged("light") }
            let state = try row.optionalText("state").map { try row.read("state", LightReport(json: $0)) }
            return StoredLight(
                key: key, aid: AccessoryID(UInt64(try row.number("aid", in: 2...Int64.max))),
                instanceIDs: try row.read("instanceIDs", try InstanceIDs(json: row.text("instanceIDs"))),
                description: try row.read(
                    "description", try LightDescription(id: id, json: row.text("description"))),
                state: state, isRemoved: try row.flag("isRemoved"))
        }
    }

    private static func port(_ row: Row) throws(DamagedDatabase) -> Int? {
        try row.isNull("port") ? nil : Int(row.number("port", in: 1...Int64(UInt16.max)))
    }

    /// The port that was chosen once for `port: auto`.
    func port() async throws -> Int? {
        try await writer.read { db in
            try Row.fetchOne(db, sql: "SELECT port FROM server").flatMap { try Self.port($0) }
        }
    }

    // MARK: Saving

    /// Makes a change durable; once begun it is not given up, because whoever asked may be cancelled with the daemon.
    private func commit(_ change: @escaping @Sendable (Database) throws -> Void) async throws {
        try await withCheckedThrowingContinuation { continuation in
            writer.asyncWrite(change) { _, result in
                writes.ended(result)
                continuation.resume(with: result)
            }
        }
    }

    /// How many changes were to be made durable since the start.
    final class WriteCount: Sendable {
        private let done = Atomic<UInt64>(0)
        private let failed = Atomic<UInt64>(0)
        private let lastFailure = Mutex<String?>(nil)

        /// Those that are durable.
        var successes: UInt64 { done.load(ordering: .relaxed) }
        /// Those that failed.
        var failures: UInt64 { failed.load(ordering: .relaxed) }

        /// Why the last change could not be made durable, if so.
        var failure: String? { lastFailure.withLock { $0 } }

        fileprivate func ended(_ result: Result<Void, any Error>) {
            switch result {
            case .success:
                done.wrappingAdd(1, ordering: .relaxed)
                lastFailure.withLock { $0 = nil }
            case .failure(let error):
                failed.wrappingAdd(1, ordering: .relaxed)
                let reason = (error as? DatabaseError)?.message ?? "\(error)"
                lastFailure.withLock { $0 = reason }
            }
        }
    }

    /// Gives the bridge a new identity, which nobody is paired with; lights keep their aids and their states.
    func reset() async throws {
        try await commit { db in
            let port = try Int.fetchOne(db, sql: "SELECT port FROM server")
            try db.execute(sql: "DELETE FROM pairing")
            try db.execute(sql: "DELETE FROM server")
            try Self.makeIdentity(db)
            try db.execute(sql: "UPDATE server SET port = ?", arguments: [port])
        }
    }

    /// Raises `c#`, which comes after 65535 back to 1.
    func raiseConfigurationNumber(by step: Int) async throws {
        try await commit { db in
            try db.execute(
                sql: "UPDATE server SET configurationNumber = (configurationNumber + ? - 1) % 65535 + 1",
                arguments: [step])
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

    func save(instanceIDs: InstanceIDs) async throws {
        try await commit { db in
            try db.execute(sql: "UPDATE server SET instanceIDs = ?", arguments: [instanceIDs.json])
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
