import Testing

@testable import homeweb

@Suite("Lists with new rows at the beginning")
struct RowListTests {
    private func list(_ rows: String, frame: String = "f", list: String = "today") -> RowList {
        RowList(frame: frame, rows: rows.map { Self.row($0, list) })
    }

    /// A row whose ID is a lowercase letter.
    ///
    /// The HTML of an uppercase letter differs.
    private static func row(_ letter: Character, _ list: String = "today") -> RowList.Row {
        RowList.Row(id: letter.lowercased(), html: "<li>\(letter)</li>", list: list)
    }

    private func text(_ changes: [RowList.Change]?) -> String? {
        changes?.map { change in
            change.html.isEmpty
                ? "-\(change.id)" : "\(change.first == nil ? "" : "+")\(change.html.dropFirst(4).prefix(1))"
        }.joined()
    }

    @Test(
        "sends only new, moved, changed and removed rows",
        arguments: [
            ("dcba", "cba", "+d"), ("edcba", "cba", "+d+e"), ("cba", "cba", ""), ("cBa", "cba", "B"),
            ("Acb", "cba", "+A"), ("dcB", "cba", "+dB-a"), ("dcb", "cba", "+d-a"), ("cab", "cba", "+a+c"),
        ])
    func changes(new: String, old: String, expected: String) {
        #expect(text(list(new).changes(since: list(old))) == expected)
    }

    @Test("redraws everything after another change")
    func others() {
        let old = list("cba")
        #expect(list("dcba", frame: "g").changes(since: old) == nil)
        #expect(list("ca").changes(since: old) == nil)
        #expect(list("").changes(since: old) == nil)
        #expect(list("cba").changes(since: list("")) == nil)
        #expect(list("zyxwvutsrqcba").changes(since: old) == nil)
        var tomorrow = list("dcba")
        tomorrow.rows[0] = Self.row("d", "tomorrow")
        #expect(tomorrow.changes(since: old) == nil)
        // The heading of a day without rows disappears.
        var yesterday = old
        yesterday.rows[2] = Self.row("a", "yesterday")
        #expect(list("dcb").changes(since: yesterday) == nil)
    }
}
