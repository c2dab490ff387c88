extension String {
    /// The text as a part of a longer sentence: without a full stop at its end.
    package var clause: String {
        var text = self
        while text.last?.isWhitespace == true || text.hasSuffix(".") && !text.hasSuffix("...") { text.removeLast() }
        return text
    }

    /// The text as a sentence: with a capital letter, and one full stop at its end.
    package var sentence: String {
        let text = clause
        let isEnded = text.isEmpty || text.last.map { ".!?…".contains($0) } == true
        return text.prefix(1).uppercased() + text.dropFirst() + (isEnded ? "" : ".")
    }
}

extension Sequence<String> {
    /// The parts as one sentence, with semicolons between them.
    package var sentence: String { map(\.clause).joined(separator: "; ").sentence }
}
