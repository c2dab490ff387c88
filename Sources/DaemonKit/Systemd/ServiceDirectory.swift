import FoundationEssentials
import Glibc

/// The directories that a service manager gives a daemon, or that it makes itself.
package enum ServiceDirectory {
    /// The directory that a variable such as `STATE_DIRECTORY` names; systemd separates several by colons.
    package static func first(in variable: String) -> String? {
        guard let value = getenv(variable) else { return nil }
        return String(cString: value).split(separator: ":").first.map(String.init)
    }

    /// Makes the directory that a socket is to stand in, unless it is there.
    ///
    /// - Throws: ``DatabaseFileError``.
    package static func makeRuntimeDirectory(_ path: String) throws(DatabaseFileError) {
        do {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
        } catch {
            throw .cannotCreate(path: path, reason: "\(error)")
        }
    }
}
