import BoundedJSON
import FoundationEssentials

/// A directory of another program, which is removed with this object.
final class TemporaryFolder {
    let path: String

    init() throws {
        let url = FileManager.default.temporaryDirectory.appending(path: "pairing-files-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        path = url.path
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func write(_ json: JSONValue, to name: String) throws { try write(json.text, to: name) }

    func write(_ text: String, to name: String) throws {
        let file = path + "/" + name
        let directory = file[..<(file.lastIndex(of: "/") ?? file.endIndex)]
        try FileManager.default.createDirectory(atPath: String(directory), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: URL(filePath: file))
    }
}

/// Returns a key of which all bytes are the same, as hex digits.
func key(_ digits: String) -> JSONValue { .string(String(repeating: digits, count: 32)) }

/// Returns the bytes of ``key(_:)``.
func bytes(_ byte: UInt8) -> [UInt8] { Array(repeating: byte, count: 32) }
