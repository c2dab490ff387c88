import Logging
import SystemKit
import TerminalKit

/// The style of the events on standard error, which determines the prefix of each line.
package enum LogStyle: Equatable, Sendable {
    /// A line begins with the journal's priority, such as `<6>`.
    ///
    /// The journal adds the time itself.
    case journal
    /// A line begins with the time and the level, for human readers.
    case plain

    /// Returns the style for standard error.
    ///
    /// Both arguments have the format `device:inode`, which systemd uses. Child processes inherit the environment
    /// variable for the journal stream even if their standard error leads elsewhere.
    package static func of(journalStream: String?, standardError: String?) -> LogStyle {
        journalStream != nil && journalStream == standardError ? .journal : .plain
    }
}

extension LogRecord {
    /// Returns the event as one line, including the line feed.
    ///
    /// The plain style shows the time `moment`, which is in milliseconds since 1970.
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
    /// The journal's priorities, as in syslog(3).
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
