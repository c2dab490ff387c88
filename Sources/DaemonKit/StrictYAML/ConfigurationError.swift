import Glibc
package import SystemKit
import TerminalKit

/// A mistake in a configuration file, and what to write instead.
package struct ConfigurationError: ErrorWithExitCode, Equatable, Sendable {
    package var file: String
    /// Counted from 1.
    package var line: Int
    /// Counted from 1, in Unicode scalars.
    package var column: Int
    /// The key and those it lies within, such as `drivers[0].lights[2].name`; empty for the whole file.
    package var keyPath: String
    package var problem: String
    /// What to write instead.
    package var remedy: String

    package var exitCode: ExitCode { .configuration }

    /// `FILE:LINE:COLUMN: KEY: what is wrong`, one line whatever stands in the file.
    package var finding: String {
        "\(file):\(line):\(column): \(keyPath.isEmpty ? "" : "\(keyPath): ")\(problem)".sanitized
    }

    /// ``finding``, and after a semicolon what to write, one line as well.
    package var description: String { finding + (remedy.isEmpty ? "" : "; \(remedy.sanitized)") }
}

/// A configuration file that cannot be read at all.
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
        case .missing(let file): "\(file): there is no such file; write one, or name another with --config".sanitized
        case .noPermission(let file):
            "\(file): cannot be read: \(FileAccess.reason(file, SystemError(code: EACCES)))".sanitized
        case .unreadable(let file, let reason): "\(file): cannot be read: \(reason)".sanitized
        }
    }
}
