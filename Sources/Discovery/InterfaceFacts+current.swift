import Glibc
import SystemKit

extension InterfaceFacts {
    /// The interfaces of this network namespace, sorted by index; asks the kernel only and never waits.
    package static func current() -> [InterfaceFacts] {
        let routed = RoutingTable.defaultInterfaces(ipv4: ProcFile.text(of: "/proc/self/net/route"))
            .union(RoutingTable.defaultInterfaces(ipv6: ProcFile.text(of: "/proc/self/net/ipv6_route")))

        // The list is the C library's: walked here once, copied into values, and given back before this returns.
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
