import Logging

/// Keeps the log short when the same thing happens again and again.
///
/// Of one kind of event the first few within a window pass; the rest are counted, and the count is told when the window
/// ends, as often as it ends. A window without anything held back ends silently, and the next event of that kind passes
/// again. Of a kind are events of the same level and message about the same light or driver: what a peer can vary, its
/// address or a faulty byte, makes no new kind.
///
/// Only what is on by default and what others can cause is limited: `info`, `warning` and `error`. A `notice` tells what
/// somebody entitled has done, each of which counts; `debug` and `trace` are for those who asked to see everything.
struct RepetitionLimiter: Sendable {
    /// The events of a kind that pass within a window.
    static let burst = 5
    /// The kinds of one level that are kept apart; a full bridge has 149 lights.
    ///
    /// Those beyond are counted together, so that even a source of ever new messages is bounded, and what it says at one
    /// level hides nothing at another.
    static let kinds = 256
    /// The longest text that tells kinds apart, in bytes.
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
        /// The newest that was held back.
        var last: LogRecord?
    }

    private let length: Duration
    private var windows: [Kind: Window] = [:]
    /// When the first of all windows ends.
    private var firstEnd: ContinuousClock.Instant?

    /// When ``ended(now:)`` should be asked; `nil` if nothing is held back.
    private(set) var wakeAt: ContinuousClock.Instant?
    /// The events that were held back since the start.
    private(set) var heldAtAll: UInt64 = 0

    init(window: Duration = .seconds(60)) { length = window }

    /// An event has come; returns the records to write now, in order.
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

    /// Time has passed; returns the counts of windows that have ended.
    mutating func ended(now: ContinuousClock.Instant) -> [LogRecord] {
        guard let firstEnd, firstEnd <= now else { return [] }
        let over = windows.filter { $0.value.end <= now }.sorted { $0.value.end < $1.value.end }
        let summaries = over.compactMap { $0.value.summary }
        for (kind, window) in over {
            // What goes on is notified once a window; what has stopped is forgotten.
            windows[kind] = window.held > 0 ? Window(end: now + length, passed: Self.burst) : nil
        }
        self.firstEnd = windows.values.map(\.end).min()
        wakeAt = windows.values.filter { $0.held > 0 }.map(\.end).min()
        return summaries
    }

    /// The counts that have not been told, because the log ends.
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
    /// What was held back, as one event.
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
