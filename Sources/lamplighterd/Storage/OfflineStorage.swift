import BoundedJSON
import BridgeControl
import DaemonKit
import DatabaseKit
import Glibc
import Logging
import PairingFiles
import SystemKit

/// Backs up, restores and replaces the state of a bridge that isn't running.
///
/// It implements `lamplighterd --backup`, `--restore` and `--import-identity`, which `lamplighter backup`, `restore` and
/// `import` use.
///
/// If root runs these commands, they switch to the owner of the state directory, so that the daemon can use the files
/// that they create.
enum OfflineStorage {
    /// Writes a backup to standard output.
    ///
    /// - Throws: `DatabaseFileError`, also if the bridge is running.
    static func backup(_ places: BridgeDaemon.Places, logger: Logger) throws {
        try DatabaseFile.becomeOwner(of: places.stateDirectory)
        let file = try DatabaseFile(
            path: places.database, migrator: BridgeDatabase.migrator, applicationID: BridgeDaemon.applicationID,
            isMadeIfMissing: false, logger: logger)
        try BridgeBackup.write(try BridgeBackup.take(of: file, in: places), to: STDOUT_FILENO, "standard output")
        try file.close()
    }

    /// Reads a backup from standard input and replaces the database with it.
    ///
    /// - Throws: `DatabaseFileError`, also if the bridge is running.
    static func restore(_ places: BridgeDaemon.Places, json: Bool) async throws {
        let bytes = try BridgeBackup.read(STDIN_FILENO, "standard input")
        try DatabaseFile.becomeOwner(of: places.stateDirectory)
        let lock = try FileLock(path: places.database + ".lock")
        let listing = try await BridgeBackup.admit(bytes, into: places)
        try BridgeBackup.install(places)
        withExtendedLifetime(lock) {}
        StandardStreams.printLine(json ? listing.json.text : listing.sentence)
    }

    /// Reads the identity of another program's bridge from standard input and takes it over.
    ///
    /// - Throws: ``IdentityImportError``, or `DatabaseFileError`, also if the bridge is running.
    static func importIdentity(_ places: BridgeDaemon.Places, json: Bool, logger: Logger) async throws {
        let bytes = try BridgeBackup.read(STDIN_FILENO, "standard input")
        guard let order = try? JSONValue(parsing: bytes).decoded(as: BridgeImport.self) else {
            throw IdentityImportError.invalid("the input isn't from lamplighter import")
        }
        try DatabaseFile.becomeOwner(of: places.stateDirectory)
        let file = try DatabaseFile(
            path: places.database, migrator: BridgeDatabase.migrator, applicationID: BridgeDaemon.applicationID,
            isMadeIfMissing: false, logger: logger)
        let listing = try await BridgeBackup.prepareImport(order, over: file, in: places)
        try file.close()
        guard !order.isTrial else { return BridgeBackup.discardRemains(places) }
        try BridgeBackup.install(places)
        // The file holds the lock of the database.
        withExtendedLifetime(file) {}
        StandardStreams.printLine(json ? listing.json.text : listing.sentence)
    }
}
