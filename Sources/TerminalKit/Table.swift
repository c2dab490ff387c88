/// Columns for people.
package struct Table {
    private var rows: [[String]]

    package init(_ headings: [String]) { rows = [headings] }

    package mutating func append(_ row: [String]) { rows.append(row.map(\.sanitized)) }

    package var text: String {
        let widths = (rows.first ?? []).indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            var line = ""
            for (cell, width) in zip(row, widths) {
                line += cell + String(repeating: " ", count: width - cell.count + 2)
            }
            while line.last == " " { line.removeLast() }
            return line + "\n"
        }.joined()
    }
}
