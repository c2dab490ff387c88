/// Reads the interfaces with default routes from the kernel's routing tables.
enum RoutingTable {
    private static let up: UInt32 = 0x1
    private static let reject: UInt32 = 0x200

    /// Returns the names of the interfaces with a default route in `/proc/net/route`.
    ///
    /// A default route is up, isn't a reject route, and has a destination and a mask of zero.
    static func defaultInterfaces(ipv4 table: String) -> Set<String> {
        interfaces(in: table) { fields in
            guard fields.count >= 8, let flags = UInt32(fields[3], radix: 16) else { return nil }
            guard isZero(fields[1]), isZero(fields[7]) else { return nil }
            return (String(fields[0]), flags)
        }
    }

    /// Returns the names of the interfaces with a default route in `/proc/net/ipv6_route`.
    ///
    /// It ignores the kernel's default reject route on `lo`.
    static func defaultInterfaces(ipv6 table: String) -> Set<String> {
        interfaces(in: table) { fields in
            guard fields.count >= 10, let flags = UInt32(fields[8], radix: 16) else { return nil }
            guard isZero(fields[0]), isZero(fields[1]) else { return nil }
            return (String(fields[9]), flags)
        }
    }

    private static func interfaces(
        in table: String, route: ([Substring]) -> (name: String, flags: UInt32)?
    ) -> Set<String> {
        var names: Set<String> = []
        for line in table.split(separator: "\n") {
            let fields = line.split { $0 == " " || $0 == "\t" }
            guard let found = route(fields), found.flags & up != 0, found.flags & reject == 0 else { continue }
            names.insert(found.name)
        }
        return names
    }

    private static func isZero(_ hexadecimal: Substring) -> Bool {
        hexadecimal.allSatisfy { $0 == "0" }
    }
}
