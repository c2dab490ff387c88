import SetupQR
import TestTimeouts
import Testing

@Suite("QRCode", .timeout)
struct QRCodeTests {
    private func code() throws -> QRCode { try #require(QRCode("X-HM://0023ISYWY1QJ8")) }

    /// Returns the modules that a text shows.
    ///
    /// The parser is independent of the code that draws them.
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

    @Test("encodes the payload in the smallest possible code, with three finder patterns")
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

    @Test(
        "rejects text that is too long for any code", arguments: ["", "a\u{0}b", String(repeating: "x", count: 8000)])
    func refused(text: String) { #expect(QRCode(text) == nil) }

    @Test("draws dark modules and quiet zone with half blocks on a colored background")
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

    @Test("draws light modules with half blocks without color")
    func uncolored() throws {
        let code = try code()
        let text = code.text(for: TerminalAbilities(unicode: true, color: false))
        #expect(!text.contains("\u{1B}"))
        let shown = modules(text) { [[!($0 == "█" || $0 == "▀")], [!($0 == "█" || $0 == "▄")]] }
        #expect(shown == expected(code, rows: 30))
    }

    @Test("draws dark modules in ASCII, and spaces with color")
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
        "derives the terminal's capabilities from the environment",
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

    @Test("draws exactly the dark modules in the SVG image")
    func svg() throws {
        let code = try code()
        var shown = Array(repeating: Array(repeating: false, count: 29), count: 29)
        for rectangle in code.svg.matches(of: /M(\d+) (\d+)h(\d+)v1h-(\d+)z/) {
            let (x, y) = (try #require(Int(rectangle.1)), try #require(Int(rectangle.2)))
            let width = try #require(Int(rectangle.3))
            #expect(rectangle.3 == rectangle.4)
            for column in x..<x + width { shown[y][column] = true }
        }
        #expect(shown == expected(code, rows: 29))
        #expect(code.svg.contains("viewBox=\"0 0 29 29\"") && code.svg.hasSuffix("</svg>\n"))
    }

    @Test("draws every module in the PNG image with the given size and valid checksums", arguments: [1, 3, 8, 40])
    func png(scale: Int) throws {
        let code = try code()
        var rest = code.png(scale: scale)[8...]
        var stream: [UInt8] = []
        var names: [String] = []
        while !rest.isEmpty {
            let count = number(rest.prefix(4))
            let named = rest.dropFirst(4).prefix(4 + count)
            names.append(String(decoding: named.prefix(4), as: UTF8.self))
            if names.last == "IDAT" { stream += named.dropFirst(4) }
            #expect(UInt32(number(rest.dropFirst(8 + count).prefix(4))) == crc(named))
            rest = rest.dropFirst(12 + count)
        }
        #expect(names == ["IHDR", "IDAT", "IEND"])

        let pixels = try inflated(stream)
        let width = 29 * scale
        let line = 1 + (width + 7) / 8
        #expect(pixels.count == line * width)
        let shown = (0..<width).map { y in
            (0..<width).map { x in pixels[y * line + 1 + x / 8] >> UInt8(7 - x % 8) & 1 == 0 }
        }
        for y in 0..<width { #expect(pixels[y * line] == 0, "no filter") }
        let modules = expected(code, rows: 29)
        #expect(shown == (0..<width).map { y in (0..<width).map { x in modules[y / scale][x / scale] } })
    }

    private func number(_ bytes: some Collection<UInt8>) -> Int { bytes.reduce(0) { $0 << 8 | Int($1) } }

    /// Returns the checksum that PNG uses, computed bit by bit (ISO 15948, 5.5).
    private func crc(_ bytes: some Collection<UInt8>) -> UInt32 {
        var sum = UInt32.max
        for byte in bytes {
            for bit in 0..<8 {
                let isOdd = (sum ^ UInt32(byte) >> UInt32(bit)) & 1 == 1
                sum = sum >> 1 ^ (isOdd ? 0xEDB8_8320 : 0)
            }
        }
        return ~sum
    }

    /// Returns the content of a zlib stream of stored blocks (RFC 1950, RFC 1951).
    private func inflated(_ stream: [UInt8]) throws -> [UInt8] {
        #expect(stream[0] & 0xF == 8 && number(stream[..<2]) % 31 == 0)
        var bytes: [UInt8] = []
        var rest = stream[2...]
        var isLast = false
        while !isLast {
            let head = Array(rest.prefix(5))
            try #require(head.count == 5 && head[0] <= 1)
            isLast = head[0] == 1
            let count = Int(head[1]) | Int(head[2]) << 8
            #expect(head[3] == ~head[1] && head[4] == ~head[2])
            bytes += rest.dropFirst(5).prefix(count)
            rest = rest.dropFirst(5 + count)
        }
        var (a, b) = (1, 0)
        for byte in bytes {
            a = (a + Int(byte)) % 65521
            b = (b + a) % 65521
        }
        #expect(number(rest) == b << 16 | a)
        return bytes
    }
}

extension String {
    fileprivate func components(_ part: String) -> Int { ranges(of: part).count }
}
