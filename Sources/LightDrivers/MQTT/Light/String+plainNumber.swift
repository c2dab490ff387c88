internal import Jinja

extension String {
    /// The finite number that this text represents, ignoring surrounding whitespace; `nil` if the text isn't a number.
    var plainNumber: Double? {
        guard let number = Double(trimmingWhitespace), number.isFinite else { return nil }
        return number
    }
}
