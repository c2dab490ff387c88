import BoundedJSON
import Glibc
import SystemKit
import TerminalKit

/// The credentials for a bridge: its certificate, and our application key.
package struct HueCredentials: Equatable, Sendable {
    /// The SHA-256 of the bridge's certificate.
    package var certificate: [UInt8]
    /// The application key.
    ///
    /// It gives full control of the bridge, so it must never be logged.
    package var key: String

    package init(certificate: [UInt8], key: String) {
        self.certificate = certificate
        self.key = key
    }

    /// Returns whether a string is a valid application key, and therefore safe in an HTTP header field.
    package static func isKey(_ text: String) -> Bool {
        (1...128).contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }
}

/// The stored credentials for the Hue bridges of a driver.
///
/// Each Hue bridge has a file, readable only by its owner, in Lamplighter's state directory.
///
/// A file is read at each connection. After it is removed, its Hue bridge must be paired again.
package struct HueCredentialStore: Equatable, Sendable {
    /// The directory of the files.
    ///
    /// It is `nil` if Lamplighter has no state directory; then the credentials are lost when the driver ends.
    let directory: String?

    package init(directory: String?) { self.directory = directory }

    func path(of bridge: String) -> String? { directory.map { "\($0)/\(bridge).json" } }

    /// Loads the credentials of a bridge.
    ///
    /// - Returns: The credentials, or `nil` if there is no file.
    /// - Throws: ``TerminalError`` if the file can't be read or is damaged.
    func load(_ bridge: String) throws -> HueCredentials? {
        guard let path = path(of: bridge) else { return nil }
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        if file < 0, errno == ENOENT { return nil }
        guard file >= 0 else { throw Self.failure("can't be read: \(FileAccess.reason(path, .last))", path) }
        defer { close(file) }
        let bytes: [UInt8]
        do throws(SystemError) {
            bytes = try OpenFile(file).read(limit: 4096)
        } catch {
            throw Self.failure("can't be read: \(error.reason)", path)
        }
        guard let json = try? JSONValue(parsing: bytes), let certificate = json["certificate"]?.string,
            let pin = Base64.decode(certificate), pin.count == 32, let key = json["application-key"]?.string,
            HueCredentials.isKey(key)
        else { throw Self.failure("is damaged; remove it and press the bridge's link button", path) }
        return HueCredentials(certificate: pin, key: key)
    }

    /// Stores the credentials of a bridge.
    ///
    /// - Throws: ``TerminalError`` if the file can't be written. An existing file then remains unchanged.
    func store(_ credentials: HueCredentials, of bridge: String) throws {
        guard let directory, let path = path(of: bridge) else { return }
        let parent = directory.lastIndex(of: "/").map { String(directory[..<$0]) } ?? directory
        for folder in [parent, directory] where mkdir(folder, 0o700) != 0 && errno != EEXIST {
            throw Self.failure("can't be created: \(SystemError.last.reason)", folder)
        }
        let json: JSONValue = [
            "certificate": .string(Base64.encode(credentials.certificate)), "application-key": .string(credentials.key),
        ]
        try OutputFile.write(json.encoded, to: path)
    }

    private static func failure(_ text: String, _ path: String) -> TerminalError {
        TerminalError(code: 74, message: "\(path) \(text)")
    }
}
