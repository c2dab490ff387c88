/// A duration in the configuration: `150ms`, `2s`, `1.5s`, `5m`, `24h`.
public struct DurationText: Equatable, Sendable {
    /// The duration.
    ///
    /// The duration is never negative, and at most a year.
    public let duration: Duration

    private static let longestMilliseconds = 365.0 * 24 * 3600 * 1000

    /// Parses a duration.
    ///
    /// Returns `nil` if the text is invalid or the duration is longer than a year.
    ///
    /// - Parameter text: A decimal number, followed by `ms`, `s`, `m` or `h` without a space.
    public init?(_ text: String) {
        let bytes = text.utf8
        let number = bytes.prefix { (0x30...0x39).contains($0) || $0 == UInt8(ascii: ".") }
        let milliseconds: Double
        switch String(bytes.dropFirst(number.count)) {
        case "ms": milliseconds = 1
        case "s": milliseconds = 1000
        case "m": milliseconds = 60_000
        case "h": milliseconds = 3_600_000
        default: return nil
        }
        guard let first = number.first, first != UInt8(ascii: "."), number.last != UInt8(ascii: "."),
            let number = Double(String(number) ?? ""), number * milliseconds <= Self.longestMilliseconds
        else { return nil }
        duration = .milliseconds(number * milliseconds)
    }
}

extension DurationText: Decodable {
    /// Decodes a duration from a configuration file.
    ///
    /// - Throws: ``ConfigurationProblem`` if the value isn't a valid duration.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let text = try? container.decode(String.self), let value = DurationText(text) else {
            throw ConfigurationProblem(
                "not a valid duration", remedy: "use a number with its unit, such as 150ms or 2s",
                at: container.codingPath
            )
        }
        self = value
    }
}
