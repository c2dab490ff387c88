package import BoundedJSON
internal import FoundationEssentials
internal import HAPModel

/// A JSON value in `Tests/Fixtures/vectors.json`, which contains expected bytes by name.
///
/// Errors contain the path of the missing or invalid value.
package struct Vectors: Sendable {
    /// An error for a missing name or a value of the wrong type.
    package struct Missing: Error, CustomStringConvertible {
        package let description: String
    }

    private let json: JSONValue
    /// The path of the value in the file, for error messages.
    package let path: String

    private init(_ json: JSONValue, _ path: String) {
        self.json = json
        self.path = path
    }

    /// Reads `Tests/Fixtures/vectors.json`.
    package static func load() throws -> Vectors {
        Vectors(try repositoryFile("Tests/Fixtures/vectors.json"), "vectors")
    }

    /// Reads a JSON file at a path relative to the root of the repository.
    package static func repositoryFile(_ path: String) throws -> JSONValue {
        var root = URL(filePath: #filePath)
        for _ in 0..<3 { root.deleteLastPathComponent() }
        let bytes = try Data(contentsOf: root.appending(path: path))
        return try JSONValue(parsing: bytes, maximumLength: 1 << 24)
    }

    private func missing(_ what: String) -> Missing { Missing(description: "\(path) isn't a \(what)") }

    /// A member of an object.
    package subscript(name: String) -> Vectors {
        get throws {
            guard let member = json[name] else { throw Missing(description: "\(path) has no \(name)") }
            return Vectors(member, "\(path).\(name)")
        }
    }

    /// The member names of an object, in the file's order.
    package var names: [String] {
        get throws {
            guard let object = json.object else { throw missing("object") }
            return object.members.map(\.name)
        }
    }

    /// The elements of an array.
    package var list: [Vectors] {
        get throws {
            guard let array = json.array else { throw missing("array") }
            return array.enumerated().map { Vectors($0.element, "\(path)[\($0.offset)]") }
        }
    }

    package var text: String {
        get throws {
            guard let text = json.string else { throw missing("string") }
            return text
        }
    }

    /// The text of a string, or `nil` for `null`.
    package var optionalText: String? { get throws { json.isNull ? nil : try text } }

    /// The bytes of a hex string.
    package var bytes: [UInt8] {
        get throws {
            guard let bytes = [UInt8](hex: try text) else { throw missing("hex string") }
            return bytes
        }
    }

    package var int: Int {
        get throws {
            guard let int = json.int else { throw missing("integer") }
            return int
        }
    }

    /// An integer, or `nil` for `null`.
    package var optionalInt: Int? { get throws { json.isNull ? nil : try int } }

    /// The Boolean value.
    package var bool: Bool {
        get throws {
            guard let bool = json.bool else { throw missing("Boolean") }
            return bool
        }
    }
}

extension [UInt8] {
    /// Creates bytes from hex digits, or returns `nil` for any other text.
    package init?(hex text: String) {
        guard let bytes = Hex.decode(text) else { return nil }
        self = bytes
    }
}
