import Glibc
package import SystemKit
import TerminalKit

/// An error that prevents the creation of a daemon's directory.
package struct ServiceDirectoryError: ErrorWithExitCode, Equatable {
    let path: String
    let cause: SystemError

    package var exitCode: ExitCode {
        switch cause.code {
        case EACCES, EPERM: .noPermission
        case ENOSPC, EDQUOT, EIO: .inputOutput
        default: .cannotCreate
        }
    }

    package var description: String {
        let text =
            switch cause.code {
            case EACCES, EPERM:
                "no permission to use \(path); use chown to change its owner to the user of this program"
            case ENOSPC, EDQUOT: "the disk is full; make room for \(path)"
            default: "\(path) can't be created: \(cause.reason); make its directory writable, or use another directory"
            }
        return text.sanitized
    }
}
