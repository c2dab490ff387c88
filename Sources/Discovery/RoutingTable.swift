/// Reads which interfaces have a default route out of the kernel's two tables.
enum RoutingTable {
    private static let up: UInt32 = 0x1
    private static let reject: UInt32 = 0x200

    /// The names in `/proc/net/route`: destination and mask of zero, up, not a refusing route.
    static func defaultInterfaces(ipv4 table: String) -> Set<String> {
        interfaces(in: table) { fields in
            guard fields.count >= 8, let flags = UInt32(fields[3], radix: 16) else { return nil }
            guard isZero(fields[1]), isZero(fields[7]) else { return nil }
            return (String(fields[0]), flags)
        }
    }

    /// The names in `/proc/net/ipv6_route`; the kernel keeps a refusing default route on `lo`, which is not meant.
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
