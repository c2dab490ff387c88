/// An error that rejects a value of a configuration file.
///
/// Throw it from the `init(from:)` of a section or of a driver's configuration. The daemon shows it to the operator as
/// `FILE:LINE:COLUMN: KEY: PROBLEM; REMEDY`, so neither half names the place of the value, and neither repeats a password.
public struct ConfigurationProblem: Error, Sendable {
    /// The problem: `no port`.
    public let problem: String
    /// What to write instead: `write 1 to 65535`.
    public let remedy: String
    /// The keys and places in lists that lead to the value.
    public let codingPath: [any CodingKey]

    /// Creates an error that rejects the value at a path, such as a decoder's `codingPath`.
    public init(_ problem: String, remedy: String, at path: [any CodingKey]) {
        self.problem = problem
        self.remedy = remedy
        codingPath = path
    }

    /// Creates an error that rejects the value of a key, which may be missing.
    public init<Key>(_ problem: String, remedy: String, forKey key: Key, in container: KeyedDecodingContainer<Key>) {
        self.init(problem, remedy: remedy, at: container.codingPath + [key])
    }
}

extension ConfigurationProblem: CustomStringConvertible {
    /// Both halves in one line.
    public var description: String { "\(problem); \(remedy)" }
}
