internal import BoundedJSON
internal import DaemonKit
internal import DatabaseKit
internal import GRDB
internal import HAPModel
internal import HomeHub
internal import HomeModel
internal import Logging

/// The homes in SQLite, with one table for each kind of object.
struct HomeDatabase: HomeStore {
    /// The reason why a transaction was rejected.
    enum Refusal: Error, Equatable, CustomStringConvertible {
        /// The transaction doesn't follow the last stored transaction.
        case revision(stored: UInt64, committed: UInt64)

        var description: String {
            switch self {
            case .revision(let stored, let committed):
                "revision \(committed) of a home doesn't follow the stored revision \(stored)"
            }
        }
    }

    private let queue: DatabaseQueue

    /// Creates a store from an open database that ``HomeSchema`` has migrated.
    init(_ queue: DatabaseQueue) { self.queue = queue }

    /// Opens the file, or creates it if that's allowed.
    ///
    /// - Throws: `DatabaseFileError`.
    static func file(
        at path: String, isMadeIfMissing: Bool = true, logger: Logger
    ) throws(DatabaseFileError) -> DatabaseFile {
        try DatabaseFile(
            path: path, migrator: HomeSchema.migrator, applicationID: HomeSchema.applicationID,
            isMadeIfMissing: isMadeIfMissing, logger: logger)
    }

    /// - Throws: `DamagedDatabase` if the stored data is inconsistent, or SQLite's error.
    func load() throws -> StoredHomes {
        try queue.read { db in
            let rows = HomeRows(db)
            let graph = HomeGraph(homes: try rows.homes())
            let breaches = graph.breaches
            if let first = breaches.first {
                let errors = breaches.count == 1 ? "1 error" : "\(breaches.count) errors"
                throw DamagedDatabase(description: "the homes are inconsistent (\(errors)): \(first)")
            }
            return StoredHomes(
                graph: graph, permissions: try Self.permissions(db), claims: try Self.claims(db),
                candidates: try PairingDatabase.pairings(db, in: "pairingCandidate"),
                triggerStates: try rows.triggerStates())
        }
    }

    /// - Throws: ``Refusal``, or SQLite's error. Nothing is stored in that case.
    func commit(_ transaction: HomeTransaction, in graph: HomeGraph) async throws {
        try await queue.writeToTheEnd { db in try Self.commit(transaction, in: graph, db) }
    }

    func commit(
        _ transaction: HomeTransaction, in graph: HomeGraph, promoting candidate: CandidatePairing
    ) async throws {
        try await queue.writeToTheEnd { db in
            try Self.commit(transaction, in: graph, db)
            try PairingDatabase.promote(candidate, db)
        }
    }

    func keep(candidate: CandidatePairing) async throws {
        try await queue.writeToTheEnd { db in try PairingDatabase.keep(candidate, in: "pairingCandidate", db) }
    }

    func forgetCandidate(_ device: DeviceID) async throws {
        try await queue.writeToTheEnd { db in try PairingDatabase.forgetCandidate(device, db) }
    }

    private static func commit(_ transaction: HomeTransaction, in graph: HomeGraph, _ db: Database) throws {
        let home = transaction.home.description
        let stored = try Int64.fetchOne(db, sql: "SELECT revision FROM home WHERE id = ?", arguments: [home]) ?? 0
        guard UInt64(stored) + 1 == transaction.revision, let revision = Int64(exactly: transaction.revision) else {
            throw Refusal.revision(stored: UInt64(stored), committed: transaction.revision)
        }
        var writer = HomeWriter(db: db, home: transaction.home, defaultRoom: nil)
        writer.defaultRoom = graph.home(transaction.home)?.defaultRoomID
        for change in transaction.changes { try writer.write(change.event) }
        try db.execute(sql: "UPDATE home SET revision = ? WHERE id = ?", arguments: [revision, home])
    }

    func save(_ values: [Characteristic.ID: TimestampedValue]) async throws {
        guard !values.isEmpty else { return }
        try await queue.writeToTheEnd { db in
            let statement = try db.cachedStatement(
                sql: "UPDATE characteristic SET value = ?, valueTime = ? WHERE id = ?")
            for (id, lastKnown) in values {
                try statement.execute(arguments: [
                    lastKnown.value.json.text, lastKnown.time.millisecondsSince1970, id.description,
                ])
            }
        }
    }

    func save(_ scene: ActionSet.ID, lastExecutionTime: Timestamp) async throws {
        try await queue.writeToTheEnd { db in
            try db.execute(
                sql: "UPDATE actionSet SET lastExecutionTime = ? WHERE id = ?",
                arguments: [lastExecutionTime.millisecondsSince1970, scene.description])
        }
    }

    // MARK: Automations

