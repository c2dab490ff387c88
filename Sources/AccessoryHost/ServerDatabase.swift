internal import BoundedJSON
internal import DaemonKit
package import GRDB
package import HAPAccessory
internal import HAPCrypto
internal import HAPModel
package import HAPProtocol
internal import Synchronization

/// An accessory server's memory in SQLite: identity, pairings, `c#` and the iids of accessory 1.
///
/// A program that keeps more has its own tables in the same file, so that one file is one backup.
package struct ServerDatabase: AccessoryServerStore {
    private let writer: any DatabaseWriter
    package let writes = WriteCount()

    /// Takes over a database that is open and has the tables.
    package init(_ writer: any DatabaseWriter) { self.writer = writer }

    /// The schema of a database that holds nothing else; a step once released is never edited.
    package static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1", migrate: createTables)
        return migrator
    }

    /// Makes the tables in an empty database; part of a migration.
    ///
    /// - Throws: SQLite's own error.
    package static func createTables(_ db: Database) throws {
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
    }

    // MARK: Loading

    /// All that is stored; a new identity is made and stored if there is none yet.
    ///
    /// - Returns: what is stored.
    /// - Throws: `DamagedDatabase` if what is stored cannot be true, or SQLite's own error.
    package func load() async throws -> StoredServer {
        try await writer.write { db in
            try Self.makeIdentityIfMissing(db, remains: "SELECT COUNT(*) FROM pairing")
            return try Self.load(db)
        }
    }

    /// Makes the identity of a new database; within a transaction.
    ///
    /// - Parameters:
    ///   - db: the database.
    ///   - remains: counts what there cannot be without an identity, such as pairings.
    /// - Throws: `DamagedDatabase` if the identity has been lost, or SQLite's own error.
    package static func makeIdentityIfMissing(_ db: Database, remains: String) throws {
        guard try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM server") == 0 else { return }
        let remains = try Int.fetchOne(db, sql: remains)
        guard remains == 0 else { throw DamagedDatabase(description: "the identity is missing") }
        try makeIdentity(db)
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

    /// All that is stored; within a transaction.
    ///
    /// - Throws: `DamagedDatabase` if what is stored cannot be true, or SQLite's own error.
    package static func load(_ db: Database) throws -> StoredServer {
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
        // Never stored so: the rest would be dropped, and the server come up unpaired.
        guard list.hasAdmin || list.isEmpty else { throw DamagedDatabase(description: "no pairing is an admin's") }
        return list
    }

    private static func port(_ row: Row) throws(DamagedDatabase) -> Int? {
        try row.isNull("port") ? nil : Int(row.number("port", in: 1...Int64(UInt16.max)))
    }

    /// The port that was chosen once, if the system was to choose one.
    ///
    /// - Returns: the port; `nil` if none was chosen.
    /// - Throws: `DamagedDatabase` if what is stored cannot be true, or SQLite's own error.
    package func port() async throws -> Int? {
        try await writer.read { db in
            try Row.fetchOne(db, sql: "SELECT port FROM server").flatMap { try Self.port($0) }
        }
    }

    // MARK: Saving

    /// Makes a change durable; once begun it is not given up, because whoever asked may be cancelled with the program.
    ///
    /// - Throws: what the change throws, or SQLite's own error; nothing has changed then.
    package func commit(_ change: @escaping @Sendable (Database) throws -> Void) async throws {
        try await withCheckedThrowingContinuation { continuation in
            writer.asyncWrite(change) { _, result in
                writes.ended(result)
                continuation.resume(with: result)
            }
        }
    }

    /// How many changes were to be made durable since the start.
    package final class WriteCount: Sendable {
        private let done = Atomic<UInt64>(0)
        private let failed = Atomic<UInt64>(0)
        private let lastFailure = Mutex<String?>(nil)

        /// Those that are durable.
        package var successes: UInt64 { done.load(ordering: .relaxed) }
        /// Those that failed.
        package var failures: UInt64 { failed.load(ordering: .relaxed) }

        /// Why the last change could not be made durable, if so.
        package var failure: String? { lastFailure.withLock { $0 } }

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

    /// Gives the server a new identity, without pairings; the port stays.
    ///
    /// - Throws: SQLite's own error; nothing has changed then.
    package func reset() async throws {
        try await commit { db in
            let port = try Int.fetchOne(db, sql: "SELECT port FROM server")
            try db.execute(sql: "DELETE FROM pairing")
            try db.execute(sql: "DELETE FROM server")
            try Self.makeIdentity(db)
            try db.execute(sql: "UPDATE server SET port = ?", arguments: [port])
        }
    }

    /// Raises `c#`, which comes after 65535 back to 1.
    ///
    /// - Throws: SQLite's own error; nothing has changed then.
    package func raiseConfigurationNumber(by step: Int) async throws {
        try await commit { db in
            try db.execute(
                sql: "UPDATE server SET configurationNumber = (configurationNumber + ? - 1) % 65535 + 1",
                arguments: [step])
        }
    }

    /// Keeps the port that the system has chosen.
    ///
    /// - Throws: SQLite's own error; nothing has changed then.
    package func save(port: Int) async throws {
        try await commit { try $0.execute(sql: "UPDATE server SET port = ?", arguments: [port]) }
    }

    package func save(_ pairings: PairingList) async throws {
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

    package func save(failedAttempts: Int) async throws {
        try await commit { db in
            try db.execute(sql: "UPDATE server SET failedAttempts = ?", arguments: [failedAttempts])
        }
    }

    package func save(_ configuration: StoredConfiguration) async throws {
        try await commit { db in
            try db.execute(
                sql: "UPDATE server SET configurationNumber = ?, databaseHash = ?",
                arguments: [Int(configuration.number), Blob(configuration.databaseHash).data])
        }
    }

    package func save(instanceIDs: InstanceIDs) async throws {
        try await commit { db in
            try db.execute(sql: "UPDATE server SET instanceIDs = ?", arguments: [instanceIDs.json])
        }
    }
}

extension InstanceIDs {
    package init?(json: String) {
        guard let object = (try? JSONValue(parsing: json))?.object else { return nil }
        var ids: [String: InstanceID] = [:]
        for member in object.members {
            guard let number = member.value.unsignedInteger, number > 0 else { return nil }
            ids[member.name] = InstanceID(number)
        }
        guard Set(ids.values).count == ids.count else { return nil }
        self.init(ids: ids)
    }

    package var json: String {
        var object = JSONObject()
        for (part, id) in ids.sorted(by: { $0.value < $1.value }) { object[part] = .unsigned(id.rawValue) }
        return JSONValue.object(object).text
    }
}
