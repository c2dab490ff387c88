internal import BoundedJSON
internal import DatabaseKit
internal import GRDB
internal import HAPModel
internal import HomeHub
internal import HomeModel

/// The tables of the activity.
///
/// An accessory's report takes about 60 bytes: objects are numbers, and only changes other than values are JSON.
struct ActivityTables {
    static let creation = """
        CREATE TABLE object (id INTEGER PRIMARY KEY, uuid TEXT NOT NULL UNIQUE);
        CREATE TABLE activity (
            id INTEGER PRIMARY KEY,
            time INTEGER,
            home INTEGER NOT NULL,
            cause TEXT);
        CREATE TABLE activityChange (
            activity INTEGER NOT NULL REFERENCES activity (id) ON DELETE CASCADE,
            position INTEGER NOT NULL,
            accessory INTEGER,
            characteristic INTEGER,
            old,
            new,
            change TEXT,
            PRIMARY KEY (activity, position)) WITHOUT ROWID;
        CREATE INDEX activityChangeAccessory ON activityChange (accessory, activity) WHERE accessory IS NOT NULL
        """

    /// The maximum length of a stored cause or change, in bytes.
    private static let longestText = 1 << 16

    private let db: Database
    /// The known numbers of objects.
    private var numbers: [String: Int64] = [:]

    init(_ db: Database) { self.db = db }

    // MARK: Writing

    mutating func insert(_ entry: ActivityEntry) throws {
        let cause = entry.cause == ActivityCause() ? nil : entry.cause.json.text
        // The ID contains the time, unless the clock was set back.
        let time = entry.id.time == entry.time ? nil : entry.time.millisecondsSince1970
        try db.cachedStatement(sql: "INSERT OR REPLACE INTO activity (id, time, home, cause) VALUES (?, ?, ?, ?)")
            .execute(arguments: [entry.id.number, time, try number(of: entry.home.description), cause])
        for (position, change) in entry.changes.enumerated() {
            var (characteristic, old, new, text):
                (Int64?, (any DatabaseValueConvertible)?, (any DatabaseValueConvertible)?, String?)
            if case .value(_, let id, let former, let value) = change {
                characteristic = try number(of: id.description)
                (old, new) = (former.map(HistoryDatabase.stored), HistoryDatabase.stored(value))
            } else {
                text = change.json.text
            }
            let accessory = try change.accessory.map { try number(of: $0.description) }
            try db.cachedStatement(
                sql: """
                    INSERT INTO activityChange (activity, position, accessory, characteristic, old, new, change)
                    VALUES (?, ?, ?, ?, ?, ?, ?)
                    """
            ).execute(arguments: [entry.id.number, position, accessory, characteristic, old, new, text])
        }
    }

    private mutating func number(of uuid: String) throws -> Int64 {
        if let number = numbers[uuid] { return number }
        try db.cachedStatement(sql: "INSERT OR IGNORE INTO object (uuid) VALUES (?)").execute(arguments: [uuid])
        let number = try Int64.fetchOne(db, sql: "SELECT id FROM object WHERE uuid = ?", arguments: [uuid]) ?? 0
        numbers[uuid] = number
        return number
    }

    // MARK: Removing

    /// Removes the changes of all objects except the given ones.
    func removeAll(except objects: HistoryObjects) throws {
        var kept = Set(objects.homes.map(\.description))
        kept.formUnion(objects.accessories.map(\.description))
        kept.formUnion(objects.characteristics.map(\.description))
        let removed = try Row.fetchAll(db, sql: "SELECT id, uuid FROM object")
            .filter { !kept.contains($0["uuid"]) }.map { "\($0["id"] as Int64)" }.joined(separator: ",")
        guard !removed.isEmpty else { return }
        // One search for all objects, because the changes have no index by characteristic.
        try removeChanges("accessory IN (\(removed)) OR characteristic IN (\(removed))")
        try db.execute(sql: "DELETE FROM activity WHERE home IN (\(removed))")
        try db.execute(sql: "DELETE FROM object WHERE id IN (\(removed))")
    }

    /// Removes the changes of an accessory, and the entries without other changes.
    func remove(_ accessory: Accessory.ID) throws {
        guard let number = try known(accessory.description) else { return }
        try removeChanges("accessory = \(number)")
    }

