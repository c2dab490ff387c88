import BoundedJSON
import DatabaseKit
import Glibc
import HubControl
import Logging
import OperatorControl
import SystemKit

/// Backs up and restores homes while the hub isn't running.
///
/// It implements `homehubd --backup` and `--restore`, which `homehub backup` and `restore` use.
///
/// If root runs these commands, they switch to the owner of the state directory, so that the daemon can use the files
/// that they create.
enum OfflineHomeStorage {
    /// Writes a backup to standard output.
    ///
    /// - Throws: `DatabaseFileError`, also if the hub is running.
    static func backup(_ places: HubDaemon.Places, logger: Logger) async throws {
        try DatabaseFile.becomeOwner(of: places.stateDirectory)
        let file = try HomeDatabase.file(at: places.database, isMadeIfMissing: false, logger: logger)
        let history = try HistoryDatabase.file(at: places.history, logger: logger)
        defer { HomeBackup.discardRemains(places) }
        if !(try await HomeBackup.take(of: file, history: history, in: places)) {
            StandardStreams.printError("homehubd: the backup contains no history, because \(places.history) is damaged")
        }
        try HomeBackup.print(places.exportedDatabase)
        try history.close()
        try file.close()
    }

    /// Reads a backup from standard input and replaces the databases with it.
    ///
    /// - Throws: `DatabaseFileError`, also if the hub is running, or ``HomeBackupRefusal``.
    static func restore(_ places: HubDaemon.Places, json: Bool) async throws {
        try DatabaseFile.becomeOwner(of: places.stateDirectory)
        let locks = [try FileLock(path: places.database + ".lock"), try FileLock(path: places.history + ".lock")]
        let listing = try await HomeBackup.admit(from: STDIN_FILENO, into: places)
        try HomeBackup.install(listing, places)
        withExtendedLifetime(locks) {}
        StandardStreams.printLine(json ? listing.json.text : listing.sentences)
    }
}
