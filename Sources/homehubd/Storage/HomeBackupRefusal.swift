import SystemKit

/// The reason why a file can't be restored.
enum HomeBackupRefusal: ErrorWithExitCode, Equatable {
    /// The file isn't a database.
    case notABackup
    case ofBridge
    case historyOnly
    case truncated(size: UInt64, expected: UInt64)
    case damaged
    /// The database belongs to a newer version or to another program.
    case foreign(String)

    /// Returns the reason that the header shows, or `nil` if the file may be a backup.
    init?(of header: BackupHeader) {
        guard header.isDatabase else {
            self = .notABackup
            return
        }
        switch header.applicationID {
        case HomeSchema.applicationID:
            guard header.fileSize < header.databaseSize else { return nil }
            self = .truncated(size: header.fileSize, expected: header.databaseSize)
        // "LAMP", the application ID of lamplighterd.
        case 0x4C41_4D50: self = .ofBridge
        case HistoryDatabase.applicationID: self = .historyOnly
        default: self = .foreign("is a database of another program")
        }
    }

    var exitCode: ExitCode { .badData }

    var description: String {
        let problem =
            switch self {
            case .notABackup: "the file isn't a backup of a home hub"
            case .ofBridge: "the file is a backup of a bridge; to restore it, use lamplighter restore"
            case .historyOnly: "the file contains only the history of a home hub; restore a file from homehub backup"
            case .truncated(let size, let expected):
                "the backup is incomplete: it has \(size) of \(expected) bytes; copy it again"
            case .damaged: "the backup is damaged; use another one"
            case .foreign(let reason): "the backup \(reason); install the version that made it"
            }
        return "\(problem); nothing was changed"
    }
}
