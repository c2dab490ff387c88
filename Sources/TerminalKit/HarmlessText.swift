extension String {
    /// The text as it may be shown in a terminal: what is not printable becomes a question mark.
    package var harmless: String {
        String(String.UnicodeScalarView(unicodeScalars.map { $0.isHarmless ? $0 : "?" }))
    }
}

extension Unicode.Scalar {
    fileprivate var isHarmless: Bool {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: false
        default: true
        }
    }
}
