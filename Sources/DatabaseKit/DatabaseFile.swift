import Dispatch
package import GRDB
import Glibc
package import Logging

/// An SQLite file of which this process is the only owner.
///
/// It is made whole or not at all, under another name first, so an empty or missing file beside its remains is a
/// damaged one and refused, never replaced. Every commit is on disk before it returns.
package final class DatabaseFile: Sendable {
    package let queue: DatabaseQueue
    package let path: String
    private let lock: FileLock

    /// Opens the file, or creates it and its folder for this user alone, and brings its schema up to date.
    ///
    /// Migrations may be added, never changed or removed.
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

    /// Ends all use of the file; the lock goes with this object.
    ///
    /// - Throws: ``DatabaseFileError`` if something still uses it.
    package func close() throws(DatabaseFileError) {
        do { try queue.close() } catch { throw DatabaseFileError(error, path: path) }
    }

    // MARK: SQLite

    // SQLite keeps 32 KiB beside a database for those that share it. A full disk may have no room for that; who is alone
    // goes on without, and no other process can read the database meanwhile.
    static func open(
        _ path: String, isReadOnly: Bool = false, isWAL: Bool = false, isAlone: Bool = false
    ) throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.readonly = isReadOnly
        // The usual quality of service raises a thread's priority, which only root may do: the system's log has a line of it.
        configuration.qos = .default
        configuration.foreignKeysEnabled = true
        configuration.busyMode = .timeout(5)
        configuration.prepareDatabase { database in
            guard !isReadOnly else { return }
            // Holds only if it is said first.
            if isAlone { try database.execute(sql: "PRAGMA locking_mode = EXCLUSIVE") }
            // Not by `configuration.journalMode`, which would relax `synchronous` afterwards.
            if isWAL { try database.execute(sql: "PRAGMA journal_mode = WAL") }
            try database.execute(sql: "PRAGMA synchronous = FULL")
            // Deleted keys do not linger in free pages.
            try database.execute(sql: "PRAGMA secure_delete = ON")
        }
        return try DatabaseQueue(path: path, configuration: configuration)
    }

    /// Looks a file over before anything is written, so that what is refused stays as it was found.
    private static func lookOver(_ path: String, _ migrator: DatabaseMigrator, _ applicationID: Int32) throws {
        func look(_ queue: DatabaseQueue) throws {
            try queue.read { database throws in try check(database, path, migrator, applicationID) }
            try queue.close()
        }
        do {
            // A half-done change in a rollback journal has to be undone first, and that is writing.
            try look(try open(path, isReadOnly: !exists(path + "-journal")))
        } catch let error as DatabaseError where error.extendedResultCode == .SQLITE_IOERR_SHMSIZE {
            // Who is alone writes the log into the database at the end, as far as there is room.
            try look(try open(path, isAlone: true))
        }
    }

    /// Opens a file for the daemon's life.
    private static func openForGood(_ path: String) throws -> DatabaseQueue {
        do {
            return try open(path, isWAL: true)
        } catch let error as DatabaseError where error.extendedResultCode == .SQLITE_IOERR_SHMSIZE {
            return try open(path, isWAL: true, isAlone: true)
        }
    }

    static func check(
        _ database: Database, _ path: String, _ migrator: DatabaseMigrator, _ applicationID: Int32
    ) throws {
        let found = try String.fetchOne(database, sql: "PRAGMA quick_check(1)") ?? "no answer"
        guard found == "ok" else { throw DatabaseFileError.damaged(path: path, reason: found) }
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
                // It is nothing until it has its name, and begun anew after a power cut: flushed once, below, and not
                // four times for each step of the schema's history.
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
            throw .damaged(path: path, reason: "it is missing, but \(remains) is there")
        }
    }

    static func exists(_ path: String) throws(DatabaseFileError) -> Bool {
        var status = stat()
        guard lstat(path, &status) != 0 else {
            // A link to nowhere would have SQLite make a file there.
            guard stat(path, &status) == 0 else { throw .damaged(path: path, reason: "it is a link to nowhere") }
            guard status.st_mode & S_IFMT == S_IFREG else { throw .damaged(path: path, reason: "it is not a file") }
            guard status.st_size > 0 || path.hasSuffix("-wal") || path.hasSuffix("-journal") else {
                throw .damaged(path: path, reason: "it is empty")
            }
            return true
        }
        guard errno == ENOENT else { throw .creating(path, errno) }
        return false
    }

    /// SQLite reports the same error for another user's file and a broken file.
    private static func checkAccess(_ path: String) throws(DatabaseFileError) {
        guard access(path, R_OK | W_OK) == 0 || errno != EACCES else { throw .noPermission(path: path) }
    }

    /// Takes from everyone else what a copy or a careless hand gave them.
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
        // All that is durable in the folder is lost without its name. Who may not read what it lies in cannot see to that.
        try? flush(Self.folder(of: folder))
    }
}
