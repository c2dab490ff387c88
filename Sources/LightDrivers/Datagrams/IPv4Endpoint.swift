import Glibc

package struct IPv4Endpoint: Hashable, Sendable, CustomStringConvertible {
    /// The address as a number.
    ///
    /// The first octet of the dotted form is the most significant byte.
    package var address: UInt32
    package var port: UInt16

    package init(address: UInt32, port: UInt16) {
        self.address = address
        self.port = port
    }

    /// Parses an address with an optional port, such as `10.0.0.7:56700` or `10.0.0.7`.
    ///
    /// If the text contains no port, the endpoint gets the given port. Returns `nil` if the text is invalid.
    package init?(_ text: String, port: UInt16) {
        let halves = text.split(separator: ":", omittingEmptySubsequences: false)
        let numbers = halves[0].split(separator: ".", omittingEmptySubsequences: false).map {
            Self.number($0, UInt8.self)
        }
        guard numbers.count == 4, halves.count <= 2 else { return nil }
        address = 0
        for number in numbers {
            guard let number else { return nil }
            address = address << 8 | UInt32(number)
        }
        self.port = port
        if halves.count == 2 {
            guard let given = Self.number(halves[1], UInt16.self), given > 0 else { return nil }
            self.port = given
        }
    }

    private static func number<Number: FixedWidthInteger>(_ text: Substring, _: Number.Type) -> Number? {
        guard (1...5).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        return Number(text)
    }

    package var description: String { "\(addressText):\(port)" }

    package var addressText: String { [24, 16, 8, 0].map { "\(address >> $0 & 0xFF)" }.joined(separator: ".") }
}

/// An IPv4 network to which one of this computer's interfaces is connected.
package struct IPv4Network: Hashable, Sendable {
    /// This computer's address in the network.
    package var address: UInt32
    package var mask: UInt32

    /// The broadcast address.
    ///
    /// It is computed, because an interface that was configured with `ip addr` may have no broadcast address.
    package var broadcast: UInt32 { address | ~mask }

    package func contains(_ other: UInt32) -> Bool { other & mask == address & mask }

    /// Returns the networks of this network namespace that allow broadcasts.
    ///
    /// This queries only the kernel and never blocks.
    package static func current() -> [IPv4Network] {
        // The C library allocates this list. It is copied into values, and freed before this function returns.
        var list: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&list) == 0 else { return [] }
        defer { freeifaddrs(list) }
        var found: [IPv4Network] = []
        var next = list
        while let entry = next?.pointee {
            next = entry.ifa_next
            let needed = UInt32(IFF_UP | IFF_RUNNING | IFF_BROADCAST)
            guard UInt32(entry.ifa_flags) & needed == needed, let address = ipv4(entry.ifa_addr),
                let mask = ipv4(entry.ifa_netmask), ~mask > 1
            else { continue }
            let network = IPv4Network(address: address, mask: mask)
            if !found.contains(network) { found.append(network) }
        }
        return found
    }

    private static func ipv4(_ address: UnsafeMutablePointer<sockaddr>?) -> UInt32? {
        guard let address, address.pointee.sa_family == sa_family_t(AF_INET) else { return nil }
        return address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
            UInt32(bigEndian: $0.pointee.sin_addr.s_addr)
        }
    }
}
