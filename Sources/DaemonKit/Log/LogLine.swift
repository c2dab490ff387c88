import Glibc
import Logging
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
    ///   - time: the time of day, for the plain style.
    /// - Returns: the line and its end.
    func line(_ style: LogStyle, at time: timespec) -> String {
        let head =
            switch style {
            case .journal: "<\(level.priority)>"
            case .plain: "\(Self.text(of: time)) \(level.rawValue) "
            }
        return "\(head)\(label.sanitized): \(text)\n"
    }

    /// RFC 3339, in UTC, to the millisecond.
    private static func text(of time: timespec) -> String {
        var parts = tm()
        var seconds = time.tv_sec
        gmtime_r(&seconds, &parts)
        func padded(_ value: Int, _ width: Int) -> String {
            let digits = String(value)
            return String(repeating: "0", count: max(0, width - digits.count)) + digits
        }
        let date =
            "\(padded(Int(parts.tm_year) + 1900, 4))-\(padded(Int(parts.tm_mon) + 1, 2))-\(padded(Int(parts.tm_mday), 2))"
        let clock = "\(padded(Int(parts.tm_hour), 2)):\(padded(Int(parts.tm_min), 2)):\(padded(Int(parts.tm_sec), 2))"
        return "\(date)T\(clock).\(padded(time.tv_nsec / 1_000_000, 3))Z"
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
