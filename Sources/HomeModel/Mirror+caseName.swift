extension Mirror {
    /// Returns the name of an enum value's case, without its associated values.
    package static func caseName(of value: Any) -> String {
        Mirror(reflecting: value).children.first?.label ?? "\(value)"
    }
}
