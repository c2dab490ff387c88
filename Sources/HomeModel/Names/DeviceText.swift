extension String {
    /// What a home keeps of a text that a device says of itself: one line that every store and screen takes as it is.
    ///
    /// Control characters and line breaks are left out, and so are those that turn the direction of what follows.
    var keptFromDevice: String {
        var kept = ""
        var length = 0
        for scalar in unicodeScalars where !scalar.isLeftOut {
            length += UTF8.width(scalar)
            guard length <= Self.longestFromDevice else { break }
            kept.unicodeScalars.append(scalar)
        }
        return kept
    }
}

extension Unicode.Scalar {
    fileprivate var isLeftOut: Bool {
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator, .surrogate: true
        default: properties.isBidiControl
        }
    }
}
