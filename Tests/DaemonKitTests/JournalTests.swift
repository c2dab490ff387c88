import Logging
import TestTimeouts
import Testing

@testable import DaemonKit

@Suite("The journal", .timeout)
struct JournalTests {
    private func entry(_ message: String, _ fields: KeyValuePairs<String, String> = [:]) -> String {
        let record = LogRecord(
            label: "bridge", level: .warning, message: message,
            fields: fields.map { LogRecord.Field(name: $0.key, value: $0.value) })
        return String(decoding: JournalEntry.bytes(of: record), as: UTF8.self)
    }

    @Test("writes the message and each field by its name")
    func fields() {
        #expect(
            entry("no answer", ["aid": "7", "light": "home/0x 12"]) == """
                MESSAGE=no answer aid=7 light="home/0x 12"
                PRIORITY=4
                SYSLOG_IDENTIFIER=bridge
                AID=7
                LIGHT=home/0x 12

                """)
    }

    @Test("writes the length before a multiline value, so that it can't forge a field")
    func lines() {
        #expect(
            entry("a\nPRIORITY=0", ["name": "x\nPRIORITY=0"]) == """
                MESSAGE=a\\nPRIORITY=0 name="x\\nPRIORITY=0"
                PRIORITY=4
                SYSLOG_IDENTIFIER=bridge
                NAME
                \u{0C}\0\0\0\0\0\0\0x
                PRIORITY=0

                """)
    }

    @Test(
        "converts a key to a field name",
        arguments: [
            ("light", "LIGHT"), ("sl-signal", "SL_SIGNAL"), ("deviceID", "DEVICEID"), ("a1", "A1"), ("é", nil),
            ("_pid", nil), ("1a", nil), ("", nil), (String(repeating: "a", count: 65), nil),
            ("naïve\n", "NA_VE_"),
        ] as [(String, String?)])
    func names(key: String, name: String?) {
        #expect(JournalEntry.name(of: key) == name)
    }

    @Test("never lets a field replace the message or its priority")
    func reserved() {
        #expect(
            entry("a", ["message": "b", "priority": "0"])
                == "MESSAGE=a message=b priority=0\nPRIORITY=4\nSYSLOG_IDENTIFIER=bridge\n")
    }

    @Test("omits long fields, and stays within a datagram")
    func long() {
        let long = String(repeating: "x", count: 100_000)
        let entry = entry(long, ["a": "1", "b": long, "c": "2"])
        #expect(entry.hasSuffix("...\nPRIORITY=4\nSYSLOG_IDENTIFIER=bridge\nA=1\nC=2\n"))
        #expect(entry.utf8.count < 3 * LogRecord.maximumLength)
    }

    private func logger(_ style: LogStyle, _ path: String, _ lines: Lines) -> Logger {
        let stage = LogSetup.stage(style, journal: JournalSocket(path: path), standardError: lines.add)
        return Logger(label: "bridge") { RecordLogHandler(label: $0, level: .info, write: stage.log) }
    }

    @Test("sends events only to the journal when standard error leads there")
    func journal() throws {
        let journal = try DatagramSocket()
        let lines = Lines()
        let logger = logger(.journal, journal.name, lines)
        logger.info("light added", metadata: ["light": "home/1"])
        #expect(
            journal.next()
                == "MESSAGE=light added light=home/1\nPRIORITY=6\nSYSLOG_IDENTIFIER=bridge\nLIGHT=home/1\n")
        #expect(journal.next() == nil)
        #expect(lines.all == [])
    }

    @Test("prints an event with its priority if the journal doesn't accept it")
    func refused() throws {
        let lines = Lines()
        logger(.journal, "/nowhere/socket", lines).info("a")
        logger(.journal, "/" + String(repeating: "x", count: 200), lines).info("b")
        // The socket can store only a few unread datagrams.
        let journal = try DatagramSocket()
        let full = logger(.journal, journal.name, lines)
        for _ in 0..<10_000 where lines.all.count < 3 { full.notice("c") }
        #expect(lines.all == ["<6>bridge: a\n", "<6>bridge: b\n", "<5>bridge: c\n"])
        while journal.next() != nil {}
        full.notice("d")
        #expect(journal.next() == "MESSAGE=d\nPRIORITY=5\nSYSLOG_IDENTIFIER=bridge\n")
    }

    @Test("prints events and doesn't use the journal's socket if standard error leads elsewhere")
    func plain() throws {
        let journal = try DatagramSocket()
        let lines = Lines()
        logger(.plain, journal.name, lines).info("a")
        #expect(journal.next() == nil)
        #expect(lines.all.first?.hasSuffix(" info bridge: a\n") == true)
    }
}
