import Glibc
import SystemKit

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
