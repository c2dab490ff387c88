import Glibc
package import Testing

/// An error for a missing requirement in CI, where a skipped test would go unnoticed.
struct MissingRequirement: Error, CustomStringConvertible {
    let description: String
}

extension Trait where Self == ConditionTrait {
    /// Skips the tests with the reason if one of these programs isn't installed.
    ///
    /// In CI (`CI=true`) they fail.
    package static func requires(_ programs: String...) -> Self {
        requires(programs.first { !isInstalled($0) }.map { "\($0) is not installed" })
    }

    /// Skips the tests with the reason if a requirement is missing.
    ///
    /// In CI (`CI=true`) they fail.
    package static func requires(without missing: String?) -> Self { requires(missing) }

    private static func requires(_ missing: String?) -> Self {
        let isCI = getenv("CI").map { String(cString: $0) } == "true"
        return .enabled(Comment(rawValue: missing ?? "")) {
            guard let missing else { return true }
            guard !isCI else { throw MissingRequirement(description: missing) }
            return false
        }
    }

    private static func isInstalled(_ program: String) -> Bool {
        ["/usr/bin", "/usr/sbin", "/bin", "/sbin", "/usr/local/bin", "/usr/local/sbin"]
            .contains { access("\($0)/\(program)", X_OK) == 0 }
    }
}
