import Glibc

/// The files with the rules of time zones (RFC 8536).
package enum ZoneFile {
    /// The maximum size of a file, in bytes.
    private static let maximumSize = 65_536

    /// Returns the file of a time zone such as `Europe/Berlin`, which must be safe as a relative path; `nil` if it can't
    /// be read.
    ///
    /// Without a name, it's the system's time zone: the one in the environment variable `TZ`, as in a container, or
    /// `/etc/localtime`.
    package static func bytes(of name: String?) -> [UInt8]? {
        if let name { return read("/usr/share/zoneinfo/" + name) }
        let variable = getenv("TZ").map { String(cString: $0) } ?? ""
        let inherited = variable.hasPrefix(":") ? String(variable.dropFirst()) : variable
        if !inherited.isEmpty, !inherited.contains(".."), !inherited.hasPrefix("/"),
            let bytes = read("/usr/share/zoneinfo/" + inherited)
        {
            return bytes
        }
        return read("/etc/localtime")
    }

    private static func read(_ path: String) -> [UInt8]? {
        // A device or a pipe with this name must not block the reader.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return try? OpenFile(descriptor).read(limit: maximumSize)
    }
}
