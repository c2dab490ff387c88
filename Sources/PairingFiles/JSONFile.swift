internal import BoundedJSON
internal import Glibc
internal import HAPModel
internal import SystemKit
internal import TerminalKit

/// A JSON file of another program.
///
/// Errors name the file and the key, but never contain a value, which may be a key or a setup code.
struct JSONFile {
    /// The maximum size of a file, in bytes; the configuration of a large Home Assistant has a few megabytes.
    static let maximumSize = 32 << 20

    let path: String
    let content: JSONValue

    /// Reads a file.
    ///
    /// - Throws: `TerminalError` if the file can't be read (66, 74 or 77), or isn't JSON (65).
    init(_ path: String) throws(TerminalError) {
        self.path = path
        // Without `O_NONBLOCK`, opening a named pipe would wait for its writer.
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { throw Self.unreadable(path, .last) }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0 else { throw Self.unreadable(path, .last) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw .badData(path, "isn't a file") }
        let bytes: [UInt8]
        do { bytes = try OpenFile(file).read(limit: Self.maximumSize) } catch { throw Self.unreadable(path, error) }
        do {
            content = try JSONValue(parsing: bytes, maximumLength: Self.maximumSize)
        } catch {
            switch error {
            case .malformed(let offset): throw .badData(path, "isn't valid JSON at byte \(offset)")
            case .tooDeep: throw .badData(path, "has too many levels")
            case .tooLong: throw .badData(path, "is larger than \(Self.maximumSize >> 20) MB")
            }
        }
    }

    /// Reads a file, or returns `nil` if it doesn't exist.
    static func ifPresent(_ path: String) throws(TerminalError) -> JSONFile? {
        guard access(path, F_OK) == 0 || errno != ENOENT else { return nil }
        return try JSONFile(path)
    }

    private static func unreadable(_ path: String, _ error: SystemError) -> TerminalError {
        let code: Int32 = error.isPermissionDenied ? 77 : error.code == ENOENT ? 66 : 74
        let remedy = error.isPermissionDenied ? "; run the command with sudo" : ""
        return TerminalError(code: code, message: "\(path) can't be read: \(error.reason)\(remedy)")
    }

    // MARK: Keys

    /// The value at a path of keys, such as `data.entries`.
    private func value(_ keys: String) -> JSONValue? {
        var value: JSONValue? = content
        for key in keys.split(separator: ".") { value = value?[String(key)] }
        return value.flatMap { $0.isNull ? nil : $0 }
    }

    func wrong(_ key: String) -> TerminalError { .badData(path, "has no valid value for \"\(key)\"") }

    /// Returns the value at a path of keys, in the form that `read` parses.
    ///
    /// - Throws: `TerminalError` if it is missing or invalid.
    func required<Value>(_ keys: String, _ read: (JSONValue) -> Value?) throws(TerminalError) -> Value {
        guard let value = value(keys).flatMap(read) else { throw wrong(keys) }
        return value
    }

    /// Returns the value at a path of keys, or `nil` if it is missing.
    ///
    /// - Throws: `TerminalError` if it is invalid.
    func optional<Value>(_ keys: String, _ read: (JSONValue) -> Value?) throws(TerminalError) -> Value? {
        guard let value = value(keys) else { return nil }
        guard let result = read(value) else { throw wrong(keys) }
        return result
    }

    /// Checks the version of a file in Home Assistant's storage.
    ///
    /// - Throws: `TerminalError` if it has another version.
    func checkVersion(_ version: Int) throws(TerminalError) {
        let found = try required("version", \.int)
        guard found == version else {
            throw .badData(path, "has version \(found) of its format, but only version \(version) is known")
        }
    }
}

extension JSONValue {
    /// The bytes of a public key or a seed, if this is a string of 64 hex digits.
    var key: [UInt8]? { string.flatMap { Hex.decode($0) }.flatMap { $0.count == 32 ? $0 : nil } }

    /// A number from 1 to 65535, if this is one.
    var number16: Int? { int.flatMap { (1...65535).contains($0) ? $0 : nil } }

    /// The device ID, if this is a string in the form that HAP's messages contain.
    ///
    /// Signatures contain the text, so that another form would be another identity.
    var deviceID: DeviceID? {
        guard let string, let id = DeviceID(string), id.description == string else { return nil }
        return id
    }
}

extension TerminalError {
    static func badData(_ path: String, _ problem: String) -> TerminalError {
        TerminalError(code: 65, message: "\(path) \(problem)")
    }
}

/// A directory of another program.
struct Folder {
    let path: String

    func callAsFunction(_ name: String) -> String { path.hasSuffix("/") ? path + name : "\(path)/\(name)" }

    func contains(_ name: String) -> Bool { access(self(name), F_OK) == 0 }

    /// The maximum number of files that are listed.
    private static let maximumFiles = 10_000

    /// Returns the sorted names of the directory's files.
    ///
    /// - Throws: `TerminalError` if it can't be read.
    func names() throws(TerminalError) -> [String] {
        guard let directory = opendir(path) else {
            let code: Int32 = errno == EACCES ? 77 : 66
            let remedy = errno == EACCES ? "; run the command with sudo" : ""
            throw TerminalError(code: code, message: "\(path) can't be read: \(SystemError.last.reason)\(remedy)")
        }
        defer { closedir(directory) }
        var names: [String] = []
        while names.count < Self.maximumFiles, let entry = readdir(directory) {
            names.append(
                withUnsafePointer(to: &entry.pointee.d_name) {
                    $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
                })
        }
        return names.sorted()
    }
}
