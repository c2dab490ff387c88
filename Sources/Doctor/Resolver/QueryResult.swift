/// A route for a query.
package enum QueryRoute: Hashable, Sendable {
    /// Multicast on an interface, like controllers.
    case multicast(interface: String, isIPv6: Bool)
    /// Unicast to this host's own responder, which works without multicast.
    case unicast(address: String)
}

/// The result of a query over one route.
package struct QueryResult: Equatable, Sendable {
    package var route: QueryRoute
    var instances: [ServiceInstance] = []
    /// The addresses of all hosts that answered, including this host's own.
    var responders: Set<String> = []
    /// The system's reason why no query could be sent.
    package var failure: String?

    /// A Boolean value that indicates whether the query was multicast, like those of controllers.
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
