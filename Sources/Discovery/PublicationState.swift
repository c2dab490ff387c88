/// How far the publication of a service has come.
package enum PublicationState: Equatable, Sendable {
    /// Nothing is to be published.
    case notAdvertised
    /// Something outside has to come first, and is waited for without end.
    case waiting(reason: String)
    /// The name is being probed on the network.
    case registering(name: String)
    case published(name: String)
    /// Kept off the network on purpose, until what stands against it is gone.
    case withheld(reason: String)
    /// Avahi refused; tried again, more and more slowly.
    case failed(reason: String)

    /// The instance name in use, once there is one.
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
