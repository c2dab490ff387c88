package import GRDB
import Glibc

/// Looking without touching.
extension DatabaseFile {
    /// Finds out whether ``init(path:migrator:applicationID:logger:)`` would succeed; makes and changes nothing.
    ///
    /// - Throws: ``DatabaseFileError``.
    package static func inspect(
        _ path: String, migrator: DatabaseMigrator, applicationID: Int32
    ) throws(DatabaseFileError) {
        let folder = folder(of: path)
        guard access(folder, W_OK | X_OK) == 0 else {
            // What is missing is made at the first start, by systemd or by the daemon.
            guard errno == ENOENT else { throw .creating(folder, errno) }
            return
        }
        try FileLock.whileFree(path + ".lock") { () throws(DatabaseFileError) in
            // The next start finishes what was interrupted, and leaves the rest behind.
            if try exists(successor(of: path)) { return try read(successor(of: path), migrator, applicationID) }
            guard try exists(path) else { return try refuseRemains(of: path) }
            for file in [path, path + "-wal", path + "-shm", path + ".lock"] { try requireOwnership(file, of: folder) }
            // A half-done change in a rollback journal is undone by the next start.
            if try !exists(path + "-journal") { try read(path, migrator, applicationID) }
        }
    }

    private static func read(
        _ path: String, _ migrator: DatabaseMigrator, _ applicationID: Int32
    ) throws(DatabaseFileError) {
        do {
            // SQLite reads beside two more files. Those it makes itself it takes away again only if it may write;
            // those that a crash has left are for the next start.
            let queue = try open(path, isReadOnly: exists(path + "-wal"))
            try queue.read { database throws in try check(database, path, migrator, applicationID) }
            try queue.close()
        } catch let error as DatabaseError where error.extendedResultCode == .SQLITE_IOERR_SHMSIZE {
            // On a full disk only the next start, which is alone, can read.
        } catch let error as DatabaseFileError {
            throw error
        } catch {
            throw DatabaseFileError(error, path: path)
        }
    }

    /// A file that somebody else has made, most likely root by hand, is out of reach for the folder's owner.
    private static func requireOwnership(_ path: String, of folder: String) throws(DatabaseFileError) {
        var (file, directory) = (stat(), stat())
        guard stat(path, &file) == 0, stat(folder, &directory) == 0 else { return }
        guard access(path, R_OK | W_OK) == 0 else { throw .creating(path, errno) }
        guard directory.st_uid == 0 || file.st_uid == directory.st_uid else { throw .noPermission(path: path) }
    }
}
