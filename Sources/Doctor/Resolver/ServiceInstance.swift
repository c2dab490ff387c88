/// A HAP service, as seen on the network.
package struct ServiceInstance: Equatable, Sendable {
    package struct Place: Hashable, Sendable {
        package var host: DNSName
        package var port: UInt16
    }

    /// The instance name, which is human-readable.
    package var name: String
    /// The hosts and ports that are advertised under this name.
    ///
    /// If there is more than one, several hosts use the name.
    package var places: [Place] = []
    /// The keys in lower case (RFC 6763, 6.4) and their values, or `nil` if no TXT record was received.
    package var txt: [String: String]?
    /// The addresses of the hosts, each with 4 or 16 bytes.
    package var addresses: [[UInt8]] = []
}

extension ServiceInstance {
    /// Creates services from the received records.
    ///
    /// - Parameter records: The records in the order in which they were received. The first of two contradictory
    ///   records is used.
    /// - Returns: The services that a PTR record lists or that have an SRV record.
    package static func all(in records: [DNSRecord]) -> [ServiceInstance] {
        var names: [DNSName] = []
        for record in records {
            switch record.content {
            case .pointer(let name) where record.name == .hapServices && name.isHAPService: names.append(name)
            case .service where record.name.isHAPService: names.append(record.name)
            case .pointer, .service, .text, .address: break
            }
        }
        let contents = Dictionary(grouping: records, by: \.name).mapValues { $0.map(\.content) }
        return names.unique.map { ServiceInstance(name: $0, in: contents) }
    }

    private init(name: DNSName, in contents: [DNSName: [DNSRecord.Content]]) {
        let own = contents[name] ?? []
        let places = own.compactMap { content -> Place? in
            guard case .service(let host, let port) = content else { return nil }
            return Place(host: host, port: port)
        }
        let strings = own.lazy.compactMap { content -> [String]? in
            guard case .text(let strings) = content else { return nil }
            return strings
        }.first
        let addresses = places.map(\.host).unique.flatMap { contents[$0] ?? [] }.compactMap { content -> [UInt8]? in
            guard case .address(let bytes) = content else { return nil }
            return bytes
        }
        self.init(
            name: name.labels[0], places: places.unique, txt: strings.map(Self.dictionary), addresses: addresses.unique)
    }

    private static func dictionary(_ strings: [String]) -> [String: String] {
        let pairs = strings.map { string in
            let parts = string.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            return (parts[0].lowercased(), parts.count == 2 ? parts[1] : "")
        }
        return Dictionary(pairs) { first, _ in first }
    }
}

extension DNSName {
    fileprivate var isHAPService: Bool {
        labels.count == DNSName.hapServices.labels.count + 1 && DNSName(Array(labels.dropFirst())) == .hapServices
    }
}

extension Sequence where Element: Hashable {
    /// The distinct elements, in order.
    var unique: [Element] {
        var seen: Set<Element> = []
        return filter { seen.insert($0).inserted }
    }
}
