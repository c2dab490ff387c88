/// What a terminal can show.
package struct TerminalAbilities: Equatable, Sendable {
    /// Whether it shows characters beyond ASCII.
    package var unicode: Bool
    /// Whether it obeys colours; then a code is black on white, whatever the background.
    package var color: Bool

    package init(unicode: Bool, color: Bool) {
        self.unicode = unicode
        self.color = color
    }

    /// Determines what the environment promises about an output.
    package init(isTerminal: Bool, environment: (String) -> String?) {
        func value(_ name: String) -> String? { environment(name).flatMap { $0.isEmpty ? nil : $0 } }
        let locale = (value("LC_ALL") ?? value("LC_CTYPE") ?? value("LANG") ?? "").lowercased()
        let isDumb = value("TERM") == "dumb" || (isTerminal && value("TERM") == nil)
        unicode = !isDumb && (locale.contains("utf-8") || locale.contains("utf8"))
        color = isTerminal && !isDumb && value("NO_COLOR") == nil
    }
}

extension QRCode {
    /// The code as lines of text, quiet zone included, each ended by a line feed.
    ///
    /// With colours it is black on white. Without, light modules are drawn in Unicode, which suits the usual dark
    /// background, and dark modules in ASCII, which suits paper and mail; scanners read either way round.
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

    /// One character for two modules, one above the other.
    private func halfBlocks(drawingDark: Bool) -> [String] {
        stride(from: span.lowerBound, to: span.upperBound, by: 2).map { row in
            span.map { column in
                // Below an odd last row there is nothing to draw on a white ground, and light on a dark one.
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
