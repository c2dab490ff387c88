/// The capabilities of a terminal.
package struct TerminalAbilities: Equatable, Sendable {
    /// A Boolean value that indicates whether the terminal can show characters beyond ASCII.
    package var unicode: Bool
    /// A Boolean value that indicates whether the terminal supports colors.
    ///
    /// With colors, codes are black on white, regardless of the terminal's background.
    package var color: Bool

    package init(unicode: Bool, color: Bool) {
        self.unicode = unicode
        self.color = color
    }

    /// Determines the capabilities of an output from the environment variables.
    package init(isTerminal: Bool, environment: (String) -> String?) {
        func value(_ name: String) -> String? { environment(name).flatMap { $0.isEmpty ? nil : $0 } }
        let locale = (value("LC_ALL") ?? value("LC_CTYPE") ?? value("LANG") ?? "").lowercased()
        let isDumb = value("TERM") == "dumb" || (isTerminal && value("TERM") == nil)
        unicode = !isDumb && (locale.contains("utf-8") || locale.contains("utf8"))
        color = isTerminal && !isDumb && value("NO_COLOR") == nil
    }
}

extension QRCode {
    /// Returns the code as lines of text, including its quiet zone.
    ///
    /// Each line ends with a line feed. With colors, the code is black on white. Without colors, Unicode characters
    /// draw the light modules, for the usual dark background, and ASCII characters draw the dark modules, for paper and
    /// e-mail. Scanners can read both.
    package func text(for abilities: TerminalAbilities) -> String {
        switch (abilities.unicode, abilities.color) {
        case (true, true): lines(of: halfBlocks(drawingDark: true), between: "\u{1B}[0;30;107m", "\u{1B}[0m")
        case (true, false): lines(of: halfBlocks(drawingDark: false), between: "", "")
        case (false, true): lines(of: pairs(dark: "\u{1B}[40m  ", light: "\u{1B}[107m  "), between: "", "\u{1B}[0m")
        case (false, false): lines(of: pairs(dark: "##", light: "  "), between: "", "")
        }
    }

    private func lines(of rows: [String], between start: String, _ end: String) -> String {
        rows.map { start + $0 + end + "\n" }.joined()
    }

    /// Returns the lines of the code, in which each character draws two modules, one above the other.
    private func halfBlocks(drawingDark: Bool) -> [String] {
        stride(from: span.lowerBound, to: span.upperBound, by: 2).map { row in
            span.map { column in
                // If the number of rows is odd, the lower half of the last line is light: empty when dark modules are
                // drawn, and filled when light modules are drawn.
                switch (isDark(row, column) == drawingDark, isDark(row + 1, column) == drawingDark) {
                case (true, true): "█"
                case (true, false): "▀"
                case (false, true): "▄"
                case (false, false): " "
                }
            }.joined()
        }
    }

    private func pairs(dark: String, light: String) -> [String] {
        span.map { row in span.map { isDark(row, $0) ? dark : light }.joined() }
    }
}
