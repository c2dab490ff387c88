import GRDB
import Glibc
import SystemKit

/// A file in use, and the disk it is on.
extension DatabaseFile {
    package var directory: String { Self.folder(of: path) }

    /// How many bytes this process may still write beside the file.
    package var freeBytes: UInt64 { Self.freeBytes(in: directory) }

    private static func freeBytes(in directory: String) -> UInt64 {
        var status = statvfs()
        guard statvfs(directory, &status) == 0 else { return 0 }
        return UInt64(status.f_bavail) * UInt64(status.f_frsize)
    }

    /// The least room in which a change can be stored for certain; bytes.
    private static let leastRoom: UInt64 = 128 << 10

    /// Why nothing new can be stored in the file, as far as can be seen without reading it.
    package var storageError: String? {
        if let problem = problemOfPlace { return problem }
        return isFull ? "the disk of \(directory) is full: \(freeBytes / 1024) KiB are left" : nil
    }

    /// A Boolean value that indicates whether the disk may have no room for another change.
    package var isFull: Bool { Self.isFull(directory) }

    private static func isFull(_ directory: String) -> Bool { freeBytes(in: directory) < leastRoom }

    /// Returns the directory of a database if its full disk has made a write fail, as far as the error is known.
    package static func fullDirectory(of path: String, after error: (any Error)?) -> String? {
        let directory = folder(of: path)
        if let error, case .diskFull = DatabaseFileError(error, path: path) { return directory }
        return isFull(directory) ? directory : nil
    }

    /// What is wrong with the file that is in use, or with its folder.
    package var problem: String? {
        if let problem = problemOfPlace { return problem }
        do {
            let found = try queue.read { try String.fetchOne($0, sql: "PRAGMA quick_check(1)") } ?? "no answer"
            return found == "ok" ? nil : "\(path) is damaged: \(found)"
        } catch {
            return DatabaseFileError(error, path: path).description
        }
    }

    private var problemOfPlace: String? {
        var (status, volume) = (stat(), statvfs())
        guard stat(path, &status) == 0 else {
            return "\(path) is gone (\(SystemError.last.reason)), and with it all that the next start needs"
        }
        if statvfs(directory, &volume) == 0, volume.f_flag & UInt(ST_RDONLY) != 0 {
            return "\(directory) is on a disk that can only be read"
        }
        guard access(directory, W_OK | X_OK) == 0 else {
            return "\(directory) cannot be written: \(SystemError.last.reason)"
        }
        return nil
    }
}
