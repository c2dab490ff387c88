import Glibc

/// Who else listens for multicast DNS on this host.
package enum MulticastListeners {
    private static let largestTable = 1 << 20

    /// The users whose programs have UDP port 5353 open, as `/proc` tells; Avahi's is among them.
    package static func users() -> [String] {
        let numbers = ["/proc/net/udp", "/proc/net/udp6"].flatMap { uids(in: text(of: $0)) }
        return Set(numbers).sorted().map(name)
    }

    /// The numbers in a table of proc(5): field 1 is the local address, field 7 the user.
    static func uids(in table: String) -> [UInt32] {
        table.split(separator: "\n").dropFirst().compactMap { line in
            let fields = line.split(separator: " ")
            guard fields.count > 7, fields[1].hasSuffix(":14E9") else { return nil }
            return UInt32(fields[7])
        }
    }

    private static func name(of uid: UInt32) -> String {
        var entry = passwd()
        var found: UnsafeMutablePointer<passwd>?
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 16384) { buffer in
            guard let start = buffer.baseAddress, getpwuid_r(uid, &entry, start, buffer.count, &found) == 0,
                let name = found?.pointee.pw_name
            else { return "\(uid)" }
            return String(cString: name)
        }
    }

    private static func text(of path: String) -> String {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return "" }
        defer { close(file) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 16384)
        while bytes.count < largestTable {
            let count = read(file, &chunk, chunk.count)
            guard count > 0 else { break }
            bytes += chunk[..<count]
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
