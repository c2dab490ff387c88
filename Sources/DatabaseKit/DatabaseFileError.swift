import GRDB
package import SystemKit
import TerminalKit

/// An error that prevents the use of a database.
///
/// No database is ever recreated because of such an error.
package enum DatabaseFileError: ErrorWithExitCode, Equatable, Sendable {
    /// Another process owns the database.
    case inUse(lock: String, pid: Int32?)
    /// SQLite reports damage, or the database is missing although files that belong to it exist.
    case damaged(path: String, reason: String)
    /// The database belongs to a newer version of the program or to another program.
    case foreign(path: String, reason: String)
    /// The file to restore isn't a backup, or it is damaged.
    case notABackup(of: String)
    /// The database to back up or to open is missing.
    case missing(path: String)
    case noPermission(path: String)
    case cannotCreate(path: String, reason: String)
    case inputOutput(path: String, reason: String)
    /// The disk of a directory is full.
    case diskFull(directory: String)

    package var exitCode: ExitCode {
        switch self {
        case .inUse: .unavailable
        case .damaged, .foreign, .notABackup: .badData
        case .missing: .noInput
        case .noPermission: .noPermission
        case .cannotCreate: .cannotCreate
        case .inputOutput, .diskFull: .inputOutput
        }
    }

    package var description: String { description(restoringBy: "restore a backup with lamplighter restore FILE") }

    /// Returns the problem and the solution in one line.
    ///
    /// `remedy` is the part of the solution that restores an earlier state.
    package func description(restoringBy remedy: String) -> String {
        let text =
            switch self {
            case .inUse(let lock, let pid?):
                "\(lock) is held by process \(pid); stop that process, or use another directory"
            case .inUse(let lock, nil):
                "\(lock) is held by another process; stop that process, or use another directory"
            case .damaged(let path, let reason):
                "\(path) is damaged: \(reason); \(remedy)"
            case .foreign(let path, let reason):
                "\(path) \(reason); upgrade, or \(remedy)"
            case .notABackup(let subject): "the file isn't a backup of \(subject), or is damaged; nothing was changed"
            case .missing(let path):
                "\(path) doesn't exist; start the daemon once, or specify another directory with --state-directory"
            case .noPermission(let path):
                "no permission to use \(path); run this as its owner or with sudo, or change its owner with chown"
            case .cannotCreate(let path, let reason):
                "\(path) can't be created: \(reason); make its directory writable, or use another directory"
            case .inputOutput(let path, let reason): "\(path) can't be read or written: \(reason)"
            case .diskFull(let directory): "the disk is full; make room in \(directory)"
            }
        return text.sanitized
    }
}

extension DatabaseFileError {
    /// Creates an error from an SQLite error.
    package init(_ error: any Error, path: String) {
        guard let error = error as? DatabaseError else {
            self = .damaged(path: path, reason: "\(error)")
            return
        }
        // Include the extended code, because only it identifies the system call that failed.
        let reason = "\(error.message ?? "SQLite") (\(error.extendedResultCode.rawValue))"
        switch error.resultCode {
        case .SQLITE_PERM, .SQLITE_READONLY, .SQLITE_AUTH: self = .noPermission(path: path)
        case .SQLITE_BUSY, .SQLITE_LOCKED: self = .inUse(lock: path, pid: nil)
        case .SQLITE_FULL: self = .diskFull(directory: DatabaseFile.folder(of: path))
        case .SQLITE_IOERR where error.extendedResultCode == .SQLITE_IOERR_SHMSIZE:
            self = .diskFull(directory: DatabaseFile.folder(of: path))
        case .SQLITE_IOERR, .SQLITE_CANTOPEN, .SQLITE_NOMEM, .SQLITE_NOLFS:
            self = .inputOutput(path: path, reason: reason)
        default: self = .damaged(path: path, reason: reason)
        }
    }
}
