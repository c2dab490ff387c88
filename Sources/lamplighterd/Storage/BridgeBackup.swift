import AccessoryRole
import BridgeControl
import DaemonKit
import DatabaseKit
import DeviceBridge
import Glibc
import HAPAccessory
import HAPModel
import HAPProtocol
import Logging
import PairingFiles
import SystemKit

/// Creates and restores backups of the bridge's entire state.
///
/// A backup is a single file, which is an SQLite database.
enum BridgeBackup {
    /// The number by which `c#` is increased when a backup is restored.
    ///
    /// After the increase, `c#` usually differs from the last value that controllers have seen, so they read the
    /// accessories again.
    static let configurationNumberStep = 10

    // MARK: Backup

    /// Returns a consistent copy of a database that is in use.
    ///
    /// - Throws: `DatabaseFileError`.
    static func take(of file: DatabaseFile, in places: BridgeDaemon.Places) throws -> [UInt8] {
        let copy = places.exportedDatabase
        defer { unlink(copy) }
        try file.copy(to: copy)
        return try read(copy)
    }

    // MARK: Restore

    /// Writes a backup to a file next to the database, checks it, and prepares it to replace the database.
    ///
    /// - Throws: `DatabaseFileError` if the backup is unusable. In that case, the database is unchanged.
    static func admit(_ bytes: [UInt8], into places: BridgeDaemon.Places) async throws -> RestoreListing {
        let candidate = places.restoredDatabase
        do {
            try DatabaseFile.makeEmpty(candidate)
            try write(bytes, to: candidate)
            return try await DatabaseFile.adopt(
                candidate, migrator: BridgeDatabase.migrator, applicationID: BridgeDaemon.applicationID
            ) { queue in
                let database = BridgeDatabase(queue)
                let stored = try await database.load(makingIdentity: false)
                try await database.server.raiseConfigurationNumbers(by: configurationNumberStep)
                return RestoreListing(
                    deviceID: stored.server.identity.deviceID.description,
                    pairings: stored.servers.values.map(\.pairings.pairings.count).reduce(0, +),
                    lights: stored.lights.count(where: { !$0.isRemoved }))
            }
        } catch {
            discardRemains(places)
            switch error {
            case is DamagedDatabase, DatabaseFileError.damaged: throw DatabaseFileError.notABackup(of: "a bridge")
            case DatabaseFileError.foreign(_, let reason):
                throw DatabaseFileError.foreign(path: "the backup", reason: reason)
            default: throw error
            }
        }
    }

    // MARK: Reset

    /// Prepares a replacement for the database: a copy with new identities and without pairings.
    ///
    /// - Throws: `DatabaseFileError`. The database is then unchanged.
    static func prepareReset(of file: DatabaseFile, in places: BridgeDaemon.Places) async throws {
        do {
            try file.copy(to: places.restoredDatabase)
            try await DatabaseFile.adopt(
                places.restoredDatabase, migrator: BridgeDatabase.migrator, applicationID: BridgeDaemon.applicationID
            ) { try await BridgeDatabase($0).server.resetAll() }
        } catch {
            discardRemains(places)
            throw error
        }
    }

    // MARK: Import

    /// Prepares a replacement for the database: a copy with the identity and the pairings of another program's bridge.
    ///
    /// The lights keep their settings and states, and get new aids, because the imported controllers know other
    /// accessories by the present ones.
    ///
    /// - Parameters:
    ///   - order: The identity, and whether the present pairings may be lost.
    ///   - file: The database.
    ///   - places: The places of the bridge's files.
    /// - Returns: The contents of the replacement.
    /// - Throws: ``IdentityImportError`` or `DatabaseFileError`. The database is then unchanged.
    static func prepareImport(
        _ order: BridgeImport, over file: DatabaseFile, in places: BridgeDaemon.Places
    ) async throws -> RestoreListing {
        let imported = try ImportedIdentity(order.identity)
        let candidate = places.restoredDatabase
        do {
            try file.copy(to: candidate)
            return try await DatabaseFile.adopt(
                candidate, migrator: BridgeDatabase.migrator, applicationID: BridgeDaemon.applicationID
            ) { queue in
                let database = BridgeDatabase(queue)
                let former = try await database.load().server.pairings.pairings.count
                guard former == 0 || order.replacesPairings else { throw IdentityImportError.isPaired(former) }
                try await imported.save(in: database)
                let stored = try await database.load(makingIdentity: false)
                return RestoreListing(
                    deviceID: stored.server.identity.deviceID.description,
                    pairings: stored.server.pairings.pairings.count,
                    lights: stored.lights.count(where: { !$0.isRemoved }))
            }
        } catch {
            discardRemains(places)
            throw error
        }
    }

    // MARK: Replacement

    /// Durably registers the prepared database, so that the next start of the bridge uses it.
    ///
    /// - Throws: `DatabaseFileError`. The next start is then unaffected.
    static func useAtNextStart(_ places: BridgeDaemon.Places) throws {
        do {
            try DatabaseFile.setSuccessor(of: places.database, to: places.restoredDatabase)
        } catch {
            discardRemains(places)
            throw error
        }
    }

    /// Replaces a database that isn't in use with the prepared database.
    ///
    /// - Throws: `DatabaseFileError`.
    static func install(_ places: BridgeDaemon.Places) throws {
        try DatabaseFile.replace(places.database, by: places.restoredDatabase)
    }

    /// Removes the files of an interrupted backup or restore.
    ///
    /// The caller must hold the lock of the database.
    static func discardRemains(_ places: BridgeDaemon.Places) {
        DatabaseFile.discard([places.restoredDatabase, places.exportedDatabase])
    }

    // MARK: Files

    private static func read(_ path: String) throws(DatabaseFileError) -> [UInt8] {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw .using(path) }
        defer { close(file) }
        return try read(file, path)
    }

    /// Reads an entire backup.
    ///
    /// - Throws: `DatabaseFileError` if it can't be read or is too large.
    static func read(_ file: CInt, _ name: String) throws(DatabaseFileError) -> [UInt8] {
        let bytes: [UInt8]
        do { bytes = try OpenFile(file).read(limit: FileTransfer.maximumFileSize) } catch { throw .using(name, error) }
        guard bytes.count <= FileTransfer.maximumFileSize else { throw .notABackup(of: "a bridge") }
        return bytes
    }

    private static func write(_ bytes: [UInt8], to path: String) throws(DatabaseFileError) {
        let file = open(path, O_WRONLY | O_CLOEXEC)
        guard file >= 0 else { throw .using(path) }
        defer { close(file) }
        try write(bytes, to: file, path)
    }

    /// Writes an entire backup.
    ///
    /// - Throws: `DatabaseFileError` if it can't be written.
    static func write(_ bytes: [UInt8], to file: CInt, _ name: String) throws(DatabaseFileError) {
        do { try OpenFile(file).write(bytes) } catch { throw .using(name, error) }
    }
}
