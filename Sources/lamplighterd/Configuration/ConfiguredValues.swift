import ConfigurationKit
import HAPModel

/// A name in the configuration, and its form that HomeKit accepts.
struct ConfiguredName: Decodable, Equatable, Sendable {
    let written: String
    /// The name that controllers see.
    let valid: String

    init(_ written: String) {
        self.written = written
        valid = AccessoryName.sanitized(written, fallback: "")
    }

    init(from decoder: any Decoder) throws {
        self.init(try decoder.singleValueContainer().decode(String.self))
        guard !written.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else {
            throw ConfigurationProblem(
                "a name can't contain control characters", remedy: "use letters, digits and spaces",
                at: decoder.codingPath)
        }
        guard !valid.isEmpty else {
            throw ConfigurationProblem(
                "HomeKit can't show any character of this name", remedy: "use letters, digits and spaces",
                at: decoder.codingPath)
        }
    }
}

/// A setup code in the configuration.
///
/// Its description and its mirror hide the code, so that it can't be logged by accident.
struct ConfiguredSetupCode: Decodable, Equatable, Sendable, CustomStringConvertible, CustomReflectable {
    /// The code as `XXX-XX-XXX`.
    let text: String

    var description: String { "***-**-***" }
    var customMirror: Mirror { Mirror(self, children: []) }

    init(from decoder: any Decoder) throws {
        text = try decoder.singleValueContainer().decode(String.self)
        let shape = text.map { $0.isASCII && $0.isWholeNumber ? "0" : $0 }
        guard String(shape) == "000-00-000" else {
            throw ConfigurationProblem(
                "not a valid setup code", remedy: "use eight digits as XXX-XX-XXX, or remove the key",
                at: decoder.codingPath)
        }
        let digits = text.filter { $0 != "-" }
        // HAP forbids these codes, and controllers reject them.
        guard Set(digits).count > 1, digits != "12345678", digits != "87654321" else {
            throw ConfigurationProblem(
                "HomeKit doesn't allow this setup code because it is too easy to guess",
                remedy: "choose a different code, or remove the key to create one", at: decoder.codingPath)
        }
    }
}
