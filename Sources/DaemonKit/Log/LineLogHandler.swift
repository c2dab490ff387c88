import Glibc
package import Logging

/// Writes an event as one line, whatever it says.
package struct LineLogHandler: LogHandler {
    /// The longest line, in bytes; what is longer is cut, so that no peer fills the disk with one message.
    package static let maximumLength = 8192

    package var logLevel: Logger.Level
    package var metadata: Logger.Metadata = [:]
    package var metadataProvider: Logger.MetadataProvider?

    private let label: String
    private let style: LogStyle
    private let now: @Sendable () -> timespec
    private let write: @Sendable (String) -> Void

    package init(
        label: String, level: Logger.Level, style: LogStyle, write: @escaping @Sendable (String) -> Void
    ) {
        self.init(label: label, level: level, style: style, now: Self.clock, write: write)
    }

    init(
        label: String, level: Logger.Level, style: LogStyle, now: @escaping @Sendable () -> timespec,
        write: @escaping @Sendable (String) -> Void
    ) {
        self.label = label
        logLevel = level
        self.style = style
        self.now = now
        self.write = write
    }

    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    package func log(event: LogEvent) {
        var line =
            switch style {
            case .journal: "<\(event.level.priority)>"
            case .plain: "\(Self.text(of: now())) \(event.level.rawValue) "
            }
        line += "\(label): \(event.message)".printable
        var values = metadata
        if let provided = metadataProvider?.get() { values.merge(provided) { $1 } }
        if let own = event.metadata { values.merge(own) { $1 } }
        for (key, value) in values.sorted(by: { $0.key < $1.key }) {
            line += " \(key.printable)=\(Self.text(of: value))"
        }
        if let error = event.error { line += " error=\(Self.quoted("\(error)"))" }
        write(Self.cut(line) + "\n")
    }

    private static func text(of value: Logger.Metadata.Value) -> String { quoted("\(value)") }

    private static func quoted(_ text: String) -> String {
        let isPlain = !text.isEmpty && !text.contains { $0 == " " || $0 == "\"" || $0 == "=" }
        guard !isPlain else { return text.printable }
        return
            "\"\(text.printable.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\\\""))\""
    }

    private static func cut(_ line: String) -> String {
        guard line.utf8.count > maximumLength else { return line }
        return String(decoding: line.utf8.prefix(maximumLength - 3), as: UTF8.self) + "..."
    }

    private static func clock() -> timespec {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return time
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
