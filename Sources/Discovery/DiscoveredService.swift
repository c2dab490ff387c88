/// A service that was found: an instance on a host, with all addresses of the host.
package struct DiscoveredService: Equatable, Sendable, Identifiable {
    /// The identity of a service.
    ///
    /// Two hosts may use the same instance name if they are on different networks, or while a collision is being
    /// resolved.
    package struct ID: Hashable, Comparable, Sendable {
        /// The instance name, without escapes.
        package let name: String
        /// The host name of the SRV record, in lower case.
        package let host: String

        package init(name: String, host: String) {
            self.name = name
            self.host = host.lowercased()
        }

        package static func < (a: ID, b: ID) -> Bool { (a.name, a.host) < (b.name, b.host) }
    }

    package let id: ID
    /// The latest port.
    ///
    /// It may change when the service restarts.
    package var port: UInt16
    /// The latest TXT record.
    package var txt: TXTRecord
    /// All addresses of the host, in the order in which to try them.
    ///
    /// There are at most nine of each family per interface: eight from address records, and one from a resolver.
    package var addresses: [ServiceAddress]
    /// A Boolean value that indicates whether this host publishes the service.
    ///
    /// It is derived from the host name, because Avahi doesn't clear its own flag when a local service gives up its
    /// name to another host.
    package var isLocal: Bool

    package init(id: ID, port: UInt16, txt: TXTRecord, addresses: [ServiceAddress], isLocal: Bool = false) {
        self.id = id
        self.port = port
        self.txt = txt
        self.addresses = addresses
        self.isLocal = isLocal
    }

    package var name: String { id.name }
    package var host: String { id.host }
}

/// All services of one type at one time.
package struct ServiceSnapshot: Equatable, Sendable {
    /// The services, ordered by ``DiscoveredService/id``.
    package var services: [DiscoveredService] = []
    /// A Boolean value that indicates whether the first query is complete, which means that every host had a second to
    /// answer and that all answers are resolved.
    ///
    /// While Avahi is unavailable, and then until the next query is complete, this is `false` and earlier services are
    /// kept.
    package var isComplete = false
    /// This host's name in SRV records, in lower case, once Avahi has reported it.
    package var hostName: String?
    /// A human-readable reason why no new services can be found, or `nil` if browsing works.
    package var discoveryError: String?

    package init(services: [DiscoveredService] = [], isComplete: Bool = false, hostName: String? = nil) {
        self.services = services
        self.isComplete = isComplete
        self.hostName = hostName
    }
}
