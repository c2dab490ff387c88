/// What is wrong with a value in the configuration file, and what to write instead.
///
/// The `init(from:)` of a driver's configuration throws it. The daemon shows it to the operator as
/// `FILE:LINE:COLUMN: KEY: PROBLEM; REMEDY`, so neither half says where the value stands, and neither repeats a password.
public struct ConfigurationProblem: Error, Sendable {
    /// What is wrong: `no port`.
    public let problem: String
    /// What to write instead: `write 1 to 65535`.
    public let remedy: String
    /// The keys and places in lists that lead to the value.
    public let codingPath: [any CodingKey]

    /// Refuses a value.
    ///
    /// - Parameters:
    ///   - problem: what is wrong.
    ///   - remedy: what to write instead.
    ///   - path: where the value stands, such as a decoder's `codingPath`.
    public init(_ problem: String, remedy: String, at path: [any CodingKey]) {
        self.problem = problem
        self.remedy = remedy
        codingPath = path
    }

    /// Refuses the value of a key.
    ///
    /// - Parameters:
    ///   - problem: what is wrong.
    ///   - remedy: what to write instead.
    ///   - key: the key; it may be one that is missing.
    ///   - container: where the key stands.
    public init<Key>(_ problem: String, remedy: String, forKey key: Key, in container: KeyedDecodingContainer<Key>) {
        self.init(problem, remedy: remedy, at: container.codingPath + [key])
    }
}

extension ConfigurationProblem: CustomStringConvertible {
    /// Both halves in one line, for who does not read them apart.
    public var description: String { "\(problem); \(remedy)" }
}
