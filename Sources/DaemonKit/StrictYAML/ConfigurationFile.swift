import Glibc

/// Reads a file whole, but never more than is allowed.
enum ConfigurationFile {
    /// Returns the file's bytes, at most one more than the limit.
    static func read(_ path: String, limit: Int) throws(ConfigurationFileError) -> [UInt8] {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw failure(path) }
        defer { close(file) }
        var bytes: [UInt8] = []
        while bytes.count <= limit {
            var count = 0
            let chunk = [UInt8](unsafeUninitializedCapacity: min(65536, limit + 1 - bytes.count)) { buffer, filled in
                count = Glibc.read(file, buffer.baseAddress, buffer.count)
                filled = max(0, count)
            }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw failure(path) }
            guard count > 0 else { break }
            bytes += chunk
        }
        return bytes
    }

    private static func failure(_ path: String) -> ConfigurationFileError {
        switch errno {
        case ENOENT, ENOTDIR: .missing(file: path)
        case EACCES, EPERM: .noPermission(file: path)
        default: .unreadable(file: path, reason: String(cString: strerror(errno)))
        }
    }
}
