package import GRDB
import Glibc

/// Checks that don't change anything.
extension DatabaseFile {
    /// Checks whether ``init(path:migrator:applicationID:isMadeIfMissing:logger:)`` would succeed, without creating or
    /// changing anything.
    ///
    /// - Throws: ``DatabaseFileError``.
    package static func inspect(
        _ path: String, migrator: DatabaseMigrator, applicationID: Int32
    ) throws(DatabaseFileError) {
        let folder = folder(of: path)
        guard access(folder, W_OK | X_OK) == 0 else {
            // The first start, by systemd or the daemon, creates missing folders.
            guard errno == ENOENT else { throw .creating(folder, errno) }
            return
        }
        try FileLock.whileFree(path + ".lock") { () throws(DatabaseFileError) in
            // The next start completes an interrupted replacement, and ignores other leftovers.
            if try exists(successor(of: path)) { return try read(successor(of: path), migrator, applicationID) }
            guard try exists(path) else { return try refuseRemains(of: path) }
            for file in [path, path + "-wal", path + "-shm", path + ".lock"] { try requireOwnership(file, of: folder) }
            // The next start rolls back an incomplete change in a rollback journal.
            if try !exists(path + "-journal") { try read(path, migrator, applicationID) }
        }
    }

    private static func read(
        _ path: String, _ migrator: DatabaseMigrator, _ applicationID: Int32
    ) throws(DatabaseFileError) {
        do {
            // To read, SQLite uses two additional files. With write access, it removes the files that it has created.
            // Files that a crash has left behind must remain for the next start.
            let queue = try open(path, isReadOnly: exists(path + "-wal"))
            try queue.read { database throws in try check(database, path, migrator, applicationID) }
            try queue.close()
        } catch let error as DatabaseError where error.extendedResultCode == .SQLITE_IOERR_SHMSIZE {
            // If the disk is full, only the next start can read the database, because it opens the database with
            // exclusive access.
        } catch let error as DatabaseFileError {
            throw error
        } catch {
            throw DatabaseFileError(error, path: path)
        }
    }

    /// Throws an error for a file that another user has created, usually root by hand, so that the folder's owner can't
    /// use it.
    private static func requireOwnership(_ path: String, of folder: String) throws(DatabaseFileError) {
        var (file, directory) = (stat(), stat())
        guard stat(path, &file) == 0, stat(folder, &directory) == 0 else { return }
        guard access(path, R_OK | W_OK) == 0 else { throw .creating(path, errno) }
        guard directory.st_uid == 0 || file.st_uid == directory.st_uid else { throw .noPermission(path: path) }
    }
}
