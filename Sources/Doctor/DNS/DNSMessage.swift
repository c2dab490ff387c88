/// A message of DNS (RFC 1035, 4.1), as far as multicast DNS needs it.
package struct DNSMessage: Equatable, Sendable {
    /// What is asked for, or what a record is.
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
    /// Answers, authorities and additional records of the kinds in ``Kind``; others are left out.
    package var records: [DNSRecord]

    /// Returns a query with one question, whose id comes back with the answer; `nil` if the name doesn't fit into DNS.
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
        // 12 bytes of header before a name of at most 255.
        guard bytes.count <= 12 + 255 else { return nil }
        append(question.kind.rawValue)
        // Class IN. From a port other than 5353 the answer comes by unicast in any case (RFC 6762, 6.7).
        append(1)
        return bytes
    }
}

/// What DNS says of a name.
package struct DNSRecord: Hashable, Sendable {
    package enum Content: Hashable, Sendable {
        case pointer(DNSName)
        case service(target: DNSName, port: UInt16)
        /// The strings as they came; DNS-SD writes `key=value`.
        case text([String])
        /// Four bytes or sixteen.
        case address([UInt8])
    }

    package var name: DNSName
    package var content: Content

    package init(_ name: DNSName, _ content: Content) {
        self.name = name
        self.content = content
    }
}
