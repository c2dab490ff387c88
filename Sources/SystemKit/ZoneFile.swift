import Glibc

/// The files with the rules of time zones (RFC 8536).
package enum ZoneFile {
    /// The maximum size of a file, in bytes.
    private static let maximumSize = 65_536

    /// Returns the contents of a time zone's file; `nil` if the file can't be read.
    ///
    /// The name, such as `Europe/Berlin`, must be safe as a relative path. Without a name, the system's time zone is
    /// used: the zone in the `TZ` environment variable, as in a container, or `/etc/localtime`.
    package static func bytes(of name: String?) -> [UInt8]? {
        if let name { return read(directory + name) }
        return inherited?.bytes ?? read("/etc/localtime")
    }

    /// Returns the name of the system's time zone, such as `Europe/Berlin`; `nil` if it's unknown.
    ///
    /// It's the name in `TZ`, the target of the `/etc/localtime` link, or the name in `/etc/timezone`. The latter two
    /// count only if the zone's file has the same contents as `/etc/localtime`.
    package static func systemName() -> String? {
        if let inherited { return inherited.name }
        guard let bytes = read("/etc/localtime") else { return nil }
        let link = linkTarget("/etc/localtime").flatMap { target in
            target.firstRange(of: "/zoneinfo/").map { String(target[$0.upperBound...]) }
        }
        let text = read("/etc/timezone").map { String(decoding: $0, as: UTF8.self).filter { !$0.isWhitespace } }
        return [link, text].lazy.compactMap(\.self).first { !$0.contains("..") && read(directory + $0) == bytes }
    }

    private static let directory = "/usr/share/zoneinfo/"

    /// The time zone in the `TZ` environment variable.
    private static var inherited: (name: String, bytes: [UInt8])? {
        let variable = getenv("TZ").map { String(cString: $0) } ?? ""
        let name = variable.hasPrefix(":") ? String(variable.dropFirst()) : variable
        guard !name.isEmpty, !name.contains(".."), !name.hasPrefix("/"), let bytes = read(directory + name) else {
            return nil
        }
        return (name, bytes)
    }

    private static func linkTarget(_ path: String) -> String? {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX)) { buffer in
            guard let base = buffer.baseAddress else { return nil }
            let count = readlink(path, base, buffer.count)
            guard count > 0 else { return nil }
            return String(decoding: buffer[..<count].lazy.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        }
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
