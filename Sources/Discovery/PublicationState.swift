/// The state of a service that is being published.
package enum PublicationState: Equatable, Sendable {
    /// There is no service to publish.
    case notAdvertised
    /// The service can't be published until an external condition changes, such as the start of the Avahi daemon.
    case waiting(reason: String)
    /// The name is being probed on the network.
    case registering(name: String)
    case published(name: String)
    /// The service is intentionally unpublished until the reason no longer applies.
    case withheld(reason: String)
    /// Avahi rejected the service. The publisher retries with increasing delays.
    case failed(reason: String)

    /// The instance name in use, if any.
    package var name: String? {
        switch self {
        case .registering(let name), .published(let name): name
        case .notAdvertised, .waiting, .withheld, .failed: nil
        }
    }
}

extension PublicationState: CustomStringConvertible {
    package var description: String {
        switch self {
        case .notAdvertised: "not advertised"
        case .waiting(let reason): "waiting: \(reason)"
        case .registering(let name): "registering as \"\(name)\""
        case .published(let name): "published as \"\(name)\""
        case .withheld(let reason): "withheld: \(reason)"
        case .failed(let reason): "failed: \(reason)"
        }
    }
}
