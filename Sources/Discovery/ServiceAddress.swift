import Glibc

/// An address of a service and the interface through which it can be reached.
package struct ServiceAddress: Hashable, Sendable {
    /// The bytes in network order: 4 for IPv4, 16 for IPv6.
    package let bytes: [UInt8]
    /// The index of the interface, which is the scope of a link-local address.
    package let interface: Int32
    package let interfaceName: String

    /// Creates an address from its bytes, or returns `nil` if there aren't 4 or 16 of them.
    ///
    /// The interface's name is only used in the address's text form.
    package init?(bytes: [UInt8], interface: Int32, interfaceName: String) {
        guard bytes.count == 4 || bytes.count == 16 else { return nil }
        self.bytes = bytes
        self.interface = interface
        self.interfaceName = interfaceName
    }

    package var isIPv4: Bool { bytes.count == 4 }

    /// A Boolean value that indicates whether the address is valid only on its interface: fe80::/10 or 169.254.0.0/16.
    package var isLinkLocal: Bool {
        isIPv4 ? bytes[0] == 169 && bytes[1] == 254 : bytes[0] == 0xFE && bytes[1] & 0xC0 == 0x80
    }

    /// A Boolean value that indicates whether a peer can have this address.
    ///
    /// It is `false` for unspecified, multicast, reserved and broadcast addresses, and for loopback addresses on any
    /// interface other than the loopback interface.
    package var isReachable: Bool {
        if bytes.allSatisfy({ $0 == 0 }) { return false }
        if isIPv4 ? bytes[0] >= 224 : bytes[0] == 0xFF { return false }
        let isLoopback = isIPv4 ? bytes[0] == 127 : bytes.dropLast().allSatisfy { $0 == 0 } && bytes.last == 1
        return !isLoopback || interfaceName == "lo"
    }
}

extension Sequence<ServiceAddress> {
    /// The addresses in the order in which to try them (RFC 8305, 4).
    ///
    /// Routable addresses precede link-local ones. The families alternate, so that an unreachable family delays the
    /// other by only one address.
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

/// Sorts IPv4 first, then by bytes, then by interface.
extension ServiceAddress: Comparable {
    package static func < (a: ServiceAddress, b: ServiceAddress) -> Bool {
        if a.isIPv4 != b.isIPv4 { return a.isIPv4 }
        if a.bytes != b.bytes { return a.bytes.lexicographicallyPrecedes(b.bytes) }
        return a.interface < b.interface
    }
}

extension ServiceAddress: CustomStringConvertible {
    /// The text form, such as `10.0.0.5` or `fe80::1%eth0`.
    package var description: String {
        // `bytes` has the size of its family, and the buffer fits the longest text.
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        guard inet_ntop(isIPv4 ? AF_INET : AF_INET6, bytes, &text, socklen_t(text.count)) != nil else { return "?" }
        let address = String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        return isLinkLocal && !isIPv4 ? "\(address)%\(interfaceName)" : address
    }
}
