import ConfigurationKit
import Glibc
import SystemKit
import Yams

/// Decodes YAML that a person wrote, and says precisely what is wrong with it.
///
/// Any `Decodable` type will do. Beyond what it asks for nothing is taken: unknown keys, wrong types, keys written
/// twice, a second document are errors, each with its place and a remedy. A type whose `CodingKeys` are `CaseIterable`
/// has misspelt keys named even when another is missing. A type refuses a value by throwing a `ConfigurationProblem`.
///
/// The type asked for decides what a word means: `012`, `on` and `415-27-893` are texts where a text is expected; a
/// number has no leading zero, and only `true` and `false` are truth values.
package enum StrictYAML {
    /// The longest file taken, in bytes.
    package static let maximumLength = 1 << 20

    /// Reads and decodes a file; a file without any key is an error unless it may be empty.
    ///
    /// - Throws: ``ConfigurationError``, ``ConfigurationFileError``.
    package static func decode<Value: Decodable>(
        _ type: Value.Type, fromFile path: String, mayBeEmpty: Bool = false,
        userInfo: [CodingUserInfoKey: any Sendable] = [:]
    ) throws -> Value {
        try decode(
            type, from: ConfigurationFile.read(path, limit: maximumLength), file: path, mayBeEmpty: mayBeEmpty,
            userInfo: userInfo)
    }

    /// Decodes a text in UTF-8; one without any key is an error unless it may be empty.
    ///
    /// Errors show the file's name.
    ///
    /// - Throws: ``ConfigurationError``.
    package static func decode<Value: Decodable>(
        _ type: Value.Type, from bytes: [UInt8], file: String, mayBeEmpty: Bool = false,
        userInfo: [CodingUserInfoKey: any Sendable] = [:]
    ) throws -> Value {
        let document = try YAMLDocument(bytes: bytes, file: file, mayBeEmpty: mayBeEmpty)
        let decoder = NodeDecoder(document: document, node: document.root, path: [], userInfo: userInfo)
        return try decoder.decode(type)
    }
}

/// Reads a file whole, but not much more than is allowed.
enum ConfigurationFile {
    /// Returns the file's bytes; more than the limit if there are more.
    static func read(_ path: String, limit: Int) throws(ConfigurationFileError) -> [UInt8] {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw failure(path) }
        defer { close(file) }
        do { return try OpenFile(file).read(limit: limit) } catch { throw failure(path, error) }
    }

    private static func failure(_ path: String, _ error: SystemError = .last) -> ConfigurationFileError {
        switch error.code {
        case ENOENT, ENOTDIR: .missing(file: path)
        case EACCES, EPERM: .noPermission(file: path)
        default: .unreadable(file: path, reason: error.reason)
        }
    }
}
