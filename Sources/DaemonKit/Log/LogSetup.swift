import Glibc
package import Logging
import SystemKit
import TerminalKit

/// Where the daemons log: into the journal if standard error leads there, else on standard error, one line an event.
package enum LogSetup {
    /// Takes everything that is logged from now on; to be called once, first thing.
    package static func bootstrap(level: Logger.Level) -> LogStage {
        let style = LogStyle.of(journalStream: environment("JOURNAL_STREAM"), standardError: Self.standardErrorPlace)
        let stage = stage(style, journal: JournalSocket()) { StandardStreams.write($0, to: STDERR_FILENO) }
        LoggingSystem.bootstrap { label in RecordLogHandler(label: label, level: level, write: stage.log) }
        return stage
    }

    /// Returns a stage that writes to the journal if the style says so, and to standard error otherwise or if that
    /// fails.
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

extension LogStage {
    /// Reports the error that ends a program.
    package func report(_ error: any Error, of program: String, to logger: Logger) {
        switch style {
        case .journal: logger.critical("daemon failed", metadata: ["error": "\(error)"])
        case .plain:
            // A mistake in a file begins with its place, as compilers write it.
            let name = error is ConfigurationError ? "" : "\(program): "
            StandardStreams.printError((name + "\(error)").sanitized)
        }
    }
}
