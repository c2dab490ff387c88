import ConfigurationKit
import Glibc
import SystemKit

/// Decodes YAML that users write, with precise errors.
///
/// It supports any `Decodable` type, and rejects everything that the type doesn't request: unknown keys, wrong types,
/// duplicate keys and a second document. Each error contains its position, and usually a remedy. If a type's
/// `CodingKeys` are `CaseIterable`, misspelled keys are reported even if another key is missing. A type can reject a
/// value by throwing a `ConfigurationProblem`.
///
/// The requested type determines what a word means: `012`, `on` and `415-27-893` are valid strings. A number must not
/// have leading zeros, and only `true` and `false` are valid Booleans.
package enum StrictYAML {
    /// The maximum size of a file, in bytes.
    package static let maximumLength = 1 << 20
    /// The text that errors use for the example configuration if the program doesn't name a file.
    package static let usualExample = "the example configuration of the program"

    /// Reads and decodes a file.
    ///
    /// A file without keys is an error, which refers to `example`, unless `mayBeEmpty` is `true`.
    ///
    /// - Throws: ``ConfigurationError`` or ``ConfigurationFileError``.
    package static func decode<Value: Decodable>(
        _ type: Value.Type, fromFile path: String, mayBeEmpty: Bool = false, example: String = StrictYAML.usualExample,
        userInfo: [CodingUserInfoKey: any Sendable] = [:]
    ) throws -> Value {
        try decode(
            type, from: ConfigurationFile.read(path, limit: maximumLength), file: path, mayBeEmpty: mayBeEmpty,
            example: example, userInfo: userInfo)
    }

    /// Returns the bytes of a configuration file.
    ///
    /// If the file is larger than ``maximumLength``, it returns somewhat more bytes, which can't be decoded.
    package static func read(_ path: String) throws(ConfigurationFileError) -> [UInt8] {
        try ConfigurationFile.read(path, limit: maximumLength)
    }

    /// Decodes UTF-8 text.
    ///
    /// Text without keys is an error, which refers to `example`, unless `mayBeEmpty` is `true`.
    ///
    /// Errors contain the given file name.
    ///
    /// - Throws: ``ConfigurationError``.
    package static func decode<Value: Decodable>(
        _ type: Value.Type, from bytes: [UInt8], file: String, mayBeEmpty: Bool = false,
        example: String = StrictYAML.usualExample,
        userInfo: [CodingUserInfoKey: any Sendable] = [:]
    ) throws -> Value {
        let document = try YAMLDocument(bytes: bytes, file: file, mayBeEmpty: mayBeEmpty, example: example)
        let decoder = NodeDecoder(document: document, node: document.root, path: [], userInfo: userInfo)
        return try decoder.decode(type)
    }
}

/// Reads a file up to a limit.
enum ConfigurationFile {
    /// Returns the file's bytes.
    ///
    /// If the file is larger than `limit`, returns somewhat more than `limit` bytes.
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
