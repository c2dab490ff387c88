extension String {
    /// The text without a period at its end, as a part of a longer sentence.
    package var clause: String {
        var text = self
        while text.last?.isWhitespace == true || text.hasSuffix(".") && !text.hasSuffix("...") { text.removeLast() }
        return text
    }

    /// The text as a sentence, with a capital letter and one period at its end.
    package var sentence: String {
        let text = clause
        let isEnded = text.isEmpty || text.last.map { ".!?…".contains($0) } == true
        return text.prefix(1).uppercased() + text.dropFirst() + (isEnded ? "" : ".")
    }
}

extension Sequence<String> {
    /// The parts as one sentence, separated by semicolons.
    package var sentence: String { map(\.clause).joined(separator: "; ").sentence }
}
