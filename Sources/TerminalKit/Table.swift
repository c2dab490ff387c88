/// Columns for people.
package struct Table {
    /// How a row stands out where the terminal has colours.
    package enum Style: String, Sendable {
        /// What is on or open.
        case strong = "1"
        /// What is of no use now.
        case faint = "2"
        /// What a person should look after.
        case alert = "31"
    }

    private var rows: [(cells: [String], style: Style?)]

    package init(_ headings: [String]) { rows = [(headings, nil)] }

    package mutating func append(_ row: [String], _ style: Style? = nil) { rows.append((row.map(\.sanitized), style)) }

    /// The rows in columns, without any colour.
    package var text: String { text(isPainted: false) }

    /// The rows in columns.
    ///
    /// - Parameter isPainted: whether styles are shown, which is for terminals alone.
    /// - Returns: a line for each row, the headings first.
    package func text(isPainted: Bool) -> String {
        let widths = (rows.first?.cells ?? []).indices.map { column in rows.map { $0.cells[column].count }.max() ?? 0 }
        return rows.map { row in
            var line = ""
            for (cell, width) in zip(row.cells, widths) {
                line += cell + String(repeating: " ", count: width - cell.count + 2)
            }
            while line.last == " " { line.removeLast() }
            guard isPainted, let style = row.style else { return line + "\n" }
            return "\u{1B}[\(style.rawValue)m\(line)\u{1B}[0m\n"
        }.joined()
    }
}
