import FoundationEssentials
import Glibc

/// The directories that a service manager gives a daemon, or that it makes itself.
package enum ServiceDirectory {
    /// The directory that a variable such as `STATE_DIRECTORY` names; systemd separates several by colons.
    package static func first(in variable: String) -> String? {
        guard let value = getenv(variable) else { return nil }
        return String(cString: value).split(separator: ":").first.map(String.init)
    }

    /// Creates the directory of a socket unless it exists, readable for all users.
    ///
    /// - Throws: ``DatabaseFileError``.
    package static func makeRuntimeDirectory(_ path: String) throws(DatabaseFileError) { try make(path, mode: 0o755) }

    /// Creates the directory of files that only their owner may read, unless it exists.
    ///
    /// - Throws: ``DatabaseFileError``.
    package static func makeStateDirectory(_ path: String) throws(DatabaseFileError) { try make(path, mode: 0o700) }

    private static func make(_ path: String, mode: Int) throws(DatabaseFileError) {
        do {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: mode])
        } catch {
            throw .cannotCreate(path: path, reason: "\(error)")
        }
    }
}
