import Glibc
import NIOCore

/// Addresses as text.
enum IPAddressText {
    /// Whether a host is an IPv4 or IPv6 address rather than a name.
    static func isAddress(_ host: String) -> Bool {
        var v4 = in_addr()
        var v6 = in6_addr()
        return inet_pton(AF_INET, host, &v4) == 1 || inet_pton(AF_INET6, host, &v6) == 1
    }

    /// What counts as one peer: an IPv4 address, also one that comes through an IPv6 socket, or a network of IPv6 (/64), because
    /// whoever has one has all its addresses.
    static func peer(_ address: String) -> String {
        var v6 = in6_addr()
        guard inet_pton(AF_INET6, address, &v6) == 1 else { return address }
        return withUnsafeMutableBytes(of: &v6) { bytes in
            if bytes.prefix(10).allSatisfy({ $0 == 0 }), bytes[10] == 0xFF, bytes[11] == 0xFF {
                return bytes.suffix(4).map(String.init).joined(separator: ".")
            }
            return bytes.prefix(8).map { String($0, radix: 16) }.joined(separator: ":")
        }
    }

    /// An address of this computer that others on its network reach; `nil` if it has none.
    ///
    /// Networks that stand in this computer alone, such as those of containers, do not count.
    static var ofThisComputer: String? {
        let own = ["docker", "veth", "br-", "virbr", "lxc", "tun", "wg"]
        let devices = ((try? System.enumerateDevices()) ?? []).filter { device in
            !own.contains { device.name.hasPrefix($0) } && device.address?.isLoopback == false
        }
        let addresses = devices.compactMap { $0.address?.ipAddress }
        return addresses.first { !$0.contains(":") } ?? addresses.first { !$0.hasPrefix("fe80") }
    }

    /// Whether an address, or the name `localhost`, is of this very computer.
    static func isLoopback(_ host: String) -> Bool {
        host == "localhost" || host == "::1" || (isAddress(host) && host.hasPrefix("127."))
    }
}
