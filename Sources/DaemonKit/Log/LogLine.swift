import Logging
import SystemKit
import TerminalKit

/// What stands before an event on standard error.
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

extension LogRecord {
    /// The event as one line.
    ///
    /// - Parameters:
    ///   - style: what stands before it.
    ///   - moment: when it was, for the plain style, in milliseconds since 1970.
    /// - Returns: the line and its end.
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
