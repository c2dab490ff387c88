import Glibc
package import Logging

/// Where the daemons log: into the journal if standard error leads there, else on standard error, one line an event.
package enum LogSetup {
    /// Takes everything that is logged from now on; to be called once, first thing.
    ///
    /// - Parameter level: what is less important is left out.
    /// - Returns: the stage that all events pass.
    package static func bootstrap(level: Logger.Level) -> LogStage {
        let style = LogStyle.of(journalStream: environment("JOURNAL_STREAM"), standardError: Self.standardErrorPlace)
        let stage = stage(style, journal: JournalSocket(), standardError: Self.write)
        LoggingSystem.bootstrap { label in RecordLogHandler(label: label, level: level, write: stage.log) }
        return stage
    }

    /// The stage and what stands behind it.
    ///
    /// - Parameters:
    ///   - style: where standard error leads.
    ///   - journal: takes the events if it leads to the journal.
    ///   - standardError: takes them as lines otherwise, and when the journal does not.
    /// - Returns: the stage.
    static func stage(
        _ style: LogStyle, journal: JournalSocket, standardError: @escaping @Sendable (String) -> Void
    ) -> LogStage {
        LogStage(style) { record in
            if style == .journal, journal.send(JournalEntry.bytes(of: record)) { return }
            standardError(record.line(style, at: clock()))
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

    private static func clock() -> timespec {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return time
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
