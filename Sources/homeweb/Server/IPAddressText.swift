import Glibc
import NIOCore

enum IPAddressText {
    /// Returns the 16 bytes of an address, or `nil` if the text isn't an address.
    ///
    /// An IPv4 address is returned as `::ffff:a.b.c.d`.
    static func bytes(of text: String) -> [UInt8]? {
        var v4 = in_addr()
        if inet_pton(AF_INET, text, &v4) == 1 {
            return [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF] + withUnsafeBytes(of: v4) { Array($0) }
        }
        var v6 = in6_addr()
        return inet_pton(AF_INET6, text, &v6) == 1 ? withUnsafeBytes(of: v6) { Array($0) } : nil
    }

    private static func isIPv4(_ bytes: [UInt8]) -> Bool {
        bytes.prefix(10).allSatisfy { $0 == 0 } && bytes[10] == 0xFF && bytes[11] == 0xFF
    }

    /// Returns whether a host is an IPv4 or IPv6 address instead of a name.
    static func isAddress(_ host: String) -> Bool { bytes(of: host) != nil }

    /// Returns the unit in which clients are counted: an IPv4 address or an IPv6 network (/64).
    ///
    /// A client may use all addresses of its IPv6 network.
    static func peer(_ address: String) -> String {
        guard let bytes = bytes(of: address) else { return address }
        return isIPv4(bytes)
            ? bytes.suffix(4).map(String.init).joined(separator: ".")
            : bytes.prefix(8).map { String($0, radix: 16) }.joined(separator: ":")
    }

    /// Returns whether a host is `localhost` or a loopback address.
    static func isLoopback(_ host: String) -> Bool {
        if host.lowercased() == "localhost" { return true }
        guard let bytes = bytes(of: host) else { return false }
        return isIPv4(bytes) ? bytes[12] == 127 : bytes == [UInt8](repeating: 0, count: 15) + [1]
    }

    /// An address at which other computers can reach this computer, or `nil` if there is no network.
    ///
    /// Networks inside this computer, such as those of containers, are ignored. A sandbox may deny access to the list
    /// of interfaces, which requires netlink. Then the routing table determines the address.
    static var ofThisComputer: String? {
        let inside = ["docker", "veth", "br-", "virbr", "lxc", "tun", "wg"]
        let devices = ((try? System.enumerateDevices()) ?? []).filter { device in
            !inside.contains { device.name.hasPrefix($0) } && device.address?.isLoopback == false
        }
        let addresses = devices.compactMap { $0.address?.ipAddress }
        return addresses.first { !$0.contains(":") } ?? addresses.first { !$0.hasPrefix("fe80") } ?? ofDefaultRoute
    }

    /// The source address of outgoing packets, or `nil` if there is no route.
    ///
    /// Connecting a UDP socket sends no packets. The targets are reserved for documentation (RFC 5737, RFC 3849).
    static var ofDefaultRoute: String? {
        for target in ["192.0.2.1", "2001:db8::1"] {
            guard let target = try? SocketAddress(ipAddress: target, port: 9) else { continue }
            let socket = socket(
                Int32(target.protocol.rawValue), Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
            guard socket >= 0 else { continue }
            defer { close(socket) }
            guard target.withSockAddr({ connect(socket, $0, socklen_t($1)) }) == 0 else { continue }
            var own = sockaddr_storage()
            var size = socklen_t(MemoryLayout.size(ofValue: own))
            var host = [CChar](repeating: 0, count: Int(NI_MAXHOST))
            let isKnown = withUnsafeMutablePointer(to: &own) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    getsockname(socket, $0, &size) == 0
                        && getnameinfo($0, size, &host, socklen_t(host.count), nil, 0, NI_NUMERICHOST) == 0
                }
            }
            let address = String(decoding: host.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
            if isKnown, !isLoopback(address), !address.hasPrefix("fe80") { return address }
        }
        return nil
    }
}
