import DaemonKit
import DatabaseKit
import GRDB
import Glibc
import HomeHub
import HomeModel
import HubControl
import SystemKit

/// Creates and restores backups of the homes, the pairings, the permissions, the automations and the history.
///
/// A backup is a copy of `home.sqlite` with an additional table, which contains `history.sqlite`. A daily copy is a
/// backup without a history.
enum HomeBackup {
    /// The size of the parts in which the history is stored, in bytes.
    private static let partSize = 1 << 20

    // MARK: Backup

    /// Writes a backup of databases that are in use to ``HubDaemon/Places/exportedDatabase``.
    ///
    /// A damaged history is left out, so that the keys can be saved.
    ///
    /// - Returns: Whether the backup contains the history.
    /// - Throws: `DatabaseFileError`.
    static func take(of file: DatabaseFile, history: DatabaseFile?, in places: HubDaemon.Places) async throws -> Bool {
        defer { DatabaseFile.discard([places.exportedHistory]) }
        do {
            try await file.copyAside(to: places.exportedDatabase)
            guard let history else { return false }
            do {
                try await history.copyAside(to: places.exportedHistory)
            } catch DatabaseFileError.damaged {
                return false
            }
            try await DatabaseFile.adopt(
                places.exportedDatabase, migrator: HomeSchema.migrator, applicationID: HomeSchema.applicationID
            ) { queue in
                try await queue.writeToTheEnd { db in try pack(places.exportedHistory, into: db) }
            }
            return true
        } catch {
            DatabaseFile.discard([places.exportedDatabase])
            throw error
        }
    }

    private static func pack(_ path: String, into db: Database) throws {
        try db.execute(sql: "CREATE TABLE historyPart (number INTEGER PRIMARY KEY, bytes BLOB NOT NULL)")
        let file = try opened(path, O_RDONLY)
        defer { close(file) }
        var number = 0
        while true {
            let part: [UInt8]
            do { part = try OpenFile(file).readPart(atMost: partSize) } catch {
                throw DatabaseFileError.using(path, error)
            }
            guard !part.isEmpty else { return }
            try db.execute(
                sql: "INSERT INTO historyPart (number, bytes) VALUES (?, ?)", arguments: [number, Blob(part).data])
            number += 1
        }
    }

    // MARK: Restore

    /// Copies a backup to files next to the databases, checks it, and prepares it to replace the databases.
    ///
    /// The caller must hold the locks of the databases.
    ///
    /// - Throws: ``HomeBackupRefusal`` if the backup is unusable, or `DatabaseFileError`. The databases are then
    ///   unchanged.
    static func admit(from input: CInt, into places: HubDaemon.Places) async throws -> HubRestoreListing {
        do {
            try receive(input, places.restoredDatabase)
            if let refusal = HomeBackupRefusal(of: try BackupHeader(ofFile: places.restoredDatabase)) { throw refusal }
            var listing = try await adoptHomes(places)
            if listing.hasHistory {
                try await DatabaseFile.adopt(
                    places.restoredHistory, migrator: HistoryDatabase.migrator,
                    applicationID: HistoryDatabase.applicationID
                ) { _ in }
            }
            listing.replaced = [places.database, listing.hasHistory ? places.history : nil].compactMap(\.self)
                .filter { access($0, F_OK) == 0 }.map { $0 + ".replaced" }
            return listing
        } catch {
            discardRemains(places)
            switch error {
            case is DamagedDatabase, DatabaseFileError.damaged: throw HomeBackupRefusal.damaged
            case DatabaseFileError.foreign(_, let reason): throw HomeBackupRefusal.foreign(reason)
            default: throw error
            }
        }
    }

    private static func adoptHomes(_ places: HubDaemon.Places) async throws -> HubRestoreListing {
        try await DatabaseFile.adopt(
            places.restoredDatabase, migrator: HomeSchema.migrator, applicationID: HomeSchema.applicationID
        ) { queue in
            let stored = try HomeDatabase(queue).load()
            try PairingDatabase(queue).check()
            let hasHistory = try await queue.writeToTheEnd { db in try unpack(db, to: places.restoredHistory) }
            if hasHistory { try await queue.writeWithoutTransaction { try $0.execute(sql: "VACUUM") } }
            let homes = stored.graph.homes
            return HubRestoreListing(
                homes: homes.count, accessories: homes.map(\.accessories.count).reduce(0, +),
                automations: homes.map(\.triggers.count).reduce(0, +), apps: stored.permissions.count,
                hasHistory: hasHistory)
        }
    }

    /// Moves the history from the backup to a file; returns whether the backup contains a history.
    private static func unpack(_ db: Database, to path: String) throws -> Bool {
        guard try db.tableExists("historyPart") else { return false }
        try writeParts(db, to: path)
        try db.execute(sql: "DROP TABLE historyPart")
        return true
    }

    private static func writeParts(_ db: Database, to path: String) throws {
        try DatabaseFile.makeEmpty(path)
        let file = try opened(path, O_WRONLY)
        defer { close(file) }
        let rows = try Row.fetchCursor(db, sql: "SELECT number, bytes FROM historyPart ORDER BY number")
        var next: Int64 = 0
        while let row = try rows.next() {
            guard try row.number("number", in: 0 ... .max) == next else { throw row.damaged("number") }
            do { try OpenFile(file).write(row.blob("bytes")) } catch let error as SystemError {
                throw DatabaseFileError.using(path, error)
            }
            next += 1
        }
    }

    /// Replaces the databases, which aren't in use, with the prepared ones.
    ///
    /// The former ones are kept with the suffix `.replaced`.
    ///
    /// - Throws: `DatabaseFileError`.
    static func install(_ listing: HubRestoreListing, _ places: HubDaemon.Places) throws {
        try DatabaseFile.replace(places.database, by: places.restoredDatabase)
        if listing.hasHistory { try DatabaseFile.replace(places.history, by: places.restoredHistory) }
    }

    /// Removes the files of an interrupted backup or restore.
    ///
    /// The caller must hold the locks of the databases.
    static func discardRemains(_ places: HubDaemon.Places) {
        DatabaseFile.discard([
            places.exportedDatabase, places.exportedHistory, places.restoredDatabase, places.restoredHistory,
        ])
    }

    // MARK: Files

    /// Writes a backup to standard output.
    ///
    /// - Throws: `DatabaseFileError`.
    static func print(_ path: String) throws {
        let file = try opened(path, O_RDONLY)
        defer { close(file) }
        try copy(from: file, named: path, to: STDOUT_FILENO, named: "standard output")
    }

    private static func receive(_ input: CInt, _ path: String) throws {
        try DatabaseFile.makeEmpty(path)
        let output = try opened(path, O_WRONLY)
        defer { close(output) }
        try copy(from: input, named: "standard input", to: output, named: path)
    }

    private static func opened(_ path: String, _ access: CInt) throws(DatabaseFileError) -> CInt {
        let file = open(path, access | O_CLOEXEC)
        guard file >= 0 else { throw .using(path) }
        return file
    }

    private static func copy(
        from input: CInt, named source: String, to output: CInt, named target: String
    ) throws(DatabaseFileError) {
        while true {
            let part: [UInt8]
            do { part = try OpenFile(input).readPart(atMost: partSize) } catch { throw .using(source, error) }
            guard !part.isEmpty else { return }
            do { try OpenFile(output).write(part) } catch { throw .using(target, error) }
        }
    }
}
