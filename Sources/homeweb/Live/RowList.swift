/// A list of rows in the content of a page, to which rows are added at the beginning.
struct RowList {
    struct Row: Equatable {
        let id: String
        let html: String
        /// The ID of the element that contains the row.
        let list: String
    }

    /// An element to add, move to the beginning of its list, redraw, or remove.
    struct Change: Equatable {
        let id: String
        /// The new HTML; empty to remove the element.
        let html: String
        /// The ID of the list whose first row the element becomes; `nil` if it stays in place.
        var first: String?
    }

    /// The largest number of rows to add or move; after more changes, the whole page is redrawn.
    private static let maximumMoves = 8

    /// The content of the page before the first row.
    var frame: String
    /// All rows, newest first.
    var rows: [Row]

    /// Returns the changes since an older list, in the order in which to make them; `nil` if the whole page must be
    /// redrawn.
    func changes(since old: RowList) -> [Change]? {
        guard frame == old.frame, !rows.isEmpty, !old.rows.isEmpty else { return nil }
        for count in 0...min(Self.maximumMoves, rows.count) {
            let moved = rows.prefix(count)
            guard moved.allSatisfy({ $0.list == old.rows[0].list }) else { return nil }
            let ids = Set(moved.map(\.id))
            let remaining = old.rows.filter { !ids.contains($0.id) }
            let kept = rows.dropFirst(count)
            let dropped = remaining.dropFirst(kept.count)
            // Only the oldest rows may be missing, because they are on the next page now.
            guard kept.count <= remaining.count, dropped.count <= count,
                dropped.elementsEqual(old.rows.suffix(dropped.count)),
                dropped.allSatisfy({ $0.list == rows[rows.count - 1].list }),
                zip(kept, remaining).allSatisfy({ $0.id == $1.id && $0.list == $1.list })
            else { continue }
            return moved.reversed().map { Change(id: $0.id, html: $0.html, first: $0.list) }
                + zip(kept, remaining).filter { $0.html != $1.html }.map { Change(id: $0.0.id, html: $0.0.html) }
                + dropped.map { Change(id: $0.id, html: "") }
        }
        return nil
    }
}
