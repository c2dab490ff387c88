import Glibc
import SystemKit

extension InterfaceFacts {
    /// Returns the interfaces of this network namespace, sorted by index.
    ///
    /// It queries only the kernel and never blocks.
    package static func current() -> [InterfaceFacts] {
        let routed = RoutingTable.defaultInterfaces(ipv4: ProcFile.text(of: "/proc/self/net/route"))
            .union(RoutingTable.defaultInterfaces(ipv6: ProcFile.text(of: "/proc/self/net/ipv6_route")))

        // This function copies the C library's list, and frees the list before it returns.
        var list: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&list) == 0 else { return [] }
        defer { freeifaddrs(list) }

        var found: [String: InterfaceFacts] = [:]
        var next = list
        while let entry = next {
            next = entry.pointee.ifa_next
            guard let label = entry.pointee.ifa_name else { continue }
            let name = String(cString: label)
            let index = if_nametoindex(label)
            guard found[name] == nil, index > 0 else { continue }
            let flags = UInt32(entry.pointee.ifa_flags)
            let working = UInt32(IFF_UP | IFF_RUNNING)
            found[name] = InterfaceFacts(
                name: name, index: Int32(index), isUp: flags & working == working,
                hasDefaultRoute: routed.contains(name),
                isLoopback: flags & UInt32(IFF_LOOPBACK) != 0)
        }
        return found.values.sorted { $0.index < $1.index }
    }
}
