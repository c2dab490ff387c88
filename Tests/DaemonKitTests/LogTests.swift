import Logging
import TestTimeouts
import Testing

@testable import DaemonKit

@Suite("The log", .timeout)
struct LogTests {
    private func lines(style: LogStyle = .journal, _ body: (inout Logger) -> Void) -> [String] {
        let lines = Lines()
        var logger = Logger(label: "bridge") { label in
            RecordLogHandler(label: label, level: .debug) { lines.add($0.line(style, at: 1_700_000_000_005)) }
        }
        body(&logger)
        return lines.all
    }

    @Test("prints priorities, but no time, for the journal")
    func journal() {
        #expect(LogStyle.of(journalStream: "8:1234", standardError: "8:1234") == .journal)
        #expect(LogStyle.of(journalStream: nil, standardError: nil) == .plain)
        #expect(LogStyle.of(journalStream: "8:1234", standardError: "9:1234") == .plain)
        let lines = lines { logger in
            logger.trace("left out")
            logger.debug("a")
            logger.info("b")
            logger.notice("c")
            logger.warning("d")
            logger.error("e")
            logger.critical("f")
        }
        #expect(
            lines == [
                "<7>bridge: a\n", "<6>bridge: b\n", "<5>bridge: c\n", "<4>bridge: d\n", "<3>bridge: e\n",
                "<2>bridge: f\n",
            ])
    }

    @Test("begins a line with the time in UTC if it isn't for the journal")
    func plain() {
        #expect(
            lines(style: .plain) { $0.info("ready") } == ["2023-11-14T22:13:20.005Z info bridge: ready\n"])
    }

    @Test("prints an event as one sanitized line")
    func sanitized() {
        let lines = lines { logger in
            logger[metadataKey: "driver"] = "mqtt"
            logger.info("a\nb\u{1B}[31m\u{202E}\u{9B}2J", metadata: ["z": "x y\n", "a": "say \"hi\"", "b": ""])
        }
        #expect(
            lines == [
                #"<6>bridge: a\nb\u{1B}[31m\u{202E}\u{9B}2J a="say \"hi\"" b="" driver=mqtt z="x y\n""# + "\n"
            ])
    }

    @Test("truncates a very long line")
    func long() {
        let lines = lines { $0.info("\(String(repeating: "é", count: 100_000))") }
        #expect(lines.count == 1)
        #expect(lines.first.map { $0.utf8.count <= LogRecord.maximumLength + 20 } == true)
        #expect(lines.first?.hasSuffix("...\n") == true)
        // Suppressed events are stored for a while, so the same limit applies to them.
        let logger = Logger(label: "bridge") { label in
            RecordLogHandler(label: label, level: .info) { record in
                #expect(record.message.utf8.count <= LogRecord.maximumLength)
                #expect(record.fields.allSatisfy { $0.value.utf8.count <= LogRecord.maximumLength })
            }
        }
        let text = String(repeating: "x", count: 100_000)
        logger.info("\(text)", metadata: ["a": "\(text)"])
    }

    @Test("prints suppressed counts when the window ends, even if nothing else is logged")
    func summaries() async {
        let (messages, continuation) = AsyncStream.makeStream(of: String.self)
        let stage = LogStage(.plain, limiter: RepetitionLimiter(window: .milliseconds(50))) {
            continuation.yield($0.message)
        }
        for _ in 0..<100 {
            stage.log(LogRecord(label: "bridge", level: .warning, message: "again", fields: []))
        }
        let notified = await messages.prefix(6).reduce(into: []) { $0.append($1) }
        #expect(notified == [String](repeating: "again", count: 5) + ["again (repeated 95 times)"])
        #expect(stage.suppressedEvents == 95)
    }

    @Test("prints counts again after the next window")
    func summariesGoOn() async {
        let (messages, continuation) = AsyncStream.makeStream(of: String.self)
        let stage = LogStage(.plain, limiter: RepetitionLimiter(window: .milliseconds(50))) {
            continuation.yield($0.message)
        }
        let record = LogRecord(label: "bridge", level: .warning, message: "again", fields: [])
        for _ in 0..<6 { stage.log(record) }
        var counts = 0
        for await message in messages where message.contains("repeated") {
            counts += 1
            if counts == 3 { break }
            // One of the events is suppressed, even if the counting window has ended.
            for _ in 0..<6 { stage.log(record) }
        }
        #expect(counts == 3)
    }

    @Test("prints remaining counts at the end")
    func flush() {
        let lines = Lines()
        let stage = LogStage(.plain) { lines.add($0.message) }
        for _ in 0..<6 { stage.log(LogRecord(label: "bridge", level: .info, message: "again", fields: [])) }
        stage.flush()
        stage.flush()
        #expect(lines.all.count == 6)
        #expect(lines.all.last == "again (repeated once)")
    }
}
