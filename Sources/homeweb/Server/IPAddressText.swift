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