    /// Removes the activity of a home.
    func remove(_ home: Home.ID) throws {
        guard let number = try known(home.description) else { return }
        try db.execute(sql: "DELETE FROM activity WHERE home = ?", arguments: [number])
    }

    private func removeChanges(_ condition: String) throws {
        let affected = try Int64.fetchAll(db, sql: "SELECT DISTINCT activity FROM activityChange WHERE \(condition)")
        guard !affected.isEmpty else { return }
        try db.execute(sql: "DELETE FROM activityChange WHERE \(condition)")
        let statement = try db.cachedStatement(
            sql: """
                DELETE FROM activity WHERE id = ?
                AND NOT EXISTS (SELECT 1 FROM activityChange WHERE activity = activity.id)
                """)
        for id in affected { try statement.execute(arguments: [id]) }
    }

    private func known(_ uuid: String) throws -> Int64? {
        try Int64.fetchOne(db, sql: "SELECT id FROM object WHERE uuid = ?", arguments: [uuid])
    }

    // MARK: Reading

    func entries(_ query: ActivityQuery) throws -> [ActivityEntry] {
        guard let home = try known(query.home.description) else { return [] }
        let (lower, upper) = (query.ids.lowerBound.number, query.ids.upperBound.number)
        var filter = ""
        if let accessories = query.accessories {
            let numbers = try accessories.compactMap { try known($0.description) }.map { "\($0)" }
            filter = """
                AND id IN (SELECT DISTINCT activity FROM activityChange
                    WHERE accessory IN (\(numbers.joined(separator: ","))) AND activity >= \(lower) AND activity < \(upper)
                    ORDER BY activity DESC LIMIT \(query.count))
                """
        }
        let rows = try Row.fetchAll(
            db,
            sql: """
                SELECT id, time, cause FROM activity WHERE home = ? AND id >= ? AND id < ? \(filter)
                ORDER BY id DESC LIMIT ?
                """,
            arguments: [home, lower, upper, query.count])
        guard !rows.isEmpty else { return [] }
        var changes = try changes(of: rows.map { $0["id"] })
        return try rows.compactMap { row in
            let id = ActivityEntry.ID(number: try row.number("id", in: 0...Int64.max))
            let time = (row["time"] as Int64?).map { Timestamp(millisecondsSince1970: $0) } ?? id.time
            let cause = try (row["cause"] as String?).map { try ActivityCause(json: Self.parsed($0)) }
            let entry = ActivityEntry(
                id: id, home: query.home, time: time, cause: cause ?? ActivityCause(),
                changes: changes.removeValue(forKey: id.number) ?? [])
            return query.part(of: entry)
        }
    }

    /// Returns the changes of the given entries, by entry.
    private func changes(of ids: [Int64]) throws -> [Int64: [ActivityChange]] {
        let rows = try Row.fetchAll(
            db,
            sql: """
                SELECT activity, change, old, new, accessory.uuid AS accessory, characteristic.uuid AS characteristic
                FROM activityChange
                LEFT JOIN object AS accessory ON accessory.id = activityChange.accessory
                LEFT JOIN object AS characteristic ON characteristic.id = activityChange.characteristic
                WHERE activity IN (\(ids.map { "\($0)" }.joined(separator: ","))) ORDER BY activity, position
                """)
        var changes: [Int64: [ActivityChange]] = [:]
        for row in rows { changes[row["activity"], default: []].append(try Self.change(row)) }
        return changes
    }

    private static func change(_ row: Row) throws -> ActivityChange {
        if let text = row["change"] as String? { return try ActivityChange(json: parsed(text)) }
        guard let accessory = (row["accessory"] as String?).flatMap({ Accessory.ID($0) }),
            let characteristic = (row["characteristic"] as String?).flatMap({ Characteristic.ID($0) })
        else { throw row.damaged("accessory") }
        let hasOld = !(row["old"] as DatabaseValue).isNull
        return .value(
            accessory: accessory, characteristic: characteristic,
            old: hasOld ? try HistoryDatabase.value(row, "old") : nil, new: try HistoryDatabase.value(row, "new"))
    }

    private static func parsed(_ text: String) throws -> JSONValue {
        try JSONValue(parsing: Array(text.utf8), maximumLength: longestText)
    }
}
