internal import Jinja

extension String {
    /// The finite number in a plain text, without blanks and line breaks around it; `nil` if it is something else.
    var plainNumber: Double? {
        guard let number = Double(trimmingWhitespace), number.isFinite else { return nil }
        return number
    }
}
