import Glibc

/// The system's users and groups.
enum SystemUsers {
    /// Returns the ID of a user; `nil` if the name is unknown.
    static func uid(of name: String) -> UInt32? {
        var entry = passwd()
        return withBuffer { buffer, count in
            var found: UnsafeMutablePointer<passwd>?
            guard getpwnam_r(name, &entry, buffer, count, &found) == 0 else { return nil }
            return found?.pointee.pw_uid
        }
    }

    /// Returns a Boolean value that indicates whether a user is a member of a group, primary or supplementary.
    ///
    /// It reads the system's user and group databases, not the groups of a process. Therefore, changes of the group
    /// apply to running processes, too.
    static func isMember(_ uid: UInt32, of group: String) -> Bool {
        guard let gid = gid(of: group) else { return false }
        var entry = passwd()
        return withBuffer { buffer, count in
            var found: UnsafeMutablePointer<passwd>?
            guard getpwuid_r(uid, &entry, buffer, count, &found) == 0,
                let user = found?.pointee, let name = user.pw_name
            else { return false }
            var groups = [gid_t](repeating: 0, count: 64)
            var number = CInt(groups.count)
            if getgrouplist(name, user.pw_gid, &groups, &number) < 0 {
                // The call has returned the required size.
                groups = [gid_t](repeating: 0, count: max(0, min(Int(number), 65536)))
                number = CInt(groups.count)
                guard getgrouplist(name, user.pw_gid, &groups, &number) >= 0 else { return false }
            }
            return groups.prefix(max(0, Int(number))).contains(gid)
        }
    }

    private static func gid(of name: String) -> gid_t? {
        var entry = group()
        return withBuffer { buffer, count in
            var found: UnsafeMutablePointer<group>?
            guard getgrnam_r(name, &entry, buffer, count, &found) == 0 else { return nil }
            return found?.pointee.gr_gid
        }
    }

    /// Allocates space for a user or group entry, which may have many members.
    private static func withBuffer<Result>(_ body: (UnsafeMutablePointer<CChar>, Int) -> Result) -> Result {
        let buffer = UnsafeMutableBufferPointer<CChar>.allocate(capacity: 1 << 18)
        defer { buffer.deallocate() }
        guard let start = buffer.baseAddress else { preconditionFailure("a nonempty buffer must have a base address") }
        return body(start, buffer.count)
    }
}
