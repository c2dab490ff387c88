import DeviceKit

/// The requirements for a light's id.
enum LightIDRule {
    static let problem = "not a valid light id"
    static let remedy = "use 1 to 255 bytes of text without control characters"
    /// The problem and the remedy in one phrase, to be appended to a subject.
    static let sentence = "\(problem); \(remedy)"

    static func accepts(_ id: String) -> Bool {
        (1...255).contains(id.utf8.count) && !id.unicodeScalars.contains { $0.properties.generalCategory == .control }
    }
}

extension KeyedDecodingContainer {
    /// Checks that the name of a light contains no control characters.
    ///
    /// - Throws: `ConfigurationProblem` if it contains one.
    func checkName(_ name: String?, forKey key: Key) throws {
        guard name?.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) != true else {
            throw ConfigurationProblem(
                "a name can't contain control characters", remedy: "use letters, digits and spaces", forKey: key,
                in: self)
        }
    }

    /// Decodes an optional value that must be one of the names of `Name`.
    ///
    /// The error for any other value lists these names.
    func decodeName<Name: RawRepresentable & CaseIterable>(_: Name.Type, forKey key: Key) throws -> Name?
    where Name.RawValue == String {
        guard contains(key) else { return nil }
        let text = try decode(String.self, forKey: key)
        guard let name = Name(rawValue: text) else {
            let names = Name.allCases.map(\.rawValue)
            throw ConfigurationProblem(
                "not a known name",
                remedy: "use \(names.dropLast().joined(separator: ", ")) or \(names.last ?? "")", forKey: key,
                in: self)
        }
        return name
    }

    /// Decodes an optional absolute path.
    ///
    /// The error for any other value suggests `example`.
    func decodePath(forKey key: Key, example: String) throws -> String? {
        guard let path = try decodeIfPresent(String.self, forKey: key) else { return nil }
        guard path.hasPrefix("/"), !path.utf8.contains(0) else {
            throw ConfigurationProblem("not an absolute path", remedy: "use \(example)", forKey: key, in: self)
        }
        return path
    }
}
