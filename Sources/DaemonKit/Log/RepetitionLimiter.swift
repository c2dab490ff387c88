import Logging

/// Limits repeated events, to keep the log short.
///
/// Within a window, the first few events of a kind pass. Further ones are counted, and the count is written at the end
/// of each window. If no event was suppressed during a window, it ends silently, and the next event of that kind passes
/// again. Events are of one kind if they have the same level, message, and light or driver. Data that a peer can vary,
/// such as its address or an invalid byte, doesn't create a new kind.
///
/// Only `info`, `warning` and `error` are limited: they are enabled by default, and peers can cause them. A `notice`
/// records an authorized action, so each one matters. `debug` and `trace` are enabled only to see everything.
struct RepetitionLimiter: Sendable {
    /// The number of events of a kind that pass within a window.
    static let burst = 5
    /// The maximum number of kinds per level.
    ///
    /// It is enough for a full bridge, which has 149 lights.
    ///
    /// Further kinds are counted together. This also limits a source whose messages are always new. Its messages at one
    /// level don't suppress those at another level.
    static let kinds = 256
    /// The maximum length of the text that distinguishes kinds, in bytes.
    fileprivate static let keyLength = 256

    fileprivate struct Kind: Hashable {
        let level: Logger.Level
        let message: String
        let subject: String
    }

    fileprivate struct Window {
        var end: ContinuousClock.Instant
        var passed: Int
        var held = 0
        /// The latest suppressed event.
        var last: LogRecord?
    }

    private let length: Duration
    private var windows: [Kind: Window] = [:]
    /// The end of the window that ends first; `nil` if there are no windows.
    private var firstEnd: ContinuousClock.Instant?

    /// The time at which to call ``ended(now:)``; `nil` if nothing is suppressed.
    private(set) var wakeAt: ContinuousClock.Instant?
    /// The number of events that were suppressed since the program started.
    private(set) var heldAtAll: UInt64 = 0

    init(window: Duration = .seconds(60)) { length = window }

    /// Adds an event and returns the records to write now, in order.
    mutating func received(_ record: LogRecord, now: ContinuousClock.Instant) -> [LogRecord] {
        let due = ended(now: now)
        switch record.level {
        case .trace, .debug, .notice, .critical: return due + [record]
        case .info, .warning, .error: break
        }
        var kind = Kind(record)
        if windows[kind] == nil {
            if windows.keys.count(where: { $0.level == record.level }) < Self.kinds {
                open(kind, now, passed: 0)
            } else {
                kind = Kind(level: record.level, message: "", subject: "")
                if windows[kind] == nil { open(kind, now, passed: Self.burst) }
            }
        }
        guard var window = windows[kind] else { return due + [record] }
        defer { windows[kind] = window }
        if window.passed < Self.burst {
            window.passed += 1
            return due + [record]
        }
        window.held += 1
        heldAtAll += 1
        window.last = kind.message.isEmpty ? .others(like: record) : record
        wakeAt = min(wakeAt ?? window.end, window.end)
        return due
    }

    private mutating func open(_ kind: Kind, _ now: ContinuousClock.Instant, passed: Int) {
        let end = now + length
        windows[kind] = Window(end: end, passed: passed)
        firstEnd = min(firstEnd ?? end, end)
    }

    /// Returns the counts of the windows that have ended.
    mutating func ended(now: ContinuousClock.Instant) -> [LogRecord] {
        guard let firstEnd, firstEnd <= now else { return [] }
        let over = windows.filter { $0.value.end <= now }.sorted { $0.value.end < $1.value.end }
        let summaries = over.compactMap { $0.value.summary }
        for (kind, window) in over {
            // A kind that repeats is reported once per window. All other kinds are removed.
            windows[kind] = window.held > 0 ? Window(end: now + length, passed: Self.burst) : nil
        }
        self.firstEnd = windows.values.map(\.end).min()
        wakeAt = windows.values.filter { $0.held > 0 }.map(\.end).min()
        return summaries
    }

    /// Returns all pending counts, before the log ends.
    mutating func flush() -> [LogRecord] {
        let summaries = windows.values.sorted { $0.end < $1.end }.compactMap(\.summary)
        windows = [:]
        firstEnd = nil
        wakeAt = nil
        return summaries
    }
}

extension RepetitionLimiter.Kind {
    fileprivate init(_ record: LogRecord) {
        level = record.level
        message = String(decoding: record.message.utf8.prefix(RepetitionLimiter.keyLength), as: UTF8.self)
        let subject = ["light", "subject", "driver"].lazy.compactMap { name in
            record.fields.first { $0.name == name }
        }.first
        self.subject = String(decoding: (subject?.value ?? "").utf8.prefix(RepetitionLimiter.keyLength), as: UTF8.self)
    }
}

extension RepetitionLimiter.Window {
    /// The suppressed events as one event; `nil` if there are none.
    fileprivate var summary: LogRecord? {
        guard held > 0, var record = last else { return nil }
        record.message += held == 1 ? " (repeated once)" : " (repeated \(held) times)"
        return record
    }
}

extension LogRecord {
    fileprivate static func others(like record: LogRecord) -> LogRecord {
        LogRecord(
            label: record.label, level: record.level, message: "messages suppressed", fields: [])
    }
}
