package import AccessoryRole
internal import BoundedJSON
internal import DatabaseKit
package import GRDB
internal import HAPCrypto
internal import HAPModel
package import HAPProtocol
internal import Synchronization

/// The storage of an accessory server in SQLite: identity, pairings, `c#` and the iids of accessory 1.
///
/// A program can add its own tables to the same file, so that one file is the whole backup. The file may also contain
/// several servers, each with a number.
package struct ServerDatabase: AccessoryServerStore {
    private let writer: any DatabaseWriter
    /// The number of the server in the file, from 1.
    private let number: Int
    package let writes: WriteCount

    /// Creates the storage of a server in an open database that already has the tables.
    ///
    /// The servers in a file are numbered from 1 and share one count of writes.
    package init(_ writer: any DatabaseWriter, number: Int = 1, writes: WriteCount = WriteCount()) {
        self.writer = writer
        self.number = number
        self.writes = writes
    }

    /// Returns the storage of another server in the same file.
    package func server(_ number: Int) -> ServerDatabase { ServerDatabase(writer, number: number, writes: writes) }

    /// The schema of a database without other tables; a released migration is never edited.
    package static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1", migrate: createTables)
        migrator.registerMigration("2", migrate: allowSeveral)
        return migrator
    }

    /// Creates the tables in an empty database, as part of a migration.
    ///
    /// - Throws: An SQLite error.
    package static func createTables(_ db: Database) throws {
        try db.create(table: "server") { table in
            table.primaryKey("id", .integer).check { $0 == 1 }
            table.column("deviceID", .text).notNull()
            addServerColumns(to: table)
        }
        try db.create(table: "pairing") { table in
            table.primaryKey("position", .integer)
            table.column("controller", .blob).notNull().unique()
            table.column("publicKey", .blob).notNull()
            table.column("isAdmin", .boolean).notNull()
        }
    }

    private static func addServerColumns(to table: TableDefinition) {
        table.column("longTermSeed", .blob).notNull()
        table.column("setupCode", .text).notNull()
        table.column("setupID", .text).notNull()
        table.column("failedAttempts", .integer).notNull()
        table.column("configurationNumber", .integer).notNull()
        table.column("databaseHash", .blob).notNull()
        table.column("instanceIDs", .text).notNull()
        table.column("port", .integer)
    }

    /// Changes the tables created by ``createTables(_:)`` to allow several servers, as part of a migration.
    ///
    /// - Throws: An SQLite error.
    package static func allowSeveral(_ db: Database) throws {
        try db.rename(table: "server", to: "formerServer")
        try db.rename(table: "pairing", to: "formerPairing")
        try db.create(table: "server") { table in
            table.primaryKey("id", .integer)
            table.column("deviceID", .text).notNull().unique()
            addServerColumns(to: table)
        }
        try db.create(table: "pairing") { table in
            table.primaryKey {
                table.column("server", .integer).references("server", onDelete: .cascade)
                table.column("position", .integer)
            }
            table.column("controller", .blob).notNull()
            table.column("publicKey", .blob).notNull()
            table.column("isAdmin", .boolean).notNull()
            table.uniqueKey(["server", "controller"])
        }
        try db.execute(
            sql: """
                INSERT INTO server SELECT * FROM formerServer;
                INSERT INTO pairing SELECT 1, * FROM formerPairing;
                DROP TABLE formerServer;
                DROP TABLE formerPairing;
                """)
    }

    // MARK: Loading

    /// Returns the stored server, after creating and storing an identity if the database has none.
    ///
    /// - Throws: `DamagedDatabase` if the stored data is invalid, or an SQLite error.
    package func load() async throws -> StoredServer {
        try await writer.write { db in
            try Self.makeIdentityIfMissing(db, remains: "SELECT COUNT(*) FROM pairing")
            return try Self.load(db, number)
        }
    }

    /// Creates the identity of a new database, within a transaction.
    ///
    /// `remains` is an SQL query that counts data that can't exist without an identity, such as pairings.
    ///
    /// - Throws: `DamagedDatabase` if the identity has been lost, or an SQLite error.
    package static func makeIdentityIfMissing(_ db: Database, remains: String) throws {
        guard try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM server WHERE id = 1") == 0 else { return }
        let remains = try Int.fetchOne(db, sql: remains)
        guard remains == 0 else { throw DamagedDatabase(description: "the identity is missing") }
        try makeIdentity(db, 1)
    }

    /// Creates and stores the identity of an additional server.
    ///
    /// - Throws: An SQLite error, for example if the server already exists; in this case, the database is unchanged.
    package func make() async throws -> StoredServer {
        try await commit { [number] db in
            try Self.makeIdentity(db, number)
            return try Self.load(db, number)
        }
    }

    private static func makeIdentity(_ db: Database, _ number: Int) throws {
        var octets = RandomBytes.make(count: 6)
        // Make it a unicast address that is marked as locally administered.
        octets[0] = octets[0] & 0xFC | 0x02
        guard let deviceID = DeviceID(octets: octets) else {
            throw DamagedDatabase(description: "the device id is invalid")
        }
        try db.execute(
            sql: """
                INSERT INTO server (id, deviceID, longTermSeed, setupCode, setupID, failedAttempts,
                    configurationNumber, databaseHash, instanceIDs) VALUES (?, ?, ?, ?, ?, 0, 1, x'', '{}')
                """,
            arguments: [
                number, deviceID.description, Blob(SecretBytes.random(count: Ed25519KeyPair.seedLength).copy).data,
                SetupCode.random(using: RandomBytes.uniform).text,
                SetupID.random(using: RandomBytes.uniform).description,
            ])
    }

    /// Returns the numbers of the stored servers, within a transaction.
    ///
    /// - Throws: `DamagedDatabase` if the stored data is invalid, or an SQLite error.
    package static func numbers(_ db: Database) throws -> [Int] {
        try Row.fetchAll(db, sql: "SELECT id FROM server ORDER BY id").map {
            Int(try $0.number("id", in: 1...Int64(UInt16.max)))
        }
    }

    /// Returns a stored server, within a transaction.
    ///
    /// - Throws: `DamagedDatabase` if the stored data is invalid, or an SQLite error.
    package static func load(_ db: Database, _ number: Int = 1) throws -> StoredServer {
        guard let row = try Row.fetchOne(db, sql: "SELECT * FROM server WHERE id = ?", arguments: [number]) else {
            throw DamagedDatabase(description: "the identity is missing")
        }
        // Check the port, too, so that an invalid port is reported at startup, like all other invalid data.
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
            pairings: try loadPairings(db, number),
            failedAttempts: Int(try row.number("failedAttempts", in: 0...Int64(Int32.max))),
            configuration: StoredConfiguration(
                number: UInt16(try row.number("configurationNumber", in: 1...Int64(UInt16.max))), databaseHash: hash),
            instanceIDs: try row.read("instanceIDs", try InstanceIDs(json: row.text("instanceIDs"))))
    }

    /// The length of a SHA-512 hash, in bytes.
    private static let hashLength = 64

    private static func loadPairings(_ db: Database, _ number: Int) throws -> PairingList {
        let rows = try Row.fetchAll(
            db, sql: "SELECT * FROM pairing WHERE server = ? ORDER BY position", arguments: [number])
        let pairings = try rows.map { row in
            let publicKey = try row.blob("publicKey")
            guard publicKey.count == Ed25519.publicKeyLength else { throw row.damaged("publicKey") }
            return Pairing(
                controller: try row.read("controller", try ControllerID(row.blob("controller"))), publicKey: publicKey,
                isAdmin: try row.flag("isAdmin"))
        }
        let list = PairingList(pairings)
        // A list without an admin is never stored. Dropping these pairings would make the server appear unpaired.
        guard list.hasAdmin || list.isEmpty else { throw DamagedDatabase(description: "no pairing has admin rights") }
        return list
    }

    private static func port(_ row: Row) throws(DamagedDatabase) -> Int? {
        try row.isNull("port") ? nil : Int(row.number("port", in: 1...Int64(UInt16.max)))
    }

    /// Returns the stored port, which the system chose when the server first listened, or `nil` if no port is stored.
    ///
    /// - Throws: `DamagedDatabase` if the stored data is invalid, or an SQLite error.
    package func port() async throws -> Int? {
        try await writer.read { [number] db in
            try Row.fetchOne(db, sql: "SELECT port FROM server WHERE id = ?", arguments: [number])
                .flatMap { try Self.port($0) }
        }
    }

    // MARK: Saving

    /// Makes a change durable.
    ///
    /// Once started, the change completes even if the caller is canceled, for example because the program ends.
    ///
    /// - Throws: The error that the change throws, or an SQLite error; in this case, the database is unchanged.
    @discardableResult
    package func commit<Value: Sendable>(
        _ change: @escaping @Sendable (Database) throws -> Value
    ) async throws -> Value {
        do {
            let value = try await writer.writeToTheEnd(change)
            writes.succeeded()
            return value
        } catch {
            writes.failed(error)
            throw error
        }
    }

    /// The numbers of successful and failed changes since the program started.
    package final class WriteCount: Sendable {
        private let done = Atomic<UInt64>(0)
        private let failed = Atomic<UInt64>(0)
        private let lastFailure = Mutex<String?>(nil)

        /// The number of durable changes.
        package var successes: UInt64 { done.load(ordering: .relaxed) }
        /// The number of failed changes.
        package var failures: UInt64 { failed.load(ordering: .relaxed) }

        /// The reason why the last change failed; `nil` if it succeeded.
        package var failure: String? { lastFailure.withLock { $0 } }

        package init() {}

        fileprivate func succeeded() {
            done.wrappingAdd(1, ordering: .relaxed)
            lastFailure.withLock { $0 = nil }
        }

        fileprivate func failed(_ error: any Error) {
            failed.wrappingAdd(1, ordering: .relaxed)
            let reason = (error as? DatabaseError)?.message ?? "\(error)"
            lastFailure.withLock { $0 = reason }
        }
    }

    /// Gives all servers in the file new identities without pairings, and keeps their ports.
    ///
    /// - Throws: An SQLite error; in this case, the database is unchanged.
    package func resetAll() async throws {
        try await commit { db in
            for number in try Self.numbers(db) {
                let port = try Int.fetchOne(db, sql: "SELECT port FROM server WHERE id = ?", arguments: [number])
                try Self.remove(db, number)
                try Self.makeIdentity(db, number)
                try db.execute(sql: "UPDATE server SET port = ? WHERE id = ?", arguments: [port, number])
            }
        }
    }

    /// Removes a server and its pairings, within a transaction.
    ///
    /// - Throws: An SQLite error.
    package static func remove(_ db: Database, _ number: Int) throws {
        // The foreign key also deletes its pairings.
        try db.execute(sql: "DELETE FROM server WHERE id = ?", arguments: [number])
    }

    /// Increases the `c#` of all servers in the file; 1 follows 65535.
    ///
    /// - Throws: An SQLite error; in this case, the database is unchanged.
    package func raiseConfigurationNumbers(by step: Int) async throws {
        try await commit { db in
            try db.execute(
                sql: "UPDATE server SET configurationNumber = (configurationNumber + ? - 1) % 65535 + 1",
                arguments: [step])
        }
    }

    /// Stores the port that the system has chosen.
    ///
    /// - Throws: An SQLite error; in this case, the database is unchanged.
    package func save(port: Int) async throws { try await set(["port": port]) }

    package func save(_ pairings: PairingList) async throws {
        try await commit { [number] db in
            try db.execute(sql: "DELETE FROM pairing WHERE server = ?", arguments: [number])
            for (position, pairing) in pairings.pairings.enumerated() {
                try db.execute(
                    sql:
                        "INSERT INTO pairing (server, position, controller, publicKey, isAdmin) VALUES (?, ?, ?, ?, ?)",
                    arguments: [
                        number, position, Blob(pairing.controller.bytes).data, Blob(pairing.publicKey).data,
                        pairing.isAdmin,
                    ])
            }
        }
    }

    /// Replaces the identity and its `c#`, and clears the failed attempts; pairings are saved separately.
    ///
    /// A missing setup code or setup ID keeps the stored one. The accessories are hashed again at the next start.
    ///
    /// - Throws: An SQLite error; in this case, the database is unchanged.
    package func save(
        _ identity: AccessoryIdentity, setupCode: SetupCode?, setupID: SetupID?, configurationNumber: UInt16
    ) async throws {
        try await commit { [number] db in
            try db.execute(
                sql: """
                    UPDATE server SET deviceID = ?, longTermSeed = ?, setupCode = COALESCE(?, setupCode),
                        setupID = COALESCE(?, setupID), failedAttempts = 0, configurationNumber = ?, databaseHash = x''
                    WHERE id = ?
                    """,
                arguments: [
                    identity.deviceID.description, Blob(identity.longTermKey.seed.copy).data, setupCode?.text,
                    setupID?.description, Int(configurationNumber), number,
                ])
        }
    }

    package func save(failedAttempts: Int) async throws { try await set(["failedAttempts": failedAttempts]) }

    package func save(_ configuration: StoredConfiguration) async throws {
        try await set([
            "configurationNumber": Int(configuration.number), "databaseHash": Blob(configuration.databaseHash).data,
        ])
    }

    func save(setupCode: SetupCode) async throws { try await set(["setupCode": setupCode.text]) }

    package func save(instanceIDs: InstanceIDs) async throws { try await set(["instanceIDs": instanceIDs.json]) }

    private func set(_ values: KeyValuePairs<String, any DatabaseValueConvertible>) async throws {
        let assignments = values.map { "\($0.key) = ?" }.joined(separator: ", ")
        let arguments = StatementArguments(values.map(\.value.databaseValue) + [number.databaseValue])
        try await commit { db in
            try db.execute(sql: "UPDATE server SET \(assignments) WHERE id = ?", arguments: arguments)
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
