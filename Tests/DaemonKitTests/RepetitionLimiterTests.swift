import Logging
import Testing

@testable import DaemonKit

@Suite("RepetitionLimiter")
struct RepetitionLimiterTests {
    private let start = ContinuousClock.now

    private func record(
        _ message: String, _ level: Logger.Level = .warning, _ fields: KeyValuePairs<String, String> = [:]
    ) -> LogRecord {
        LogRecord(
            label: "bridge", level: level, message: message,
            fields: fields.map { LogRecord.Field(name: $0.key, value: $0.value) })
    }

    private func at(_ seconds: Double) -> ContinuousClock.Instant { start + .seconds(seconds) }

    @Test("passes five events, then reports the number of others and the newest one every minute")
    func flood() {
        var limiter = RepetitionLimiter()
        for second in 0..<5 {
            let one = record("refused", .info, ["peer": "10.0.0.\(second)"])
            #expect(limiter.received(one, now: at(Double(second))) == [one])
        }
        #expect(limiter.wakeAt == nil)
        for number in 0..<1000 {
            #expect(limiter.received(record("refused", .info, ["peer": "\(number)"]), now: at(10)) == [])
        }
        #expect(limiter.wakeAt == at(60))
        #expect(limiter.ended(now: at(59.9)) == [])
        #expect(limiter.ended(now: at(60)) == [record("refused (repeated 1000 times)", .info, ["peer": "999"])])
        #expect(limiter.wakeAt == nil)
        // The suppression continues until a whole window, counted from the first message, is quiet.
        #expect(limiter.received(record("refused", .info), now: at(61)) == [])
        #expect(limiter.wakeAt == at(120))
        #expect(limiter.ended(now: at(120)) == [record("refused (repeated once)", .info)])
        #expect(limiter.ended(now: at(180)) == [])
        #expect(limiter.received(record("refused", .info), now: at(180)) == [record("refused", .info)])
        #expect(limiter.heldAtAll == 1001)
    }

    @Test("reports a due count before the next event")
    func order() {
        var limiter = RepetitionLimiter()
        for _ in 0..<6 { _ = limiter.received(record("a"), now: start) }
        #expect(
            limiter.received(record("b"), now: at(70)) == [record("a (repeated once)"), record("b")])
    }

    @Test(
        "separates events by level, message, light, subject and driver, but not by peer",
        arguments: [
            (["light": "home/1"], ["light": "home/2"], true),
            (["driver": "a"], ["driver": "b"], true),
            (["driver": "a", "light": "a/1"], ["driver": "a", "light": "a/2"], true),
            (["driver": "a", "subject": "a: broker"], ["driver": "a", "subject": "a: topic"], true),
            (["peer": "10.0.0.1"], ["peer": "10.0.0.2"], false),
            (["violation": "x"], ["violation": "y"], false),
            ([:], [:], false),
        ] as [(KeyValuePairs<String, String>, KeyValuePairs<String, String>, Bool)])
    func kinds(one: KeyValuePairs<String, String>, other: KeyValuePairs<String, String>, apart: Bool) {
        var limiter = RepetitionLimiter()
        for _ in 0..<RepetitionLimiter.burst { _ = limiter.received(record("a", .info, one), now: start) }
        #expect(limiter.received(record("a", .info, other), now: start).isEmpty == !apart)
        #expect(limiter.received(record("b", .info, one), now: start) == [record("b", .info, one)])
        #expect(limiter.received(record("a", .error, one), now: start) == [record("a", .error, one)])
    }

    @Test(
        "never suppresses debug, notice and critical events",
        arguments: [Logger.Level.trace, .debug, .notice, .critical])
    func unlimited(level: Logger.Level) {
        var limiter = RepetitionLimiter()
        for _ in 0..<100 { #expect(limiter.received(record("a", level), now: start) == [record("a", level)]) }
        #expect(limiter.wakeAt == nil)
    }

    @Test("limits the number of different messages for each level")
    func ever() {
        var limiter = RepetitionLimiter()
        var written = 0
        for number in 0..<10_000 { written += limiter.received(record("\(number)", .info), now: start).count }
        #expect(written == RepetitionLimiter.kinds)
        #expect(limiter.received(record("other"), now: start) == [record("other")])
        #expect(
            limiter.ended(now: at(60)) == [
                record("messages suppressed (repeated 9744 times)", .info)
            ])
    }

    @Test("compares long messages by their beginning")
    func long() {
        var limiter = RepetitionLimiter()
        let beginning = String(repeating: "x", count: 1000)
        for number in 0..<5 { _ = limiter.received(record(beginning + "\(number)"), now: start) }
        #expect(limiter.received(record(beginning), now: start) == [])
    }

    @Test("ends several windows in order")
    func several() {
        var limiter = RepetitionLimiter()
        for _ in 0..<6 { _ = limiter.received(record("a"), now: start) }
        for _ in 0..<6 { _ = limiter.received(record("b"), now: at(5)) }
        #expect(limiter.wakeAt == at(60))
        #expect(limiter.ended(now: at(60)) == [record("a (repeated once)")])
        #expect(limiter.wakeAt == at(65))
        #expect(limiter.flush() == [record("b (repeated once)")])
        #expect(limiter.wakeAt == nil)
        #expect(limiter.heldAtAll == 2)
    }
}
