/// A human-readable table with aligned columns.
package struct Table {
    /// The emphasis of a row on a terminal with colors.
    package enum Style: String, Sendable {
        /// For devices that are on or open.
        case strong = "1"
        /// For devices that are unavailable.
        case faint = "2"
        /// For values that need attention.
        case alert = "31"
    }

    private var rows: [(cells: [String], style: Style?)]

    package init(_ headings: [String]) { rows = [(headings, nil)] }

    package mutating func append(_ row: [String], _ style: Style? = nil) { rows.append((row.map(\.sanitized), style)) }

    /// The rows in columns, without colors.
    package var text: String { text(isPainted: false) }

    /// Returns the rows in columns, after the headings.
    ///
    /// Styles are for terminals only.
    package func text(isPainted: Bool) -> String {
        let widths = (rows.first?.cells ?? []).indices.map { column in rows.map { $0.cells[column].columns }.max() ?? 0
        }
        return rows.map { row in
            var line = ""
            for (cell, width) in zip(row.cells, widths) {
                line += cell + String(repeating: " ", count: width - cell.columns + 2)
            }
            while line.last == " " { line.removeLast() }
            guard isPainted, let style = row.style else { return line + "\n" }
            return "\u{1B}[\(style.rawValue)m\(line)\u{1B}[0m\n"
        }.joined()
    }
}

extension String {
    /// The number of columns that the text takes on a terminal.
    ///
    /// East Asian wide characters and emoji take two (UAX #11).
    package var columns: Int { reduce(0) { $0 + $1.columns } }
}

extension Character {
    fileprivate var columns: Int {
        guard let first = unicodeScalars.first else { return 0 }
        let isEmoji =
            first.properties.isEmojiPresentation || unicodeScalars.contains { $0.value == 0xFE0F }
        if isEmoji || Self.wide.contains(where: { $0.contains(first.value) }) { return 2 }
        return first.properties.generalCategory == .nonspacingMark ? 0 : 1
    }

    /// The blocks of wide and fullwidth characters.
    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xA000...0xA4CF,
        0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6,
        0x1F300...0x1F64F, 0x1F900...0x1F9FF, 0x20000...0x3FFFD,
    ]
}
