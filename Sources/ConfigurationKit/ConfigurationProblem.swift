/// An error that rejects a value of a configuration file.
///
/// Throw it from the `init(from:)` of a section or of a driver's configuration. The daemon shows it to the operator as
/// `FILE:LINE:COLUMN: KEY: PROBLEM; REMEDY`, so don't mention the position or the key in the problem or the remedy.
/// Never include a password.
public struct ConfigurationProblem: Error, Sendable {
    /// The problem, such as `not a valid port`.
    public let problem: String
    /// The correction to make, such as `use 1 to 65535`.
    public let remedy: String
    /// The keys and list indices that lead to the value.
    public let codingPath: [any CodingKey]

    /// Creates an error that rejects a value.
    ///
    /// - Parameters:
    ///   - problem: The problem, without the position of the value.
    ///   - remedy: The correction to make.
    ///   - path: The path of the value, such as a decoder's `codingPath`.
    public init(_ problem: String, remedy: String, at path: [any CodingKey]) {
        self.problem = problem
        self.remedy = remedy
        codingPath = path
    }

    /// Creates an error that rejects the value of a key, which may be missing.
    ///
    /// - Parameters:
    ///   - problem: The problem, without the position of the value.
    ///   - remedy: The correction to make.
    ///   - key: The key of the value.
    ///   - container: The container of the key.
    public init<Key>(_ problem: String, remedy: String, forKey key: Key, in container: KeyedDecodingContainer<Key>) {
        self.init(problem, remedy: remedy, at: container.codingPath + [key])
    }
}

extension ConfigurationProblem: CustomStringConvertible {
    /// The problem and the remedy in one line.
    public var description: String { "\(problem); \(remedy)" }
}
