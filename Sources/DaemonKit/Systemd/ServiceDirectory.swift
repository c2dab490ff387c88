import Glibc
import SystemKit

/// The directories that a service manager provides or that a daemon creates.
package enum ServiceDirectory {
    /// Returns the first directory in an environment variable such as `STATE_DIRECTORY`, in which systemd separates
    /// directories with colons.
    package static func first(in variable: String) -> String? {
        guard let value = getenv(variable) else { return nil }
        return String(cString: value).split(separator: ":").first.map(String.init)
    }

    /// Creates a directory for a socket, readable by all users, unless the directory exists.
    ///
    /// - Throws: ``ServiceDirectoryError``.
    package static func makeRuntimeDirectory(_ path: String) throws(ServiceDirectoryError) {
        try make(path, mode: 0o755)
    }

    /// Creates a directory that only its owner can read, unless the directory exists.
    ///
    /// - Throws: ``ServiceDirectoryError``.
    package static func makeStateDirectory(_ path: String) throws(ServiceDirectoryError) { try make(path, mode: 0o700) }

    private static func make(_ path: String, mode: mode_t) throws(ServiceDirectoryError) {
        var status = stat()
        if stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR { return }
        if let folder = folder(of: path), folder != path { try make(folder, mode: 0o755) }
        guard mkdir(path, mode) == 0 || errno == EEXIST else {
            throw ServiceDirectoryError(path: path, cause: SystemError(code: errno))
        }
    }

    /// Returns the parent directory, or `nil` if it is the current directory.
    private static func folder(of path: String) -> String? {
        path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) }
    }
}
