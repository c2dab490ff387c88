import Glibc
package import SystemKit
import TerminalKit

/// An error in a configuration file, with its remedy.
package struct ConfigurationError: ErrorInFile, Equatable, Sendable {
    package var file: String
    /// The line, counted from 1.
    package var line: Int
    /// The column, counted from 1 in Unicode scalars.
    package var column: Int
    /// The path of the key, such as `drivers[0].lights[2].name`; empty for the entire file.
    package var keyPath: String
    package var problem: String
    /// The correction to make; empty if it's unknown.
    package var remedy: String

    package var exitCode: ExitCode { .configuration }

    /// The error as `FILE:LINE:COLUMN: KEY: PROBLEM`, always on one line.
    package var finding: String {
        "\(file):\(line):\(column): \(keyPath.isEmpty ? "" : "\(keyPath): ")\(problem)".sanitized
    }

    /// The ``finding``, a semicolon and the remedy, on one line.
    package var description: String { finding + (remedy.isEmpty ? "" : "; \(remedy.sanitized)") }
}

/// An error that prevents reading a configuration file.
package enum ConfigurationFileError: ErrorWithExitCode, Equatable, Sendable {
    case missing(file: String)
    case noPermission(file: String)
    case unreadable(file: String, reason: String)

    package var exitCode: ExitCode {
        switch self {
        case .missing: .noInput
        case .noPermission: .noPermission
        case .unreadable: .inputOutput
        }
    }

    package var description: String {
        switch self {
        case .missing(let file):
            "\(file): the file doesn't exist; create it, or specify another file with --config".sanitized
        case .noPermission(let file):
            "\(file): can't be read: \(FileAccess.reason(file, SystemError(code: EACCES)))".sanitized
        case .unreadable(let file, let reason): "\(file): can't be read: \(reason)".sanitized
        }
    }
}
