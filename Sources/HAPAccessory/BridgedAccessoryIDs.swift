internal import AccessoryRole
internal import DatabaseKit
internal import GRDB
internal import HAPModel

/// The aids and iids of a bridge's accessories, by ``BridgedAccessory/id``.
///
/// A removed accessory keeps its row, because its aid must never be reused (HAP 9.1).
struct BridgedAccessoryIDs: Equatable, Sendable {
    struct Entry: Equatable, Sendable {
        var aid: AccessoryID
        var instanceIDs: InstanceIDs
    }

    private(set) var entries: [String: Entry] = [:]

    /// The ids of an accessory; a new accessory gets the next aid.
    subscript(id: String) -> Entry {
        mutating get {
            if let entry = entries[id] { return entry }
            // The bridge has aid 1.
            let last = entries.values.map(\.aid.rawValue).max() ?? 1
            let entry = Entry(aid: AccessoryID(last + 1), instanceIDs: InstanceIDs())
            entries[id] = entry
            return entry
        }
        set { entries[id] = newValue }
    }

    static func createTable(_ db: Database) throws {
        try db.create(table: "bridgedAccessory") { table in
            table.primaryKey("id", .text)
            table.column("aid", .integer).notNull().unique()
            table.column("instanceIDs", .text).notNull()
        }
    }

    init() {}

    init(_ db: Database) throws {
        for row in try Row.fetchAll(db, sql: "SELECT * FROM bridgedAccessory") {
            entries[try row.text("id")] = Entry(
                aid: AccessoryID(UInt64(try row.number("aid", in: 2...Int64(UInt32.max)))),
                instanceIDs: try row.read("instanceIDs", InstanceIDs(json: try row.text("instanceIDs"))))
        }
    }

    func save(_ db: Database) throws {
        for (id, entry) in entries { try Self.save(entry, of: id, db) }
    }

    static func save(_ entry: Entry, of id: String, _ db: Database) throws {
        try db.execute(
            sql: """
                INSERT INTO bridgedAccessory (id, aid, instanceIDs) VALUES (?, ?, ?)
                ON CONFLICT (id) DO UPDATE SET instanceIDs = excluded.instanceIDs
                """,
            arguments: [id, Int64(entry.aid.rawValue), entry.instanceIDs.json])
    }
}
