/// The difference between two texts in the unified format.
enum UnifiedDiff {
    private static let context = 3

    /// Compares two texts.
    ///
    /// - Parameters:
    ///   - old: The text before the change.
    ///   - new: The text after the change.
    ///   - shown: The lines to show instead, for example without secrets: both texts with the same lines.
    /// - Returns: The changed lines with their context; empty if the texts are equal.
    static func text(from old: String, to new: String, shown: (old: String, new: String)) -> String {
        let (old, new) = (lines(of: old), lines(of: new))
        let shown = (old: lines(of: shown.old), new: lines(of: shown.new))
        // An edit changes a few places, so most lines are equal at the start and at the end.
        let start = zip(old, new).prefix { $0 == $1 }.count
        let rest = min(old.count, new.count) - start
        let end = zip(old.reversed(), new.reversed()).prefix(rest).prefix { $0 == $1 }.count
        let difference = Array(new[start..<(new.count - end)]).difference(from: Array(old[start..<(old.count - end)]))
        var removed: Set<Int> = []
        var inserted: Set<Int> = []
        for change in difference {
            switch change {
            case .remove(let offset, _, _): removed.insert(start + offset)
            case .insert(let offset, _, _): inserted.insert(start + offset)
            }
        }
        guard !removed.isEmpty || !inserted.isEmpty else { return "" }

        var all: [Line] = []
        var (from, to) = (0, 0)
        while from < old.count || to < new.count {
            if from < old.count, removed.contains(from) {
                all.append(Line(sign: "-", text: shown.old[from], old: from, new: to))
                from += 1
            } else if to < new.count, inserted.contains(to) {
                all.append(Line(sign: "+", text: shown.new[to], old: from, new: to))
                to += 1
            } else {
                // A line can be secret in only one of the texts.
                let text = shown.old[from] == old[from] ? shown.new[to] : shown.old[from]
                all.append(Line(sign: " ", text: text, old: from, new: to))
                from += 1
                to += 1
            }
        }
        return hunks(all).map { text(of: all[$0]) }.joined()
    }

    private struct Line {
        let sign: Character
        let text: Substring
        /// The numbers of preceding lines in both texts.
        let old, new: Int
    }

    private static func lines(of text: String) -> [Substring] {
        var lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        if lines.last?.isEmpty == true { lines.removeLast() }
        return lines
    }

    /// Returns the ranges of lines that are changed or near a changed one.
    private static func hunks(_ lines: [Line]) -> [Range<Int>] {
        var hunks: [Range<Int>] = []
        for index in lines.indices where lines[index].sign != " " {
            let range = max(0, index - context)..<min(lines.count, index + context + 1)
            if let last = hunks.last, last.upperBound >= range.lowerBound {
                hunks[hunks.count - 1] = last.lowerBound..<range.upperBound
            } else {
                hunks.append(range)
            }
        }
        return hunks
    }

    private static func text(of lines: ArraySlice<Line>) -> String {
        guard let first = lines.first else { return "" }
        let old = lines.count { $0.sign != "+" }
        let new = lines.count { $0.sign != "-" }
        // The format counts lines from 1, except before an empty text.
        let head = "@@ -\(first.old + (old > 0 ? 1 : 0)),\(old) +\(first.new + (new > 0 ? 1 : 0)),\(new) @@\n"
        return head + lines.map { "\($0.sign)\($0.text)\n" }.joined()
    }
}
