import Glibc
package import Logging

/// Where the daemons log: on standard error, one line an event.
package enum LogSetup {
    /// Sends everything that is logged from now on to standard error; to be called once, first thing.
    ///
    /// - Parameter level: what is less important is left out.
    package static func bootstrap(level: Logger.Level) {
        let style = LogStyle.of(journalStream: environment("JOURNAL_STREAM"), standardError: Self.standardErrorPlace)
        LoggingSystem.bootstrap { label in
            LineLogHandler(label: label, level: level, style: style) { line in Self.write(line) }
        }
    }

    /// What systemd.exec(5) says to compare with.
    private static var standardErrorPlace: String? {
        var status = stat()
        guard fstat(STDERR_FILENO, &status) == 0 else { return nil }
        return "\(status.st_dev):\(status.st_ino)"
    }

    private static func environment(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }
    }

    /// One call for one line, so that lines of several threads never mix.
    private static func write(_ line: String) {
        var rest = Array(line.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }
}

/// What stands before an event.
package enum LogStyle: Equatable, Sendable {
    /// The journal's priority, `<6>`; the journal knows the time itself.
    case journal
    /// Time and level, for people.
    case plain

    /// What is right for standard error.
    ///
    /// - Parameters:
    ///   - journalStream: the journal's end as systemd names it, `device:inode`; programs started by others inherit it.
    ///   - standardError: where standard error goes, in the same form.
    /// - Returns: the style.
    package static func of(journalStream: String?, standardError: String?) -> LogStyle {
        journalStream != nil && journalStream == standardError ? .journal : .plain
    }
}
