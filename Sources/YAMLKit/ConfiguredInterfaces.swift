import ConfigurationKit

/// The network interfaces that a daemon is configured to use.
package enum ConfiguredInterfaces: Decodable, Equatable, Sendable {
    /// All interfaces that are connected to a network.
    case automatic
    case named([String])

    package init(from decoder: any Decoder) throws {
        if let word = try? decoder.singleValueContainer().decode(String.self) {
            guard word == "auto" else {
                throw ConfigurationProblem(
                    "not a valid list of interfaces",
                    remedy: Self.isName(word) ? "use auto or [\(word)]" : "use auto or a list such as [eth0]",
                    at: decoder.codingPath)
            }
            self = .automatic
            return
        }
        var list = try decoder.unkeyedContainer()
        var names: [String] = []
        while !list.isAtEnd {
            let path = decoder.codingPath + [ConfigurationKey(list.currentIndex)]
            let name = try list.decode(String.self)
            guard Self.isName(name) else {
                throw ConfigurationProblem(
                    "not a valid interface name",
                    remedy: "use 1 to 15 characters without spaces, slashes or colons, such as eth0", at: path)
            }
            guard !names.contains(name) else {
                throw ConfigurationProblem("\(name) is listed twice", remedy: "remove one", at: path)
            }
            names.append(name)
        }
        guard !names.isEmpty else {
            throw ConfigurationProblem(
                "the list is empty", remedy: "use auto, or add an interface", at: decoder.codingPath)
        }
        self = .named(names)
    }

    /// Returns whether the kernel accepts a name, according to its `dev_valid_name` function.
    private static func isName(_ name: String) -> Bool {
        (1...15).contains(name.utf8.count) && name != "." && name != ".."
            && !name.unicodeScalars.contains { $0 == "/" || $0 == ":" || $0.properties.isWhitespace || $0.value < 0x21 }
    }
}
