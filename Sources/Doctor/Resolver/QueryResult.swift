/// The route over which a query is sent.
package enum QueryRoute: Hashable, Sendable {
    /// The query is multicast on an interface, like a controller's query.
    case multicast(interface: String, isIPv6: Bool)
    /// The query is sent directly to this host's responder, which works even if multicast is blocked.
    case unicast(address: String)
}

/// The result of a query over one route.
package struct QueryResult: Equatable, Sendable {
    package var route: QueryRoute
    var instances: [ServiceInstance] = []
    /// The addresses of all hosts that answered, which can include this host.
    var responders: Set<String> = []
    /// The reason why no query could be sent, if any.
    package var failure: String?

    /// A Boolean value that indicates whether the query was multicast, like a controller's query.
    package var isMulticast: Bool {
        if case .multicast = route { true } else { false }
    }
}

extension QueryRoute {
    /// Returns whether the query is multicast on this interface.
    func isMulticast(on name: String) -> Bool {
        if case .multicast(name, _) = self { true } else { false }
    }
}

extension QueryRoute: CustomStringConvertible {
    package var description: String {
        switch self {
        case .multicast(let interface, let isIPv6): "\(interface) (IPv\(isIPv6 ? 6 : 4))"
        case .unicast(let address): address
        }
    }
}

extension [QueryResult] {
    /// Returns the port and the distinct addresses of the accessory with a device ID, or `nil` if it isn't advertised.
    package func endpoints(ofDevice id: String) -> (port: Int, targets: [TCPProbe.Target])? {
        var port: Int?
        var targets: [TCPProbe.Target] = []
        for result in self {
            guard case .multicast(let interface, _) = result.route else { continue }
            for instance in result.instances where instance.txt?["id"]?.lowercased() == id.lowercased() {
                port = port ?? instance.places.first.map { Int($0.port) }
                targets += instance.addresses.map { TCPProbe.Target(address: $0, interface: interface) }
            }
        }
        return port.map { ($0, targets.unique) }
    }
}
