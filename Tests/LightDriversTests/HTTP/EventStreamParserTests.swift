import TestTimeouts
import Testing

@testable import LightDrivers

@Suite("The parser of server-sent events", .timeout)
struct EventStreamParserTests {
    @Test(
        "ends an event at an empty line, with any line ending and chunk size",
        arguments: [
            (": hi\n\ndata: [1]\n\n", ["[1]"]), ("data:[1]\r\n\r\ndata: [2]\r\n\r\n", ["[1]", "[2]"]),
            ("data: a\rdata: b\r\r", ["a\nb"]), ("event: x\nid: 7\nretry: 5\ndata\n\n", [""]), ("id: 7\n\n", []),
            ("data: unfinished\n", []), ("data:  two spaces\n\n", [" two spaces"]), ("\n\n\n", []),
        ])
    func events(text: String, expected: [String]) throws {
        for size in [1, 3, 1000] {
            var parser = EventStreamParser()
            var events: [String] = []
            for start in stride(from: 0, to: text.utf8.count, by: size) {
                let piece = Array(text.utf8.dropFirst(start).prefix(size))
                events += try parser.received(piece).map { String(decoding: $0, as: UTF8.self) }
            }
            #expect(events == expected)
        }
    }

    @Test("keeps the id of the last event")
    func id() throws {
        var parser = EventStreamParser()
        _ = try parser.received(Array("id: 1634576695:0\ndata: []\n\n".utf8))
        #expect(parser.lastID == "1634576695:0")
        _ = try parser.received(Array("id: \u{7}\ndata: []\n\n".utf8))
        #expect(parser.lastID == "1634576695:0", "HTTP can't carry it")
    }

    @Test("rejects an event that never ends before it fills the memory", arguments: ["x", "data: x\n"])
    func endless(piece: String) {
        var parser = EventStreamParser(limit: 4096)
        let bytes = Array(String(repeating: piece, count: 4096).utf8)
        #expect(throws: EventStreamParser.TooLong.self) {
            for _ in 0..<4 { _ = try parser.received(bytes) }
        }
    }
}
