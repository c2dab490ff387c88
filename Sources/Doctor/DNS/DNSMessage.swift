/// A DNS message (RFC 1035, 4.1), limited to the features that multicast DNS needs.
package struct DNSMessage: Equatable, Sendable {
    /// The type of a question or a record.
    package enum Kind: UInt16, Sendable {
        case a = 1
        case ptr = 12
        case txt = 16
        case aaaa = 28
        case srv = 33
    }

    /// A question of class IN.
    package struct Question: Hashable, Sendable {
        package var name: DNSName
        package var kind: Kind

        package init(_ name: DNSName, _ kind: Kind) {
            self.name = name
            self.kind = kind
        }
    }

    package var id: UInt16
    var isResponse: Bool
    /// The records of the types in ``Kind`` from the answer, authority and additional sections.
    ///
    /// Other records are ignored.
    package var records: [DNSRecord]

    /// Returns a query with one question, or `nil` if the name is invalid in DNS.
    ///
    /// The response repeats the ID.
    package static func query(_ question: Question, id: UInt16) -> [UInt8]? {
        var bytes: [UInt8] = []
        func append(_ number: UInt16) { bytes += [UInt8(number >> 8), UInt8(number & 0xFF)] }
        append(id)
        append(0)
        for count in [1, 0, 0, 0] as [UInt16] { append(count) }
        for label in question.name.labels {
            guard (1...63).contains(label.utf8.count) else { return nil }
            bytes.append(UInt8(label.utf8.count))
            bytes += Array(label.utf8)
        }
        bytes.append(0)
        // The header has 12 bytes, and a name has at most 255.
        guard bytes.count <= 12 + 255 else { return nil }
        append(question.kind.rawValue)
        // Class IN. A query from a port other than 5353 is answered by unicast (RFC 6762, 6.7).
        append(1)
        return bytes
    }
}

/// A DNS resource record.
package struct DNSRecord: Hashable, Sendable {
    package enum Content: Hashable, Sendable {
        case pointer(DNSName)
        case service(target: DNSName, port: UInt16)
        /// The unmodified strings. In DNS-SD, they have the form `key=value`.
        case text([String])
        /// The bytes of the address: 4 for IPv4, 16 for IPv6.
        case address([UInt8])
    }

    package var name: DNSName
    package var content: Content

    package init(_ name: DNSName, _ content: Content) {
        self.name = name
        self.content = content
    }
}
