/// The exit codes of the daemons, from sysexits(3).
package enum ExitCode: Int32, Sendable {
    case success = 0
    /// The command line is invalid.
    case usage = 64
    /// A database is damaged, or was written by a newer version of the program.
    case badData = 65
    /// The configuration file is missing.
    case noInput = 66
    /// A required resource isn't available, such as a port or the lock of a database.
    case unavailable = 69
    /// An internal error.
    case `internal` = 70
    case cannotCreate = 73
    case inputOutput = 74
    case noPermission = 77
    /// The configuration is invalid.
    case configuration = 78
}

/// An error that determines the program's exit code.
package protocol ErrorWithExitCode: Error, CustomStringConvertible {
    var exitCode: ExitCode { get }
}

extension ExitCode {
    /// Creates the exit code for an error.
    package init(_ error: any Error) {
        self = (error as? any ErrorWithExitCode)?.exitCode ?? .internal
    }
}