    func save(_ states: [TriggerState], _ records: [TriggerRecord], disabling usedUp: [Trigger]) async throws {
        guard !states.isEmpty || !records.isEmpty || !usedUp.isEmpty else { return }
        try await queue.writeToTheEnd { db in
            for state in states {
                let statement = try db.cachedStatement(
                    sql: """
                        INSERT INTO triggerState (trigger, state) SELECT id, ? FROM trigger WHERE id = ?
                        ON CONFLICT (trigger) DO UPDATE SET state = excluded.state
                        """)
                try statement.execute(arguments: [state.json.text, state.trigger.description])
            }
            for record in records { try Self.save(record, db) }
            for trigger in usedUp {
                try db.cachedStatement(sql: "UPDATE trigger SET isEnabled = 0 WHERE id = ? AND definition = ?")
                    .execute(arguments: [trigger.id.description, trigger.definition.json.text])
            }
        }
    }

    private static func save(_ record: TriggerRecord, _ db: Database) throws {
        let trigger = record.trigger.description
        try db.cachedStatement(
            sql: """
                INSERT INTO triggerRecord (id, trigger, record) SELECT ?, id, ? FROM trigger WHERE id = ?
                ON CONFLICT (id) DO UPDATE SET record = excluded.record
                """
        ).execute(arguments: [record.id.description, record.json.text, trigger])
        try db.cachedStatement(
            sql: """
                DELETE FROM triggerRecord WHERE trigger = ? AND position <= (
                    SELECT position FROM triggerRecord WHERE trigger = ? ORDER BY position DESC LIMIT 1 OFFSET ?)
                """
        ).execute(arguments: [trigger, trigger, TriggerLimits.records])
    }

    func triggerRecords(of trigger: Trigger.ID) async throws -> [TriggerRecord] {
        try await queue.read { db in try HomeRows(db).triggerRecords(of: trigger) }
    }

    func triggerRecords(of home: Home.ID, limit: Int) async throws -> [TriggerRecord] {
        try await queue.read { db in try HomeRows(db).triggerRecords(of: home, limit: limit) }
    }

    func latestTriggerRecords(of home: Home.ID) async throws -> [TriggerRecord] {
        try await queue.read { db in try HomeRows(db).latestTriggerRecords(of: home) }
    }

    func fullDirectory(after error: (any Error)?) -> String? {
        DatabaseFile.fullDirectory(of: queue.path, after: error)
    }

    // MARK: Permissions

    func remember(_ permission: RememberedPermission) async throws {
        try await queue.writeToTheEnd { db in
            try db.execute(
                sql: """
                    INSERT INTO permission (app, uid, executable, isAllowed, usageDescription) VALUES (?, ?, ?, ?, ?)
                    ON CONFLICT (app, uid, executable) DO UPDATE SET isAllowed = excluded.isAllowed,
                        usageDescription = excluded.usageDescription
                    """,
                arguments: [
                    permission.app.app, Int64(permission.app.uid), permission.app.executable, permission.isAllowed,
                    permission.usageDescription,
                ])
        }
    }

    func forget(_ app: AppIdentity) async throws {
        try await queue.writeToTheEnd { db in
            for table in ["permission", "vendorClaim"] {
                try db.execute(
                    sql: "DELETE FROM \(table) WHERE app = ? AND uid = ? AND executable = ?",
                    arguments: [app.app, Int64(app.uid), app.executable])
            }
        }
    }

    func remember(_ claim: RememberedClaim) async throws {
        try await queue.writeToTheEnd { db in
            let app = claim.claim.app
            try db.execute(
                sql: """
                    INSERT INTO vendorClaim (app, uid, executable, vendor, isAllowed) VALUES (?, ?, ?, ?, ?)
                    ON CONFLICT (app, uid, executable, vendor) DO UPDATE SET isAllowed = excluded.isAllowed
                    """,
                arguments: [app.app, Int64(app.uid), app.executable, claim.claim.vendor, claim.isAllowed])
        }
    }

    func forget(_ claim: VendorClaimID) async throws {
        try await queue.writeToTheEnd { db in
            try db.execute(
                sql: "DELETE FROM vendorClaim WHERE app = ? AND uid = ? AND executable = ? AND vendor = ?",
                arguments: [claim.app.app, Int64(claim.app.uid), claim.app.executable, claim.vendor])
        }
    }

    private static func permissions(_ db: Database) throws -> [RememberedPermission] {
        try Row.fetchAll(db, sql: "SELECT * FROM permission ORDER BY position").map { row in
            RememberedPermission(
                app: try app(row), isAllowed: try row.flag("isAllowed"),
                usageDescription: try row.text("usageDescription"))
        }
    }

    private static func claims(_ db: Database) throws -> [RememberedClaim] {
        try Row.fetchAll(db, sql: "SELECT * FROM vendorClaim ORDER BY position").map { row in
            RememberedClaim(
                VendorClaimID(app: try app(row), vendor: try row.text("vendor")), isAllowed: try row.flag("isAllowed"))
        }
    }

    private static func app(_ row: Row) throws -> AppIdentity {
        AppIdentity(
            app: try row.text("app"), uid: UInt32(try row.number("uid", in: 0...Int64(UInt32.max))),
            executable: try row.text("executable"))
    }
}
