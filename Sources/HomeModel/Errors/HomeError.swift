/// A request that was refused or went wrong.
public struct HomeError: Error, Sendable, Hashable {
    /// What went wrong.
    public var code: Code
    /// What went wrong in this case, if that is more than the code says; for people, without secrets.
    public var detail: String?
    /// What to do in this case; without it what the code says, unless there is a ``detail``.
    public var remedy: String?
    /// The accessory it is about.
    public var accessory: Accessory.ID?
    /// Names that could be had in place of the one refused.
    public var suggestions: [String]

    /// Makes an error.
    public init(
        _ code: Code, detail: String? = nil, remedy: String? = nil, accessory: Accessory.ID? = nil,
        suggestions: [String] = []
    ) {
        self.code = code
        self.detail = detail
        self.remedy = remedy
        self.accessory = accessory
        self.suggestions = suggestions
    }

    /// What is wrong, and after a semicolon what to do.
    public var message: String {
        let names = suggestions.map { "\"\($0)\"" }.joined(separator: ", ")
        let advice = [effectiveRemedy, names.isEmpty ? nil : "for instance \(names)"].compactMap { $0 }
        return ([problem] + (advice.isEmpty ? [] : [advice.joined(separator: ", ")])).joined(separator: "; ")
    }

    /// What is wrong.
    package var problem: String { detail ?? code.problem }

    /// What to do, apart from the suggestions; `nil` if nothing is known but what ``problem`` may say.
    package var effectiveRemedy: String? { remedy ?? (detail == nil ? code.remedy : nil) }
}

extension HomeError: CustomStringConvertible {
    /// The message with the code's number and name.
    public var description: String { "\(message) (\(code.rawValue) \(code.name))" }
}
