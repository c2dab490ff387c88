/// A way to ask the network.
package enum QueryRoute: Hashable, Sendable {
    /// To all on an interface, as controllers ask.
    case multicast(interface: String, isIPv6: Bool)
    /// To this host's own responder, past everything that multicast depends on.
    case unicast(address: String)
}

/// What one way of asking brought.
package struct QueryResult: Equatable, Sendable {
    package var route: QueryRoute
    var instances: [ServiceInstance] = []
    /// The addresses of those who answered anything at all, this host's own among them.
    var responders: Set<String> = []
    /// Why nothing could be asked, in the system's words.
    package var failure: String?

    /// Whether it was asked as controllers ask.
    package var isMulticast: Bool {
        if case .multicast = route { true } else { false }
    }
}

extension QueryRoute {
    /// Whether all on this interface are asked.
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
