import Glibc
package import Logging

/// Where the daemons log: on standard error, one line an event.
package enum LogSetup {
    /// Sends everything that is logged from now on to standard error; to be called once, first thing.
    ///
    /// - Parameter level: what is less important is left out.
    package static func bootstrap(level: Logger.Level) {
        let style = LogStyle.of(standardErrorWithJournalStream: environment("JOURNAL_STREAM"))
        LoggingSystem.bootstrap { label in
            LineLogHandler(label: label, level: level, style: style) { line in Self.write(line) }
        }
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
    /// - Parameter journalStream: systemd sets it when standard error goes to the journal.
    /// - Returns: the style.
    package static func of(standardErrorWithJournalStream journalStream: String?) -> LogStyle {
        journalStream?.isEmpty ?? true ? .plain : .journal
    }
}
