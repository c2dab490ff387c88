/// The error of a failed request.
public struct HomeError: Error, Sendable, Hashable {
    /// The error code.
    public var code: Code
    /// A human-readable description that is more specific than the code's.
    ///
    /// It contains no secrets.
    public var detail: String?
    /// A remedy that is more specific than the code's.
    ///
    /// If it's `nil` and there is no ``detail``, ``message`` uses the code's remedy.
    public var remedy: String?
    /// The accessory that the error refers to.
    public var accessory: Accessory.ID?
    /// Names to use instead of the rejected name.
    public var suggestions: [String]
    /// Up to four failures of a scene.
    ///
    /// Pages in other languages make the text of ``detail`` from them: it names three, and says whether there are more.
    package var failures: [Failure] = []

    /// Creates an error.
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

    /// The problem, followed by a semicolon and the remedy.
    public var message: String {
        guard !suggestions.isEmpty else { return effectiveRemedy.map { "\(problem); \($0)" } ?? problem }
        let names = suggestions.map { "\"\($0)\"" }.joined(separator: ", ")
        let advice = effectiveRemedy.map { "\($0), such as \(names)" } ?? "try \(names)"
        return "\(problem); \(advice)"
    }

    /// The problem.
    package var problem: String { detail ?? code.problem }

    /// The remedy without the suggested names; `nil` if no remedy is known, or if there is only a ``detail``, which may
    /// contain the remedy.
    package var effectiveRemedy: String? { remedy ?? (detail == nil ? code.remedy : nil) }
}

extension HomeError {
    /// The failure of an accessory.
    package struct Failure: Codable, Sendable, Hashable {
        /// The accessory's name; `nil` if the accessory was removed.
        package var name: String?
        package var error: HomeError

        package init(name: String?, error: HomeError) {
            self.name = name
            self.error = error
        }
    }
}

extension HomeError: CustomStringConvertible {
    /// The message with the code's number and name.
    public var description: String { "\(message) (\(code.rawValue) \(code.name))" }
}
