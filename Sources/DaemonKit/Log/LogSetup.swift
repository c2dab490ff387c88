import Glibc
package import Logging
import SystemKit
import TerminalKit

/// The setup of a daemon's log.
///
/// Events go to the journal if standard error leads there, otherwise to standard error, one per line.
package enum LogSetup {
    /// Installs the log.
    ///
    /// Call it once, before anything is logged.
    package static func bootstrap(level: Logger.Level) -> LogStage {
        let style = LogStyle.of(journalStream: environment("JOURNAL_STREAM"), standardError: Self.standardErrorPlace)
        let stage = stage(style, journal: JournalSocket()) { StandardStreams.write($0, to: STDERR_FILENO) }
        LoggingSystem.bootstrap { label in RecordLogHandler(label: label, level: level, write: stage.log) }
        return stage
    }

    /// Returns a stage that writes to the journal if the style requires it, and to standard error otherwise or if the
    /// journal doesn't accept an event.
    static func stage(
        _ style: LogStyle, journal: JournalSocket, standardError: @escaping @Sendable (String) -> Void
    ) -> LogStage {
        LogStage(style) { record in
            if style == .journal, journal.send(JournalEntry.bytes(of: record)) { return }
            standardError(record.line(style, at: WallClock.now))
        }
    }

    /// The value to compare with `JOURNAL_STREAM`, according to systemd.exec(5).
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
    /// Reports an error that ends a program.
    package func report(_ error: any Error, of program: String, to logger: Logger) {
        switch style {
        case .journal: logger.critical("daemon failed", metadata: ["error": "\(error)"])
        case .plain:
            // An error in a file begins with its position, in the format that compilers use.
            let name = error is any ErrorInFile ? "" : "\(program): "
            StandardStreams.printError((name + "\(error)").sanitized)
        }
    }
}
