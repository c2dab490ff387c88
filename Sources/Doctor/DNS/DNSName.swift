/// A domain name: its labels, from the most specific to the most general.
///
/// ASCII letters are case-insensitive.
package struct DNSName: Sendable {
    /// The labels, without the empty root label.
    package let labels: [String]
    /// The labels in lower case, for comparisons.
    private let folded: [String]

    package init(_ labels: [String]) {
        self.labels = labels
        folded = labels.map { label in
            String(decoding: label.utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
        }
    }

    /// The HAP services on the local network.
    static let hapServices = DNSName(["_hap", "_tcp", "local"])

    /// The name under which DNS-SD lists all service types (RFC 6763, 9).
    static let allServiceTypes = DNSName(["_services", "_dns-sd", "_udp", "local"])

    /// Returns the name for a reverse lookup of an address (RFC 1035, 3.5; RFC 3596, 2.5).
    static func reverse(of address: [UInt8]) -> DNSName {
        guard address.count == 16 else { return DNSName(address.reversed().map { "\($0)" } + ["in-addr", "arpa"]) }
        let digits = address.reversed().flatMap { [$0 & 0xF, $0 >> 4] }
        return DNSName(digits.map { String($0, radix: 16) } + ["ip6", "arpa"])
    }

    /// Returns the name of a HAP service.
    static func hapService(_ instance: String) -> DNSName { DNSName([instance] + hapServices.labels) }
}

extension DNSName: Hashable {
    package static func == (a: DNSName, b: DNSName) -> Bool { a.folded == b.folded }

    package func hash(into hasher: inout Hasher) { hasher.combine(folded) }
}

extension DNSName: CustomStringConvertible {
    package var description: String { labels.joined(separator: ".") }
}
