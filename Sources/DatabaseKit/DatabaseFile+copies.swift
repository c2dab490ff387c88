import Dispatch
package import GRDB
import Glibc

// Copies of a database, and their restoration.
extension DatabaseFile {
    /// Writes a copy atomically.
    ///
    /// Only this user can read it.
    ///
    /// The database can be used in the meantime.
    ///
    /// - Parameter destination: The path of the copy. An existing file is replaced.
    /// - Throws: ``DatabaseFileError``.
    package func copy(to destination: String) throws(DatabaseFileError) {
        let unfinished = destination + ".new"
        try Self.makeEmpty(unfinished)
        do {
            try queue.writeWithoutTransaction { try $0.execute(sql: "VACUUM INTO ?", arguments: [unfinished]) }
        } catch {
            unlink(unfinished)
            throw DatabaseFileError(error, path: unfinished)
        }
        try Self.flush(unfinished)
        try Self.rename(unfinished, to: destination)
    }

    /// Writes a copy like ``copy(to:)``, but on a separate thread, so that a slow disk doesn't block the caller's
    /// executor.
    ///
    /// - Throws: ``DatabaseFileError``.
    package func copyAside(to destination: String) async throws {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global(qos: .utility).async {
                continuation.resume(with: Result { try self.copy(to: destination) })
            }
        }
    }

    /// Checks a database file from another location, migrates its schema, and calls `body` with it.
    ///
    /// The file may be changed.
    ///
    /// No additional files remain next to the database.
    ///
    /// - Throws: ``DatabaseFileError``, or the errors of `body`.
    package static func adopt<Result>(
        _ candidate: String, migrator: DatabaseMigrator, applicationID: Int32,
        _ body: (DatabaseQueue) async throws -> Result
    ) async throws -> Result {
        do {
            let queue = try open(candidate)
            try await queue.read { database in try check(database, candidate, migrator, applicationID) }
            try await queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA journal_mode = DELETE") }
            try migrator.migrate(queue)
            let result = try await body(queue)
            try queue.close()
            try flush(candidate)
            return result
        } catch let error as DatabaseError {
            throw DatabaseFileError(error, path: candidate)
        }
    }

    /// Replaces a database with another file.
    ///
    /// The previous database is kept with the suffix `.replaced`.
    ///
    /// The replacement is final once the other file has the suffix `.successor`: if it is interrupted after that, it is
    /// completed when the database is next opened. The caller must own the database, and must no longer use it.
    ///
    /// - Throws: ``DatabaseFileError``.
    package static func replace(_ path: String, by candidate: String) throws(DatabaseFileError) {
        guard access(candidate, F_OK) == 0 else { throw .creating(candidate, errno) }
        try finishReplacement(of: path)
        try setSuccessor(of: path, to: candidate)
        try finishReplacement(of: path)
    }

    /// Durably registers a file that will replace the database when the database is next opened.
    ///
    /// The caller must own the database, and may still be using it.
    ///
    /// - Throws: ``DatabaseFileError``. In this case, the database won't be replaced.
    package static func setSuccessor(of path: String, to candidate: String) throws(DatabaseFileError) {
        for suffix in ["", "-wal", "-shm", "-journal"] { unlink(path + ".replaced" + suffix) }
        do {
            try rename(candidate, to: successor(of: path))
        } catch {
            unlink(successor(of: path))
            throw error
        }
    }

    /// Completes a replacement that ``replace(_:by:)`` or ``setSuccessor(of:to:)`` has begun, if there is one.
    static func finishReplacement(of path: String) throws(DatabaseFileError) {
        let successor = successor(of: path)
        guard try exists(successor) else { return }
        let former = path + ".replaced"
        func move(_ suffix: String) throws(DatabaseFileError) {
            guard Glibc.rename(path + suffix, former + suffix) == 0 || errno == ENOENT else {
                throw .creating(former + suffix, errno)
            }
        }
        // The journals of the previous database must never be next to the new one, even after a power failure.
        for suffix in ["-wal", "-shm", "-journal"] { try move(suffix) }
        try flush(folder(of: path))
        try move("")
        try rename(successor, to: path)
    }

    /// Returns the path of the file that will replace the database when the database is next opened.
    static func successor(of path: String) -> String { path + ".successor" }

    // MARK: Files

    /// Removes files of an interrupted backup or restore.
    ///
    /// The caller must hold the lock of the database.
    package static func discard(_ paths: [String]) {
        for file in paths.flatMap({ [$0, $0 + ".new"] }) {
            for suffix in ["", "-journal", "-wal", "-shm"] { unlink(file + suffix) }
        }
    }

    /// Changes the user of this process to the owner of a state directory if this user is root, so that the daemon can
    /// use the files that this process creates.
    ///
    /// - Throws: ``DatabaseFileError`` if the directory doesn't exist.
    package static func becomeOwner(of directory: String) throws(DatabaseFileError) {
        var status = stat()
        // Don't create a missing directory, because the daemon or systemd creates it with the right owner.
        guard stat(directory, &status) == 0 else { throw .missing(path: directory) }
        guard getuid() == 0, status.st_uid != 0 else { return }
        guard setgroups(0, nil) == 0, setgid(status.st_gid) == 0, setuid(status.st_uid) == 0 else {
            throw .noPermission(path: directory)
        }
    }

    /// Creates an empty file that only this user can read.
    ///
    /// An existing file is replaced.
    package static func makeEmpty(_ path: String) throws(DatabaseFileError) {
        for suffix in ["", "-journal", "-wal", "-shm"] { unlink(path + suffix) }
        let file = Glibc.open(path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw .creating(path, errno) }
        Glibc.close(file)
    }

    static func flush(_ path: String) throws(DatabaseFileError) {
        let file = Glibc.open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw .creating(path, errno) }
        defer { Glibc.close(file) }
        guard fsync(file) == 0 else { throw .creating(path, errno) }
    }

    /// Durably renames a file that is already flushed.
    static func rename(_ unfinished: String, to path: String) throws(DatabaseFileError) {
        guard Glibc.rename(unfinished, path) == 0 else { throw .creating(path, errno) }
        try flush(folder(of: path))
    }
}
