import SetupQR
import Testing

@Suite("The setup payload as a QR code")
struct QRCodeTests {
    private func code() throws -> QRCode { try #require(QRCode("X-HM://0023ISYWY1QJ8")) }

    /// The modules that a text shows, read back by an eye that knows nothing of how it was drawn.
    private func modules(_ text: String, _ read: (Character) -> [[Bool]]) -> [[Bool]] {
        text.split(separator: "\n").flatMap { line -> [[Bool]] in
            let cells = line.map(read)
            return (0..<(cells.first?.count ?? 0)).map { row in cells.flatMap { $0[row] } }
        }
    }

    private func expected(_ code: QRCode, rows: Int) -> [[Bool]] {
        (0..<rows).map { row in
            (-4..<code.size + 4).map { code.isDark(row - 4, $0) }
        }
    }

    @Test("the payload fits in the smallest code that takes it, with its three finders")
    func finders() throws {
        let code = try code()
        #expect(code.size == 21)
        for (row, column) in [(0, 0), (0, code.size - 7), (code.size - 7, 0)] {
            for offset in 0..<7 {
                #expect(code.isDark(row, column + offset))
                #expect(code.isDark(row + offset, column))
                #expect(code.isDark(row + 3, column + 3))
                #expect(!code.isDark(row + 1, column + 1))
            }
        }
    }

    @Test("a text that fits in no code makes none", arguments: ["", "a\u{0}b", String(repeating: "x", count: 8000)])
    func refused(text: String) { #expect(QRCode(text) == nil) }

    @Test("half blocks on a coloured ground show the dark modules and the quiet zone")
    func colored() throws {
        let code = try code()
        let text = code.text(for: TerminalAbilities(unicode: true, color: true))
        let plain = text.split(separator: "\n").map { line in
            #expect(line.hasPrefix("\u{1B}[0;30;107m") && line.hasSuffix("\u{1B}[0m"))
            return String(line.dropFirst("\u{1B}[0;30;107m".count).dropLast("\u{1B}[0m".count))
        }.joined(separator: "\n")
        let shown = modules(plain) { [[$0 == "█" || $0 == "▀"], [$0 == "█" || $0 == "▄"]] }
        #expect(shown == expected(code, rows: 30))
    }

    @Test("half blocks without colour draw the light modules")
    func uncolored() throws {
        let code = try code()
        let text = code.text(for: TerminalAbilities(unicode: true, color: false))
        #expect(!text.contains("\u{1B}"))
        let shown = modules(text) { [[!($0 == "█" || $0 == "▀")], [!($0 == "█" || $0 == "▄")]] }
        #expect(shown == expected(code, rows: 30))
    }

    @Test("plain ASCII draws the dark modules, and with colours none but spaces")
    func ascii() throws {
        let code = try code()
        let text = code.text(for: TerminalAbilities(unicode: false, color: false))
        #expect(text.utf8.allSatisfy { $0 == 0x20 || $0 == 0x23 || $0 == 0x0A })
        let lines = text.split(separator: "\n", omittingEmptySubsequences: true).map(Array.init)
        #expect(lines.count == 29)
        #expect(lines.allSatisfy { $0.count == 58 })
        let shown = lines.map { line in stride(from: 0, to: 58, by: 2).map { line[$0] == "#" } }
        #expect(shown == expected(code, rows: 29))
        let colored = code.text(for: TerminalAbilities(unicode: false, color: true))
        let isASCII = colored.unicodeScalars.allSatisfy { $0.isASCII }
        #expect(isASCII)
        let dark = colored.components("\u{1B}[40m  ")
        #expect(dark == expected(code, rows: 29).joined().count { $0 })
    }

    @Test(
        "what a terminal can show is taken from the surroundings",
        arguments: [
            (["LANG": "de_DE.UTF-8", "TERM": "xterm"], true, TerminalAbilities(unicode: true, color: true)),
            (
                ["LANG": "C.utf8", "TERM": "xterm", "NO_COLOR": "1"], true,
                TerminalAbilities(unicode: true, color: false)
            ),
            (
                ["LANG": "C.UTF-8", "LC_ALL": "C", "TERM": "xterm"], true,
                TerminalAbilities(unicode: false, color: true)
            ),
            (["LANG": "C.UTF-8", "TERM": "dumb"], true, TerminalAbilities(unicode: false, color: false)),
            (["LANG": "C.UTF-8"], false, TerminalAbilities(unicode: true, color: false)),
            ([:], true, TerminalAbilities(unicode: false, color: false)),
        ] as [([String: String], Bool, TerminalAbilities)])
    func abilities(environment: [String: String], isTerminal: Bool, expected: TerminalAbilities) {
        #expect(TerminalAbilities(isTerminal: isTerminal) { environment[$0] } == expected)
    }

    @Test("the images have their size and their frame")
    func images() throws {
        let code = try code()
        #expect(code.svg.hasPrefix("<?xml"))
        #expect(code.svg.contains("viewBox=\"0 0 29 29\""))
        #expect(code.svg.contains("M4 4h7v1h-7z"))
        let png = code.png(scale: 3)
        #expect(png.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13]))
        #expect(Array(png[16..<26]) == [0, 0, 0, 87, 0, 0, 0, 87, 1, 0])
        // The checksum of an empty IEND chunk is in every PNG there is.
        #expect(png.suffix(12) == [0, 0, 0, 0, 0x49, 0x45, 0x4E, 0x44, 0xAE, 0x42, 0x60, 0x82])
    }
}

extension String {
    fileprivate func components(_ part: String) -> Int { ranges(of: part).count }
}
