import Synchronization
import TerminalKit
import TestTimeouts
import Testing

@Suite("TerminalKit", .timeout)
struct TerminalKitTests {
    @Test(
        "suggests the nearest word for a typo, and none for an unrelated word",
        arguments: [
            ("prot", "port"), ("Port", "port"), ("por", "port"), ("interface", "interfaces"), ("x", nil),
            ("setupcode", "setup-code"), ("advertize", "advertise"), ("colour", nil), ("", nil),
        ])
    func nearest(typed: String, meant: String?) {
        #expect(typed.nearest(in: ["port", "interfaces", "setup-code", "advertise"]) == meant)
    }

    @Test("counts two columns for wide characters and none for marks")
    func wideCharacters() {
        #expect("Küche".columns == 5 && "e\u{301}".columns == 1 && "キッチン".columns == 8 && "💡".columns == 2)
        var table = Table(["NAME", "NOW"])
        table.append(["台所", "on"])
        table.append(["Hall", "off"])
        #expect(table.text == "NAME  NOW\n台所  on\nHall  off\n")
    }

    @Test("discards input typed before a question")
    func typedAhead() async {
        let steps = Steps()
        let terminal = Terminal(
            writeError: { steps.add($0) },
            readLine: {
                steps.add("read")
                return "yes"
            }, discardInput: { steps.add("discard") })
        #expect(await terminal.ask("Sure? ") == "yes")
        #expect(steps.all == ["discard", "Sure? ", "read"])
    }

    @Test("aligns columns by their widest cell, and sanitizes cells")
    func table() {
        var table = Table(["NAME", "STATE"])
        table.append(["Lamp\u{1B}", ""])
        table.append(["A", "on"])
        #expect(table.text == "NAME        STATE\nLamp\\u{1B}\nA           on\n")
    }

    @Test("escapes every control, format and line character")
    func sanitized() throws {
        let controls = (Array(0..<0x20) + Array(0x7F..<0xA0)).compactMap(Unicode.Scalar.init)
        let others = "\u{AD}\u{200E}\u{202E}\u{2066}\u{2028}\u{2029}\u{FEFF}\u{E000}".unicodeScalars
        for scalar in controls + others {
            let number = String(scalar.value, radix: 16, uppercase: true)
            let escape = ["\n": "\\n", "\r": "\\r", "\t": "\\t"][scalar] ?? "\\u{\(number)}"
            #expect("a\(scalar)b".sanitized == "a\(escape)b")
        }
        #expect("Küche 灯 💡 \u{A0}é".sanitized == "Küche 灯 💡 \u{A0}é")
    }

    @Test(
        "moves leading options to the end of the command's arguments",
        arguments: [
            (["--json", "--at", "x", "list", "y"], ["list", "y", "--json", "--at", "x"]),
            (["--at=x", "list", "--", "-5"], ["list", "--at=x", "--", "-5"]),
            (["--json", "--help"], ["--json", "--help"]),
            (["--at"], ["--at"]), (["list"], ["list"]), ([], []),
        ] as [([String], [String])])
    func order(typed: [String], parsed: [String]) {
        #expect(OptionOrder(flags: ["--json"], options: ["--at"]).movedBehindCommand(typed) == parsed)
    }
}

private final class Steps: Sendable {
    private let state = Mutex<[String]>([])
    var all: [String] { state.withLock { $0 } }
    func add(_ step: String) { state.withLock { $0.append(step) } }
}
