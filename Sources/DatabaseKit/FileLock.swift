import Glibc
import SystemKit

/// The ownership of something, as long as this object or its process lives.
///
/// The kernel keeps the lock, not the file: what a crash leaves behind locks no process out. The file tells who holds it.
package final class FileLock: Sendable {
    private let file: CInt

    /// Takes the lock, or says who has it.
    ///
    /// - Throws: ``DatabaseFileError/inUse(lock:pid:)`` if another process has it.
    package init(path: String) throws(DatabaseFileError) {
        let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw .creating(path, errno) }
        guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
            let pid = Self.pid(in: file)
            // `self.file` is not set yet, so `deinit` does not run and close somebody else's file of that number.
            close(file)
            throw .inUse(lock: path, pid: pid)
        }
        let text = Array("\(getpid())\n".utf8)
        // Only a courtesy to whoever comes second; the lock holds without it.
        _ = ftruncate(file, 0)
        _ = pwrite(file, text, text.count, 0)
        self.file = file
    }

    deinit { Self.release(file) }

    /// Releases a lock at once; until a new process executes its program, it shares the open files of its parent.
    private static func release(_ file: CInt) {
        flock(file, LOCK_UN)
        close(file)
    }

    /// Does something while no process owns what the lock guards, or says who does; the lock's file is not made.
    ///
    /// An owner who comes in that moment is refused; a service is started again.
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
    /// What the system says when something cannot be made or opened.
    package static func creating(_ path: String, _ code: CInt) -> DatabaseFileError {
        switch code {
        case EACCES, EPERM: .noPermission(path: path)
        case ENOSPC, EDQUOT: .diskFull(directory: DatabaseFile.folder(of: path))
        case EIO: .inputOutput(path: path, reason: SystemError(code: code).reason)
        default: .cannotCreate(path: path, reason: SystemError(code: code).reason)
        }
    }
}
