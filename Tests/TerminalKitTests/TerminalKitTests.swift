import TerminalKit
import TestTimeouts
import Testing

@Suite("Words and tables for people", .timeout)
struct TerminalKitTests {
    @Test(
        "a slip is understood, another word is not",
        arguments: [
            ("prot", "port"), ("Port", "port"), ("por", "port"), ("interface", "interfaces"), ("x", nil),
            ("setupcode", "setup-code"), ("advertize", "advertise"), ("colour", nil), ("", nil),
        ])
    func nearest(typed: String, meant: String?) {
        #expect(typed.nearest(in: ["port", "interfaces", "setup-code", "advertise"]) == meant)
    }

    @Test("columns are as wide as their widest cell, and no cell reaches the terminal's controls")
    func table() {
        var table = Table(["NAME", "STATE"])
        table.append(["Lamp\u{1B}", ""])
        table.append(["A", "on"])
        #expect(table.text == "NAME   STATE\nLamp?\nA      on\n")
    }

    @Test(
        "options before the command move behind it, and before the words that are no options",
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
