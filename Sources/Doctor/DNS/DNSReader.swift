/// An error in a DNS message.
package enum DNSViolation: Error, Equatable, Sendable {
    /// The message ends too early.
    case truncated
    /// The message exceeds the maximum size in multicast DNS.
    case tooLong
    /// A name is longer than 255 bytes, or its compression pointer is invalid.
    case badName
    /// The content of a record doesn't have the declared length.
    case badRecord
}

extension DNSMessage {
    /// The size of the largest message, in bytes (RFC 6762, 17).
    package static let maximumLength = 9000

    /// Parses a datagram.
    ///
    /// - Throws: ``DNSViolation`` if the datagram isn't a valid message.
    package init(_ bytes: [UInt8]) throws(DNSViolation) {
        guard bytes.count <= Self.maximumLength else { throw .tooLong }
        var reader = DNSReader(bytes: bytes)
        id = try reader.number()
        // The bit for truncated responses is ignored. Each question is sent separately, so its response usually isn't
        // truncated.
        isResponse = try reader.number() & 0x8000 != 0
        let questions = try reader.number()
        var count = 0
        for _ in 0..<3 { count += Int(try reader.number()) }
        // Each question takes at least five bytes, and each record at least eleven. So the length of the message limits
        // both loops, regardless of the counts.
        for _ in 0..<questions {
            _ = try reader.name()
            _ = try reader.bytes(4)
        }
        records = []
        for _ in 0..<count {
            if let record = try reader.record() { records.append(record) }
        }
    }
}

private struct DNSReader {
    let bytes: [UInt8]
    var offset = 0

    mutating func byte() throws(DNSViolation) -> UInt8 {
        guard offset < bytes.count else { throw .truncated }
        defer { offset += 1 }
        return bytes[offset]
    }

    mutating func number() throws(DNSViolation) -> UInt16 {
        let high = try byte()
        return UInt16(high) << 8 | UInt16(try byte())
    }

    mutating func bytes(_ count: Int) throws(DNSViolation) -> ArraySlice<UInt8> {
        guard count <= bytes.count - offset else { throw .truncated }
        defer { offset += count }
        return bytes[offset..<offset + count]
    }

    /// Parses a name, which may end with a compression pointer (RFC 1035, 4.1.4).
    mutating func name() throws(DNSViolation) -> DNSName {
        var labels: [String] = []
        var length = 1
        // Pointers must point backward, so each one has a lower target than the previous one. This excludes loops.
        var earliest = offset
        var next: Int?
        while true {
            let head = try byte()
            switch head {
            case 0:
                offset = next ?? offset
                return DNSName(labels)
            case 1...63:
                length += 1 + Int(head)
                guard length <= 255 else { throw .badName }
                labels.append(String(decoding: try bytes(Int(head)), as: UTF8.self))
            case 0xC0...:
                let target = Int(head & 0x3F) << 8 | Int(try byte())
                guard target < earliest else { throw .badName }
                next = next ?? offset
                earliest = target
                offset = target
            default: throw .badName
            }
        }
    }

    /// Parses the next record.
    ///
    /// - Returns: The record, or `nil` if its type isn't supported.
    mutating func record() throws(DNSViolation) -> DNSRecord? {
        let name = try name()
        let kind = DNSMessage.Kind(rawValue: try number())
        // The highest bit of the class is the cache-flush bit (RFC 6762, 10.2).
        let isInternet = try number() & 0x7FFF == 1
        // Skip the time to live.
        _ = try bytes(4)
        let length = Int(try number())
        guard length <= bytes.count - offset else { throw .truncated }
        let end = offset + length
        guard let kind, isInternet else {
            offset = end
            return nil
        }
        let content = try content(kind, until: end)
        guard offset == end else { throw .badRecord }
        return DNSRecord(name, content)
    }

    private mutating func content(_ kind: DNSMessage.Kind, until end: Int) throws(DNSViolation) -> DNSRecord.Content {
        switch kind {
        case .a, .aaaa:
            guard end - offset == (kind == .a ? 4 : 16) else { throw .badRecord }
            return .address(Array(try bytes(end - offset)))
        case .ptr: return .pointer(try name())
        case .srv:
            // Skip the priority and the weight, which are irrelevant for a single host.
            _ = try bytes(4)
            let port = try number()
            return .service(target: try name(), port: port)
        case .txt:
            var strings: [String] = []
            while offset < end {
                let string = try bytes(Int(try byte()))
                guard offset <= end else { throw .badRecord }
                strings.append(String(decoding: string, as: UTF8.self))
            }
            return .text(strings.filter { !$0.isEmpty })
        }
    }
}
