import Glibc
package import Logging
import SystemKit

/// Where the daemons log: into the journal if standard error leads there, else on standard error, one line an event.
package enum LogSetup {
    /// Takes everything that is logged from now on; to be called once, first thing.
    ///
    /// - Parameter level: what is less important is left out.
    /// - Returns: the stage that all events pass.
    package static func bootstrap(level: Logger.Level) -> LogStage {
        let style = LogStyle.of(journalStream: environment("JOURNAL_STREAM"), standardError: Self.standardErrorPlace)
        let stage = stage(style, journal: JournalSocket()) { StandardStreams.write($0, to: STDERR_FILENO) }
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
            standardError(record.line(style, at: WallClock.now))
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
}
