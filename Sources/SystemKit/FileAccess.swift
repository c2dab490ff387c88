import Glibc

/// Explains why this program can't read a file, with a remedy.
package enum FileAccess {
    /// Returns the system's error.
    ///
    /// If access is denied, it is explained in terms of owner, group and mode, followed by a semicolon and the remedy.
    package static func reason(_ path: String, _ error: SystemError) -> String {
        if isInHome(path), error.isPermissionDenied || error.code == ENOENT {
            return "\(error.reason): a service can't see home directories; move the file to a directory below /etc"
        }
        guard error.isPermissionDenied else { return error.reason }
        let reader = "\(SystemUser.name(of: geteuid())):\(group(getegid()))"
        var status = stat()
        guard stat(path, &status) == 0 else {
            return
                "\(error.reason): \(reader) can't search a parent directory; allow this group to search that directory"
        }
        let mode = String(status.st_mode & 0o7777, radix: 8)
        let owner = "\(SystemUser.name(of: status.st_uid)):\(group(status.st_gid))"
        return "\(error.reason): its mode is 0\(mode), it belongs to \(owner), and this program runs as \(reader); run "
            + "chgrp \(group(getegid())) and chmod 0640 on the file"
    }

    private static func isInHome(_ path: String) -> Bool {
        ["/home/", "/root/", "/run/user/"].contains { path.hasPrefix($0) }
    }

    private static func group(_ id: gid_t) -> String {
        var buffer = [CChar](repeating: 0, count: 16384)
        var (entry, found) = (Glibc.group(), UnsafeMutablePointer<Glibc.group>?.none)
        return buffer.withUnsafeMutableBufferPointer { buffer in
            guard let start = buffer.baseAddress, getgrgid_r(id, &entry, start, buffer.count, &found) == 0, found != nil
            else { return "\(id)" }
            return String(cString: entry.gr_name)
        }
    }
}
