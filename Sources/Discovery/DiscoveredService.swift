/// A service that was found: one instance on one host, with every address it was found at.
package struct DiscoveredService: Equatable, Sendable, Identifiable {
    /// Tells services apart: on two networks, or while a collision is being resolved, two hosts may bear one instance
    /// name.
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
    /// What was received last; a restart of the service may change it.
    package var port: UInt16
    /// What was received last.
    package var txt: TXTRecord
    /// All addresses of its host, in the order in which to try them; of each interface eight of each family at most.
    package var addresses: [ServiceAddress]
    /// Whether this very host publishes it, told by the host's name: Avahi's own flag is not taken back when a local
    /// service gives its name up to another host.
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

/// Everything that is found of one type at one moment.
package struct ServiceSnapshot: Equatable, Sendable {
    /// Ordered by ``DiscoveredService/id``.
    package var services: [DiscoveredService] = []
    /// Whether the first look is over: everybody had a second to answer, and who did was resolved.
    ///
    /// While Avahi is away, and until the first look after, this is false, and what was known before stays.
    package var isComplete = false
    /// This host's own name in SRV records, in lower case, once Avahi has told it.
    package var hostName: String?
    /// Why nothing new can be found now, for people; nil when nothing is in the way.
    package var discoveryError: String?

    package init(services: [DiscoveredService] = [], isComplete: Bool = false, hostName: String? = nil) {
        self.services = services
        self.isComplete = isComplete
        self.hostName = hostName
    }
}
