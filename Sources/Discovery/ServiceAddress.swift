import Glibc

/// An address of a service and the interface it is reached over.
package struct ServiceAddress: Hashable, Sendable {
    /// In network order: 4 bytes of IPv4 or 16 of IPv6.
    package let bytes: [UInt8]
    /// The index of the interface, which a link-local address needs as its scope.
    package let interface: Int32
    package let interfaceName: String

    /// Creates an address from its 4 or 16 bytes, or `nil` from any other number; the interface's name is for people.
    package init?(bytes: [UInt8], interface: Int32, interfaceName: String) {
        guard bytes.count == 4 || bytes.count == 16 else { return nil }
        self.bytes = bytes
        self.interface = interface
        self.interfaceName = interfaceName
    }

    package var isIPv4: Bool { bytes.count == 4 }

    /// Whether it means something on its interface only: fe80::/10 or 169.254.0.0/16.
    package var isLinkLocal: Bool {
        isIPv4 ? bytes[0] == 169 && bytes[1] == 254 : bytes[0] == 0xFE && bytes[1] & 0xC0 == 0x80
    }

    /// A Boolean value that indicates whether a peer can have it: it is neither unspecified, multicast nor broadcast, and
    /// loopback on the loopback interface only.
    package var isReachable: Bool {
        if bytes.allSatisfy({ $0 == 0 }) { return false }
        if isIPv4 ? bytes[0] >= 224 : bytes[0] == 0xFF { return false }
        let isLoopback = isIPv4 ? bytes[0] == 127 : bytes.dropLast().allSatisfy { $0 == 0 } && bytes.last == 1
        return !isLoopback || interfaceName == "lo"
    }
}

extension Sequence<ServiceAddress> {
    /// The addresses in the order in which to try them (RFC 8305, 4): routable ones before those of the link, and both
    /// families alternately, so that a family that leads nowhere delays the other by one address only.
    package var inConnectionOrder: [ServiceAddress] {
        let sorted = sorted { a, b in a.isLinkLocal == b.isLinkLocal ? a < b : b.isLinkLocal }
        var (first, second) = (sorted.filter(\.isIPv4)[...], sorted.filter { !$0.isIPv4 }[...])
        var ordered: [ServiceAddress] = []
        while let next = first.popFirst() ?? second.popFirst() {
            ordered.append(next)
            swap(&first, &second)
        }
        return ordered
    }
}

/// IPv4 first, then by number, then by interface.
extension ServiceAddress: Comparable {
    package static func < (a: ServiceAddress, b: ServiceAddress) -> Bool {
        if a.isIPv4 != b.isIPv4 { return a.isIPv4 }
        if a.bytes != b.bytes { return a.bytes.lexicographicallyPrecedes(b.bytes) }
        return a.interface < b.interface
    }
}

extension ServiceAddress: CustomStringConvertible {
    /// As it is written, `10.0.0.5` or `fe80::1%eth0`.
    package var description: String {
        // Exactly as many bytes go in as the family has, and the room is what the longest text needs.
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        guard inet_ntop(isIPv4 ? AF_INET : AF_INET6, bytes, &text, socklen_t(text.count)) != nil else { return "?" }
        let address = String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        return isLinkLocal && !isIPv4 ? "\(address)%\(interfaceName)" : address
    }
}
