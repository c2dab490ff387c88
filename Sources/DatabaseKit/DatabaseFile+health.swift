import GRDB
import Glibc
import SystemKit

/// The health of an open file and its disk.
extension DatabaseFile {
    package var directory: String { Self.folder(of: path) }

    /// The number of bytes that this user can still write to the file's disk.
    package var freeBytes: UInt64 { Self.freeBytes(in: directory) }

    private static func freeBytes(in directory: String) -> UInt64 {
        var status = statvfs()
        guard statvfs(directory, &status) == 0 else { return 0 }
        return UInt64(status.f_bavail) * UInt64(status.f_frsize)
    }

    /// The free space that is certainly enough to store a change, in bytes.
    private static let leastRoom: UInt64 = 128 << 10

    /// The known reason why changes can't be stored, found without reading the file; `nil` if there is none.
    package var storageError: String? {
        if let problem = problemOfPlace { return problem }
        return isFull ? "the disk of \(directory) is full: \(freeBytes / 1024) KiB are left" : nil
    }

    /// A Boolean value that indicates whether the disk may not have enough space for another change.
    package var isFull: Bool { Self.isFull(directory) }

    private static func isFull(_ directory: String) -> Bool { freeBytes(in: directory) < leastRoom }

    /// Returns the directory of a database if a full disk has caused or may have caused a failed write; otherwise
    /// `nil`.
    package static func fullDirectory(of path: String, after error: (any Error)?) -> String? {
        let directory = folder(of: path)
        if let error, case .diskFull = DatabaseFileError(error, path: path) { return directory }
        return isFull(directory) ? directory : nil
    }

    /// The problem with the open file or its folder; `nil` if there is none.
    package var problem: String? {
        if let problem = problemOfPlace { return problem }
        do {
            let found = try queue.read { try String.fetchOne($0, sql: "PRAGMA quick_check(1)") } ?? "no answer"
            return found == "ok" ? nil : "\(path) is damaged: \(Self.finding(found))"
        } catch {
            return DatabaseFileError(error, path: path).description
        }
    }

    private var problemOfPlace: String? {
        var (status, volume) = (stat(), statvfs())
        guard stat(path, &status) == 0 else {
            return "\(path) is missing (\(SystemError.last.reason)); the daemon can't start without it"
        }
        if statvfs(directory, &volume) == 0, volume.f_flag & UInt(ST_RDONLY) != 0 {
            return "\(directory) is on a read-only disk"
        }
        guard access(directory, W_OK | X_OK) == 0 else {
            return "\(directory) isn't writable: \(SystemError.last.reason)"
        }
        return nil
    }
}
