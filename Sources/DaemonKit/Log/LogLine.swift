import Logging
import SystemKit
import TerminalKit

/// What stands before an event on standard error.
package enum LogStyle: Equatable, Sendable {
    /// The journal's priority, `<6>`; the journal knows the time itself.
    case journal
    /// Time and level, for people.
    case plain

    /// Returns the style for standard error.
    ///
    /// The ends of the journal and of standard error are `device:inode`, as systemd names them; child processes inherit
    /// the former.
    package static func of(journalStream: String?, standardError: String?) -> LogStyle {
        journalStream != nil && journalStream == standardError ? .journal : .plain
    }
}

extension LogRecord {
    /// Returns the event as one line with its end; the plain style shows the moment, in milliseconds since 1970.
    func line(_ style: LogStyle, at moment: Int64) -> String {
        let head =
            switch style {
            case .journal: "<\(level.priority)>"
            case .plain: "\(WallClock.text(of: moment, showsMilliseconds: true)) \(level.rawValue) "
            }
        return "\(head)\(label.sanitized): \(text)\n"
    }
}

extension Logger.Level {
    /// The journal's priorities, after syslog(3).
    var priority: Int {
        switch self {
        case .trace, .debug: 7
        case .info: 6
        case .notice: 5
        case .warning: 4
        case .error: 3
        case .critical: 2
        }
    }
}
