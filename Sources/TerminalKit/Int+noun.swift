extension Int {
    /// Returns the number with a noun: `1 light`, `2 batteries`.
    package func of(_ noun: String) -> String {
        let plural = noun.hasSuffix("y") ? noun.dropLast() + "ies" : noun + "s"
        return "\(self) \(self == 1 ? noun : String(plural))"
    }
}
