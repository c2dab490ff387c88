import Glibc
package import SystemKit

/// An exclusive lock, which is held until this object is released or the process ends.
///
/// The kernel holds the lock, so a lock file that a crash leaves behind doesn't lock out other processes. The file
/// contains the owner's process ID.
package final class FileLock: Sendable {
    private let file: CInt

    /// Acquires the lock.
    ///
    /// - Throws: ``DatabaseFileError/inUse(lock:pid:)`` if another process holds the lock.
    package init(path: String) throws(DatabaseFileError) {
        let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw .creating(path, errno) }
        guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
            let pid = Self.pid(in: file)
            // `self.file` isn't set yet, so `deinit` doesn't run. Otherwise, it would close an unrelated file that
            // reuses this number.
            close(file)
            throw .inUse(lock: path, pid: pid)
        }
        let text = Array("\(getpid())\n".utf8)
        // The lock works without the process ID, which only informs other processes.
        _ = ftruncate(file, 0)
        _ = pwrite(file, text, text.count, 0)
        self.file = file
    }

    deinit { Self.release(file) }

    /// Releases the lock explicitly, because a forked process shares its parent's open files until it executes its
    /// program.
    private static func release(_ file: CInt) {
        flock(file, LOCK_UN)
        close(file)
    }

    /// Runs `body` while no process holds the lock; throws an error that names the owner if one does.
    ///
    /// It doesn't create the lock's file.
    ///
    /// If another process tries to acquire the lock in the meantime, the attempt fails. If that process is a service,
    /// the service manager restarts it.
    static func whileFree(_ path: String, _ body: () throws(DatabaseFileError) -> Void) throws(DatabaseFileError) {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard file >= 0 else {
            guard errno == ENOENT else { throw .creating(path, errno) }
            return try body()
        }
        defer { release(file) }
        guard flock(file, LOCK_SH | LOCK_NB) == 0 else { throw .inUse(lock: path, pid: pid(in: file)) }
        try body()
    }

    private static func pid(in file: CInt) -> Int32? {
        var count = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: 16) { buffer, filled in
            count = pread(file, buffer.baseAddress, buffer.count, 0)
            filled = max(0, count)
        }
        return Int32(String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self))
    }
}

extension DatabaseFileError {
    /// Returns the error for a file that can't be created or opened.
    package static func creating(_ path: String, _ code: CInt) -> DatabaseFileError {
        switch code {
        case EACCES, EPERM: .noPermission(path: path)
        case ENOSPC, EDQUOT: .diskFull(directory: DatabaseFile.folder(of: path))
        case EIO: .inputOutput(path: path, reason: SystemError(code: code).reason)
        default: .cannotCreate(path: path, reason: SystemError(code: code).reason)
        }
    }

    /// Returns the error for an existing file that can't be opened, read or written.
    package static func using(_ path: String, _ error: SystemError = .last) -> DatabaseFileError {
        switch error.code {
        case _ where error.isPermissionDenied: .noPermission(path: path)
        case ENOSPC, EDQUOT: .diskFull(directory: DatabaseFile.folder(of: path))
        default: .inputOutput(path: path, reason: error.reason)
        }
    }
}
