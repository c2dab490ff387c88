internal import DeviceKit

/// The devices that a driver searches for.
///
/// All drivers that use UDP have these configuration keys.
package struct LANDevices: Equatable, Sendable {
    /// A Boolean value that indicates whether to search the networks of this computer.
    package var discover: Bool
    /// Additional hosts to which searches are sent, for devices that broadcasts don't reach.
    package var hosts: [IPv4Endpoint]

    static let maximumHosts = 256

    package init(discover: Bool = true, hosts: [IPv4Endpoint] = []) {
        self.discover = discover
        self.hosts = hosts
    }

    private enum CodingKeys: String, CodingKey, CaseIterable {
        case discover, hosts
    }

    /// Decodes the keys.
    ///
    /// Hosts without a port get the given port.
    ///
    /// - Throws: `ConfigurationProblem` if a host is invalid, or if there are no devices to search for.
    package init(from decoder: any Decoder, port: UInt16) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        hosts = []
        if container.contains(.hosts) {
            var list = try container.nestedUnkeyedContainer(forKey: .hosts)
            while !list.isAtEnd {
                let text = try list.decode(String.self)
                guard let host = IPv4Endpoint(text, port: port) else {
                    throw ConfigurationProblem(
                        "not a valid address", remedy: "use an address such as 10.0.0.7 or \"10.0.0.7:\(port)\"",
                        at: list.codingPath)
                }
                guard hosts.count < Self.maximumHosts else {
                    throw ConfigurationProblem(
                        "too many hosts", remedy: "list at most \(Self.maximumHosts) hosts", at: list.codingPath)
                }
                if !hosts.contains(host) { hosts.append(host) }
            }
        }
        discover = try container.decodeIfPresent(Bool.self, forKey: .discover) ?? true
        if !discover, hosts.isEmpty {
            throw ConfigurationProblem(
                "no devices to search for", remedy: "add discover: true or hosts: [10.0.0.7]", forKey: .discover,
                in: container)
        }
    }
}
