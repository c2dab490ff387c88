/// The exit codes of sysexits(3) that the daemons use.
package enum ExitCode: Int32, Sendable {
    case success = 0
    /// The command line makes no sense.
    case usage = 64
    /// A database is damaged, or newer than the program.
    case badData = 65
    /// The configuration file is missing.
    case noInput = 66
    /// Something needed is not to be had: a port, the lock of a database.
    case unavailable = 69
    /// The fault is ours.
    case `internal` = 70
    case cannotCreate = 73
    case inputOutput = 74
    case noPermission = 77
    /// The configuration is wrong.
    case configuration = 78
}

/// An error that knows how the program ends because of it.
package protocol ErrorWithExitCode: Error, CustomStringConvertible {
    var exitCode: ExitCode { get }
}

extension ExitCode {
    /// How the program ends because of an error.
    package init(_ error: any Error) {
        self = (error as? any ErrorWithExitCode)?.exitCode ?? .internal
    }
}
