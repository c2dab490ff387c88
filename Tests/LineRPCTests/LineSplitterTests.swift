import LineRPC
import Testing

@Suite("LineSplitter")
struct LineSplitterTests {
    private func lines(_ chunks: [String], limit: Int = 8) -> [LineSplitter.Event] {
        var splitter = LineSplitter(maximumLength: limit)
        return chunks.flatMap { splitter.received(Array($0.utf8)) }
    }

    private func line(_ text: String) -> LineSplitter.Event { .line(Array(text.utf8)) }

    @Test("joins the pieces of a line")
    func pieces() {
        #expect(lines(["a", "b", "", "c\n"]) == [line("abc")])
        #expect(lines("abc\nd\n".map(String.init)) == [line("abc"), line("d")])
    }

    @Test("splits lines that arrive together")
    func atOnce() {
        #expect(lines(["a\nb\nc", "d\n"]) == [line("a"), line("b"), line("cd")])
    }

    @Test("skips empty lines")
    func empty() {
        #expect(lines(["\n\r\n \t\na\n"]) == [line("a")])
    }

    @Test("accepts a line of exactly the limit, and reports a longer one once")
    func limit() {
        #expect(lines(["12345678\n"]) == [line("12345678")])
        #expect(lines(["123456789\na\n"]) == [.tooLong, line("a")])
        #expect(lines(["12345678", "9", "0123", "45\n", "a\n"]) == [.tooLong, line("a")])
        #expect(lines(["123456789", String(repeating: "x", count: 100_000), "\nb\n"]) == [.tooLong, line("b")])
    }
}
