/// A request that was refused or went wrong.
public struct HomeError: Error, Sendable, Hashable {
    /// What went wrong.
    public var code: Code
    /// What went wrong in this case, if that is more than the code says; for people, without secrets.
    public var detail: String?
    /// The accessory it is about.
    public var accessory: Accessory.ID?
    /// Names that could be had in place of the one refused.
    public var suggestions: [String]

    /// Makes an error.
    ///
    /// - Parameters:
    ///   - code: what went wrong.
    ///   - detail: what went wrong in this case, for people.
    ///   - accessory: the accessory it is about.
    ///   - suggestions: names that could be had.
    public init(_ code: Code, detail: String? = nil, accessory: Accessory.ID? = nil, suggestions: [String] = []) {
        self.code = code
        self.detail = detail
        self.accessory = accessory
        self.suggestions = suggestions
    }

    /// What is wrong, and after a semicolon what to do.
    public var message: String {
        let message = detail ?? code.message
        guard !suggestions.isEmpty else { return message }
        let names = suggestions.map { "\"\($0)\"" }.joined(separator: ", ")
        return message + (message.contains(";") ? ", for instance \(names)" : "; for instance \(names)")
    }
}

extension HomeError: CustomStringConvertible {
    /// The message with the code's number and name.
    public var description: String { "\(message) (\(code.rawValue) \(code.name))" }
}
