internal import Jinja

extension String {
    /// The finite number in a plain text, ignoring surrounding whitespace; `nil` for other texts.
    var plainNumber: Double? {
        guard let number = Double(trimmingWhitespace), number.isFinite else { return nil }
        return number
    }
}
