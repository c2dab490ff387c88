import Dispatch
package import GRDB
import Glibc
package import Logging

/// An SQLite file that this process owns exclusively.
///
/// A new file is first created under a temporary name, and then renamed atomically. An empty file, or a missing file
/// with leftovers next to it, is therefore damaged. It is rejected, and never replaced with a new database. Every
/// commit is durable before it returns.
package final class DatabaseFile: Sendable {
    package let queue: DatabaseQueue
    package let path: String
    private let lock: FileLock

    /// Opens the file, or creates it and its folder so that only this user can access them, and migrates its schema.
    ///
    /// Migrations may be added, but never changed or removed.
    ///
    /// - Throws: ``DatabaseFileError``.
    package init(
        path: String, migrator: DatabaseMigrator, applicationID: Int32, isMadeIfMissing: Bool = true, logger: Logger
    ) throws(DatabaseFileError) {
        self.path = path
        if !isMadeIfMissing, try !Self.exists(path), try !Self.exists(Self.successor(of: path)) {
            throw .missing(path: path)
        }
        try Self.makeFolder(of: path)
        lock = try FileLock(path: path + ".lock")
        try Self.finishReplacement(of: path)
        if try !Self.exists(path) {
            try Self.refuseRemains(of: path)
            try Self.make(path, migrator: migrator, applicationID: applicationID)
        }
        for file in [path, path + "-wal", path + "-shm", path + "-journal"] {
            try Self.checkAccess(file)
            try Self.tighten(file, logger: logger)
        }
        do {
            try Self.lookOver(path, migrator, applicationID)
            queue = try Self.openForGood(path)
            try migrator.migrate(queue)
        } catch let error as DatabaseFileError {
            throw error
        } catch {
            throw DatabaseFileError(error, path: path)
        }
    }

    /// Closes the file.
    ///
    /// The lock is released when this object is released.
    ///
    /// - Throws: ``DatabaseFileError`` if the file is still in use.
    package func close() throws(DatabaseFileError) {
        do { try queue.close() } catch { throw DatabaseFileError(error, path: path) }
    }

    // MARK: SQLite

    // SQLite keeps 32 KiB of shared memory in a file next to the database. A full disk may have no space for this file.
    // With exclusive access, SQLite works without it, but no other process can read the database in the meantime.
    static func open(
        _ path: String, isReadOnly: Bool = false, isWAL: Bool = false, isAlone: Bool = false
    ) throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.readonly = isReadOnly
        // GRDB's default quality of service raises a thread's priority. Only root may do that, and the system logs each
        // attempt.
        configuration.qos = .default
        configuration.foreignKeysEnabled = true
        configuration.busyMode = .timeout(5)
        configuration.prepareDatabase { database in
            guard !isReadOnly else { return }
            // This pragma takes effect only before the journal mode is set.
            if isAlone { try database.execute(sql: "PRAGMA locking_mode = EXCLUSIVE") }
            // Don't use `configuration.journalMode`, because it would relax `synchronous` afterwards.
            if isWAL { try database.execute(sql: "PRAGMA journal_mode = WAL") }
            try database.execute(sql: "PRAGMA synchronous = FULL")
            // Deleted keys must not remain in free pages.
            try database.execute(sql: "PRAGMA secure_delete = ON")
        }
        return try DatabaseQueue(path: path, configuration: configuration)
    }

    /// Checks a file before anything is written to it, so that a rejected file remains unchanged.
    private static func lookOver(_ path: String, _ migrator: DatabaseMigrator, _ applicationID: Int32) throws {
        func look(_ queue: DatabaseQueue) throws {
            try queue.read { database throws in try check(database, path, migrator, applicationID) }
            try queue.close()
        }
        do {
            // If there is a rollback journal, an incomplete change must first be rolled back, which requires write
            // access.
            try look(try open(path, isReadOnly: !exists(path + "-journal")))
        } catch let error as DatabaseError where error.extendedResultCode == .SQLITE_IOERR_SHMSIZE {
            // With exclusive access, SQLite writes the log into the database when it closes it, if there is enough
            // space.
            try look(try open(path, isAlone: true))
        }
    }

    /// Opens a file for the lifetime of the daemon.
    private static func openForGood(_ path: String) throws -> DatabaseQueue {
        do {
            return try open(path, isWAL: true)
        } catch let error as DatabaseError where error.extendedResultCode == .SQLITE_IOERR_SHMSIZE {
            return try open(path, isWAL: true, isAlone: true)
        }
    }

    /// Returns the finding in the last line of SQLite's report.
    static func finding(_ report: String) -> String { report.split(separator: "\n").last.map { String($0) } ?? report }

    static func check(
        _ database: Database, _ path: String, _ migrator: DatabaseMigrator, _ applicationID: Int32
    ) throws {
        let found = try String.fetchOne(database, sql: "PRAGMA quick_check(1)") ?? "no answer"
        guard found == "ok" else { throw DatabaseFileError.damaged(path: path, reason: finding(found)) }
        guard try Int32.fetchOne(database, sql: "PRAGMA application_id") == applicationID else {
            throw DatabaseFileError.foreign(path: path, reason: "is a database of another program")
        }
        guard try !migrator.hasBeenSuperseded(database) else {
            throw DatabaseFileError.foreign(path: path, reason: "was written by a newer version")
        }
    }

    private static func make(
        _ path: String, migrator: DatabaseMigrator, applicationID: Int32
    ) throws(DatabaseFileError) {
        let unfinished = path + ".new"
        try makeEmpty(unfinished)
        do {
            let queue = try open(unfinished)
            try queue.writeWithoutTransaction { database in
                // Until it is renamed, the file isn't used, and after a power failure, it is created again. It is
                // therefore enough to flush it once, below; by default, each migration would flush it four times.
                try database.execute(sql: "PRAGMA synchronous = OFF")
                try database.execute(sql: "PRAGMA application_id = \(applicationID)")
            }
            try migrator.migrate(queue)
            try queue.close()
        } catch {
            throw DatabaseFileError(error, path: unfinished)
        }
        try flush(unfinished)
        try rename(unfinished, to: path)
    }

    // MARK: Files

    static func refuseRemains(of path: String) throws(DatabaseFileError) {
        for remains in ["-wal", "-journal", ".backup", ".replaced"].map({ path + $0 }) where try exists(remains) {
            throw .damaged(path: path, reason: "it is missing, but \(remains) exists")
        }
    }

    static func exists(_ path: String) throws(DatabaseFileError) -> Bool {
        var status = stat()
        guard lstat(path, &status) != 0 else {
            // SQLite would create a file at the target of a broken link.
            guard stat(path, &status) == 0 else { throw .damaged(path: path, reason: "it is a broken link") }
            guard status.st_mode & S_IFMT == S_IFREG else { throw .damaged(path: path, reason: "it isn't a file") }
            guard status.st_size > 0 || path.hasSuffix("-wal") || path.hasSuffix("-journal") else {
                throw .damaged(path: path, reason: "it is empty")
            }
            return true
        }
        guard errno == ENOENT else { throw .creating(path, errno) }
        return false
    }

    /// Rejects a file that another user owns, because SQLite reports the same error for it as for a damaged file.
    private static func checkAccess(_ path: String) throws(DatabaseFileError) {
        guard access(path, R_OK | W_OK) == 0 || errno != EACCES else { throw .noPermission(path: path) }
    }

    /// Removes permissions for other users, which a copy or a manual change may have added.
    private static func tighten(_ path: String, logger: Logger) throws(DatabaseFileError) {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & 0o077 != 0 else { return }
        logger.warning(
            "database permissions restricted",
            metadata: ["file": "\(path)", "mode": "0\(String(status.st_mode & 0o777, radix: 8))"])
        guard chmod(path, 0o600) == 0 else { throw .creating(path, errno) }
    }

    package static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    private static func makeFolder(of path: String) throws(DatabaseFileError) {
        let folder = folder(of: path)
        var status = stat()
        if stat(folder, &status) == 0 { return }
        guard errno == ENOENT else { throw .creating(folder, errno) }
        try makeFolder(of: folder)
        guard mkdir(folder, 0o700) == 0 || errno == EEXIST else { throw .creating(folder, errno) }
        // If the entry of the folder itself is lost, everything in the folder is lost, so flush the parent folder. This
        // isn't possible without read permission for the parent folder.
        try? flush(Self.folder(of: folder))
    }
}
