import FoundationEssentials
import SystemKit

/// The programs on this host that listen for multicast DNS.
package enum MulticastListeners {
    /// Returns the names of the users whose programs have UDP port 5353 open, according to `/proc`.
    ///
    /// Avahi's user is one of them.
    package static func users() -> [String] {
        let numbers = ["/proc/self/net/udp", "/proc/self/net/udp6"].flatMap { uids(in: ProcFile.text(of: $0)) }
        return Set(numbers).sorted().map(SystemUser.name(of:))
    }

    /// Returns the user IDs of the sockets with local port 5353 (hexadecimal 14E9) from a table in `/proc`.
    ///
    /// Field 1 is the local address, and field 7 is the user ID (proc(5)).
    static func uids(in table: String) -> [UInt32] {
        table.split(separator: "\n").dropFirst().compactMap { line in
            let fields = line.split(separator: " ")
            guard fields.count > 7, fields[1].hasSuffix(":14E9") else { return nil }
            return UInt32(fields[7])
        }
    }
}
