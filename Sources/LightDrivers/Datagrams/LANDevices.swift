/// Which devices of the local network a driver looks for: the keys that all drivers over UDP share.
package struct LANDevices: Equatable, Sendable {
    /// Whether to ask everybody on the networks of this computer.
    package var discover: Bool
    /// Whom to ask besides, where a broadcast does not reach.
    package var hosts: [IPv4Endpoint]

    static let maximumHosts = 256

    package init(discover: Bool = true, hosts: [IPv4Endpoint] = []) {
        self.discover = discover
        self.hosts = hosts
    }

    private enum CodingKeys: String, CodingKey, CaseIterable {
        case discover, hosts
    }

    /// Reads the keys.
    ///
    /// - Parameters:
    ///   - decoder: where they stand.
    ///   - port: the port of hosts that are written without one.
    /// - Throws: `DecodingError` that says what to write.
    package init(from decoder: any Decoder, port: UInt16) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        hosts = []
        if container.contains(.hosts) {
            var list = try container.nestedUnkeyedContainer(forKey: .hosts)
            while !list.isAtEnd {
                let text = try list.decode(String.self)
                guard let host = IPv4Endpoint(text, port: port) else {
                    throw DecodingError.dataCorruptedError(
                        in: list, debugDescription: "not an address; write 10.0.0.7 or \"10.0.0.7:\(port)\"")
                }
                guard hosts.count < Self.maximumHosts else {
                    throw DecodingError.dataCorruptedError(
                        in: list, debugDescription: "too many; write at most \(Self.maximumHosts) hosts")
                }
                if !hosts.contains(host) { hosts.append(host) }
            }
        }
        discover = try container.decodeIfPresent(Bool.self, forKey: .discover) ?? true
        if !discover, hosts.isEmpty {
            throw DecodingError.dataCorruptedError(
                forKey: .discover, in: container,
                debugDescription: "nothing to look for; write discover: true or hosts: [10.0.0.7]")
        }
    }
}
