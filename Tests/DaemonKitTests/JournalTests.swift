import FoundationEssentials
import Glibc
import Logging
import Synchronization
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

    @Test("an entry is the message as people read it, and each field by its name")
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

    @Test("a value of several lines has its length before it, so that it makes no field of its own")
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
        "a key as a field's name",
        arguments: [
            ("light", "LIGHT"), ("sl-signal", "SL_SIGNAL"), ("deviceID", "DEVICEID"), ("a1", "A1"), ("é", nil),
            ("_pid", nil), ("1a", nil), ("", nil), (String(repeating: "a", count: 65), nil),
            ("naïve\n", "NA_VE_"),
        ] as [(String, String?)])
    func names(key: String, name: String?) {
        #expect(JournalEntry.name(of: key) == name)
    }

    @Test("a field never passes for the message or its priority")
    func reserved() {
        #expect(
            entry("a", ["message": "b", "priority": "0"])
                == "MESSAGE=a message=b priority=0\nPRIORITY=4\nSYSLOG_IDENTIFIER=bridge\n")
    }

    @Test("fields that are too long are left out, and the entry stays within a datagram")
    func long() {
        let long = String(repeating: "x", count: 100_000)
        let entry = entry(long, ["a": "1", "b": long, "c": "2"])
        #expect(entry.hasSuffix("...\nPRIORITY=4\nSYSLOG_IDENTIFIER=bridge\nA=1\nC=2\n"))
        #expect(entry.utf8.count < 3 * LogRecord.maximumLength)
    }

    /// A journal of the test's own: a socket that takes datagrams.
    private final class Journal {
        let path = FileManager.default.temporaryDirectory.path + "/journal-\(UUID().uuidString).sock"
        private let descriptor = socket(AF_UNIX, CInt(SOCK_DGRAM.rawValue), 0)

        init() throws {
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
            let result = withUnsafePointer(to: address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
                }
            }
            try #require(result == 0)
        }

        deinit {
            close(descriptor)
            unlink(path)
        }

        /// The next entry, if there is one.
        var next: String? {
            var bytes = [UInt8](repeating: 0, count: 65536)
            let count = recv(descriptor, &bytes, bytes.count, CInt(MSG_DONTWAIT))
            return count < 0 ? nil : String(decoding: bytes.prefix(count), as: UTF8.self)
        }
    }

    private final class Lines: Sendable {
        private let state = Mutex<[String]>([])
        var all: [String] { state.withLock { $0 } }
        func add(_ line: String) { state.withLock { $0.append(line) } }
    }

    private func logger(_ style: LogStyle, _ path: String, _ lines: Lines) -> Logger {
        let stage = LogSetup.stage(style, journal: JournalSocket(path: path), standardError: lines.add)
        return Logger(label: "bridge") { RecordLogHandler(label: $0, level: .info, write: stage.log) }
    }

    @Test("when standard error leads to the journal, events go there as entries and nowhere else")
    func journal() throws {
        let journal = try Journal()
        let lines = Lines()
        let logger = logger(.journal, journal.path, lines)
        logger.info("light added", metadata: ["light": "home/1"])
        #expect(
            journal.next
                == "MESSAGE=light added light=home/1\nPRIORITY=6\nSYSLOG_IDENTIFIER=bridge\nLIGHT=home/1\n")
        #expect(journal.next == nil)
        #expect(lines.all == [])
    }

    @Test("when the journal does not take an event, it is a line with its priority")
    func refused() throws {
        let lines = Lines()
        logger(.journal, "/nowhere/socket", lines).info("a")
        logger(.journal, "/" + String(repeating: "x", count: 200), lines).info("b")
        // It takes no more than some unread datagrams.
        let journal = try Journal()
        let full = logger(.journal, journal.path, lines)
        for _ in 0..<10_000 where lines.all.count < 3 { full.notice("c") }
        #expect(lines.all == ["<6>bridge: a\n", "<6>bridge: b\n", "<5>bridge: c\n"])
        while journal.next != nil {}
        full.notice("d")
        #expect(journal.next == "MESSAGE=d\nPRIORITY=5\nSYSLOG_IDENTIFIER=bridge\n")
    }

    @Test("without the journal, events are lines and its socket is not looked at")
    func plain() throws {
        let journal = try Journal()
        let lines = Lines()
        logger(.plain, journal.path, lines).info("a")
        #expect(journal.next == nil)
        #expect(lines.all.first?.hasSuffix(" info bridge: a\n") == true)
    }
}
