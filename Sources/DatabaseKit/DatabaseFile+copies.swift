import Dispatch
package import GRDB
import Glibc

// A database as a file that is carried about: copies of it, and copies that take its place.
extension DatabaseFile {
    /// Writes a copy, whole or not at all, for this user alone; who uses the database meanwhile goes on.
    ///
    /// - Parameter destination: where; a file that is there is replaced.
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

    /// Writes a copy as ``copy(to:)`` does, on a thread of its own: a slow disk does not hold up who waits for it.
    ///
    /// - Throws: ``DatabaseFileError``.
    package func copyAside(to destination: String) async throws {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global(qos: .utility).async {
                continuation.resume(with: Result { try self.copy(to: destination) })
            }
        }
    }

    /// Checks a database from elsewhere, which may be changed, and brings its schema up to date.
    ///
    /// It leaves no file next to it.
    ///
    /// - Throws: ``DatabaseFileError``, and what the body throws.
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

    /// Puts another file in a database's place; the former one is kept beside it, as `.replaced`.
    ///
    /// It is done once the other file is called `.successor`: what is interrupted behind that is finished by whoever
    /// opens the database next. Whoever calls owns the database and does not use it any more.
    ///
    /// - Throws: ``DatabaseFileError``.
    package static func replace(_ path: String, by candidate: String) throws(DatabaseFileError) {
        guard access(candidate, F_OK) == 0 else { throw .creating(candidate, errno) }
        try finishReplacement(of: path)
        try setSuccessor(of: path, to: candidate)
        try finishReplacement(of: path)
    }

    /// Stores durably that another file takes a database's place when the database is opened next.
    ///
    /// The caller owns the database and may still use it.
    ///
    /// - Throws: ``DatabaseFileError``; the database then keeps its place.
    package static func setSuccessor(of path: String, to candidate: String) throws(DatabaseFileError) {
        for suffix in ["", "-wal", "-shm", "-journal"] { unlink(path + ".replaced" + suffix) }
        do {
            try rename(candidate, to: successor(of: path))
        } catch {
            unlink(successor(of: path))
            throw error
        }
    }

    /// Finishes what ``replace(_:by:)`` has begun, wherever it was interrupted.
    static func finishReplacement(of path: String) throws(DatabaseFileError) {
        let successor = successor(of: path)
        guard try exists(successor) else { return }
        let former = path + ".replaced"
        func move(_ suffix: String) throws(DatabaseFileError) {
            guard Glibc.rename(path + suffix, former + suffix) == 0 || errno == ENOENT else {
                throw .creating(former + suffix, errno)
            }
        }
        // What belongs to the former database must never be found beside the new one, not even after a power cut.
        for suffix in ["-wal", "-shm", "-journal"] { try move(suffix) }
        try flush(folder(of: path))
        try move("")
        try rename(successor, to: path)
    }

    /// What takes the database's place at the next opening.
    static func successor(of path: String) -> String { path + ".successor" }

    // MARK: Files

    /// Makes an empty file that only this user can read, in the place of any other.
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

    /// Gives a file that is on disk its name, durably.
    static func rename(_ unfinished: String, to path: String) throws(DatabaseFileError) {
        guard Glibc.rename(unfinished, path) == 0 else { throw .creating(path, errno) }
        try flush(folder(of: path))
    }
}
