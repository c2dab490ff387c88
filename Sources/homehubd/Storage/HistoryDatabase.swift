internal import BoundedJSON
internal import DatabaseKit
internal import GRDB
internal import Glibc
internal import HAPModel
internal import HomeHub
internal import HomeModel
internal import Logging

/// The past values of accessories and the activity in SQLite, in a different file than the homes.
///
/// Values and activity older than 30 days are removed. If the file gets too large, the oldest are removed earlier.
struct HistoryDatabase: HistoryStore {
    /// The application ID that marks the database as this program's: "HIST" in ASCII.
    static let applicationID: Int32 = 0x4849_5354
    /// The time for which values are kept.
    static let lifetime = Duration.seconds(30 * 24 * 3600)

    /// The migrations from an empty file to the current tables.
    ///
    /// A released migration never changes.
    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1") { db in
            try db.execute(
                sql: """
                    CREATE TABLE series (id INTEGER PRIMARY KEY, characteristic TEXT NOT NULL UNIQUE);
                    CREATE TABLE entry (
                        series INTEGER NOT NULL REFERENCES series (id) ON DELETE CASCADE,
                        time INTEGER NOT NULL,
                        value NOT NULL,
                        PRIMARY KEY (series, time)) WITHOUT ROWID
                    """)
        }
        migrator.registerMigration("2") { db in try db.execute(sql: ActivityTables.creation) }
        return migrator
    }

    /// The open database, or the error that prevented opening it, which each call throws.
    private let database: Result<DatabaseQueue, DatabaseFileError>
    /// The maximum size of the stored values, in bytes.
    private let maximumSize: Int

    /// Creates a store from a migrated database.
    init(_ database: Result<DatabaseQueue, DatabaseFileError>, maximumSize: Int) {
        self.database = database
        self.maximumSize = maximumSize
    }

    var queue: DatabaseQueue { get throws { try database.get() } }

    /// Opens the file, or creates it.
    ///
    /// A damaged file is renamed, so that it never prevents the hub from starting.
    ///
    /// - Throws: `DatabaseFileError` if the file can't be opened or created.
    static func file(at path: String, logger: Logger) throws(DatabaseFileError) -> DatabaseFile {
        do {
            return try DatabaseFile(path: path, migrator: migrator, applicationID: applicationID, logger: logger)
        } catch {
            switch error {
            case .damaged, .foreign: break
            default: throw error
            }
            logger.error(
                "history set aside",
                metadata: [
                    "error": "\(error.description(restoringBy: "use the new history"))", "file": "\(path).damaged",
                ])
            for suffix in ["", "-wal", "-shm", "-journal"] {
                unlink(path + ".damaged" + suffix)
                rename(path + suffix, path + ".damaged" + suffix)
            }
            return try DatabaseFile(path: path, migrator: migrator, applicationID: applicationID, logger: logger)
        }
    }

    // MARK: Writing

    func append(_ samples: [HistorySample], _ activity: [ActivityEntry]) async throws {
        guard let newest = (samples.map(\.entry.time) + activity.map(\.time)).max() else { return }
        try await queue.writeToTheEnd { [maximumSize] db in
            guard maximumSize > 0 else {
                return try db.execute(sql: "DELETE FROM series; DELETE FROM activity; DELETE FROM object")
            }
            var series: [Characteristic.ID: Int64] = [:]
            let insert = try db.cachedStatement(
                sql: "INSERT OR REPLACE INTO entry (series, time, value) VALUES (?, ?, ?)")
            for sample in samples {
                let id = try series[sample.characteristic] ?? Self.series(of: sample.characteristic, db)
                series[sample.characteristic] = id
                try insert.execute(arguments: [
                    id, sample.entry.time.millisecondsSince1970, Self.stored(sample.entry.value),
                ])
            }
            var tables = ActivityTables(db)
            for entry in activity { try tables.insert(entry) }
            try Self.removeOld(db, before: newest)
            try Self.removeOldest(db, maximumSize: maximumSize)
        }
    }

    func removeAll(except objects: HistoryObjects) async throws {
        try await queue.writeToTheEnd { db in
            let kept = Set(objects.characteristics.map(\.description))
            for text in try String.fetchAll(db, sql: "SELECT characteristic FROM series") where !kept.contains(text) {
                try db.execute(sql: "DELETE FROM series WHERE characteristic = ?", arguments: [text])
            }
            try ActivityTables(db).removeAll(except: objects)
        }
    }

    func remove(_ accessory: Accessory.ID, characteristics: Set<Characteristic.ID>) async throws {
        try await queue.writeToTheEnd { db in
            try Self.removeSeries(of: characteristics, db)
            try ActivityTables(db).remove(accessory)
        }
    }

    func remove(_ home: Home.ID, characteristics: Set<Characteristic.ID>) async throws {
        try await queue.writeToTheEnd { db in
            try Self.removeSeries(of: characteristics, db)
            try ActivityTables(db).remove(home)
        }
    }

    private static func removeSeries(of characteristics: Set<Characteristic.ID>, _ db: Database) throws {
        let statement = try db.cachedStatement(sql: "DELETE FROM series WHERE characteristic = ?")
        for id in characteristics { try statement.execute(arguments: [id.description]) }
    }

    private static func series(of id: Characteristic.ID, _ db: Database) throws -> Int64 {
        try db.execute(
            sql: "INSERT OR IGNORE INTO series (characteristic) VALUES (?)", arguments: [id.description])
        return try Int64.fetchOne(
            db, sql: "SELECT id FROM series WHERE characteristic = ?", arguments: [id.description]) ?? 0
    }

    private static func removeOld(_ db: Database, before newest: Timestamp) throws {
        try remove(db, until: newest.millisecondsSince1970 - Int64(lifetime / .milliseconds(1)) - 1)
    }

    /// Removes values and activity up to a time in milliseconds.
    private static func remove(_ db: Database, until limit: Int64) throws {
        try db.execute(sql: "DELETE FROM entry WHERE time <= ?", arguments: [limit])
        let first = ActivityEntry.ID.first(at: Timestamp(millisecondsSince1970: limit + 1))
        try db.execute(sql: "DELETE FROM activity WHERE id < ?", arguments: [first.number])
    }

    /// Repeatedly removes the oldest tenth of the values or of the activity, until the file is small enough.
    private static func removeOldest(_ db: Database, maximumSize: Int) throws {
        while try size(db) > maximumSize {
            let limits = [
                try oldest(db, "SELECT count(*) FROM entry", "SELECT time FROM entry ORDER BY time LIMIT 1 OFFSET ?"),
                try oldest(db, "SELECT count(*) FROM activity", "SELECT id FROM activity ORDER BY id LIMIT 1 OFFSET ?")
                    .map { ActivityEntry.ID(number: $0).time.millisecondsSince1970 },
            ]
            guard let limit = limits.compactMap(\.self).min() else { return }
            try remove(db, until: limit)
        }
    }

    /// Returns the value at the end of the first tenth of a table.
    private static func oldest(_ db: Database, _ count: String, _ value: String) throws -> Int64? {
        let count = try Int.fetchOne(db, sql: count) ?? 0
        return try Int64.fetchOne(db, sql: value, arguments: [count / 10])
    }

    /// Returns the size of the used pages in bytes.
    private static func size(_ db: Database) throws -> Int {
        func number(_ name: String) throws -> Int { try Int.fetchOne(db, sql: "PRAGMA \(name)") ?? 0 }
        return try (number("page_count") - number("freelist_count")) * number("page_size")
    }

    // MARK: Reading

    func entries(_ request: HistoryRequest) async throws -> [HistoryEntry] {
        try await queue.read { db in
            guard
                let series = try Int64.fetchOne(
                    db, sql: "SELECT id FROM series WHERE characteristic = ?",
                    arguments: [request.characteristic.description])
            else { return [] }
            let (since, until) = (request.since.millisecondsSince1970, request.until.millisecondsSince1970)
            let first = try Row.fetchAll(
                db, sql: "SELECT time, value FROM entry WHERE series = ? AND time <= ? ORDER BY time DESC LIMIT 1",
                arguments: [series, since])
            // In a query with max(), SQLite takes the other columns from the row with the maximum.
            let groups = request.interval == nil ? "time" : "max(time) AS time"
            let grouping = request.interval.map { "GROUP BY time / \($0)" } ?? ""
            let later = try Row.fetchAll(
                db,
                sql: """
                    SELECT \(groups), value FROM entry WHERE series = ? AND time > ? AND time <= ? \(grouping)
                    ORDER BY time LIMIT ?
                    """,
                arguments: [series, since, until, HistoryRequest.maximumCount - first.count])
            return try (first + later).map(Self.entry)
        }
    }

    func activity(_ query: ActivityQuery) async throws -> [ActivityEntry] {
        try await queue.read { db in try ActivityTables(db).entries(query) }
    }

    // MARK: Values

    static func stored(_ value: CharacteristicValue) -> any DatabaseValueConvertible {
        switch value {
        case .integer(let number): number
        case .float(let number) where number.isFinite: number
        default: value.json.text
        }
    }

    private static func entry(_ row: Row) throws -> HistoryEntry {
        let time = try row.number("time", in: Int64.min...Int64.max)
        return HistoryEntry(time: Timestamp(millisecondsSince1970: time), value: try value(row, "value"))
    }

    static func value(_ row: Row, _ column: String) throws -> CharacteristicValue {
        switch (row[column] as DatabaseValue).storage {
        case .int64(let number): .integer(number)
        case .double(let number): .float(number)
        case .string(let text):
            try CharacteristicValue(json: JSONValue(parsing: Array(text.utf8), maximumLength: 256))
        case .null, .blob: throw row.damaged(column)
        }
    }
}
