import Glibc

/// The users of this computer.
package enum SystemUser {
    /// Returns the name of a user, or the number if the user has no name.
    package static func name(of id: UInt32) -> String {
        var buffer = [CChar](repeating: 0, count: 16384)
        var (entry, found) = (passwd(), UnsafeMutablePointer<passwd>?.none)
        return buffer.withUnsafeMutableBufferPointer { buffer in
            guard let start = buffer.baseAddress, getpwuid_r(id, &entry, start, buffer.count, &found) == 0,
                let name = found?.pointee.pw_name
            else { return "\(id)" }
            return String(cString: name)
        }
    }

    /// Returns the number of a user; `nil` if the name is unknown.
    package static func id(of name: String) -> UInt32? {
        var buffer = [CChar](repeating: 0, count: 16384)
        var (entry, found) = (passwd(), UnsafeMutablePointer<passwd>?.none)
        return buffer.withUnsafeMutableBufferPointer { buffer in
            guard let start = buffer.baseAddress, getpwnam_r(name, &entry, start, buffer.count, &found) == 0
            else { return nil }
            return found?.pointee.pw_uid
        }
    }
}
