/// The interfaces to publish a service on.
package enum InterfaceSelection: Hashable, Sendable {
    /// The interfaces through which controllers can probably be reached; see ``resolve(_:)``.
    case automatic
    /// The interfaces with these names. An interface that doesn't exist yet is used when it appears.
    case named([String])
    /// All interfaces that Avahi knows, including those of containers and tunnels.
    case all

    /// Selects the interfaces to publish on from the existing interfaces.
    ///
    /// `automatic` prefers interfaces with a default route, then active ones that aren't virtual, then all active ones,
    /// and then the loopback interface. A tunnel's default route counts only if no physical interface has one, because
    /// controllers aren't connected through a VPN of this computer.
    package func resolve(_ facts: [InterfaceFacts]) -> [InterfaceFacts] {
        switch self {
        case .all:
            return [Self.everywhere]
        case .named(let names):
            return facts.filter { names.contains($0.name) }
        case .automatic:
            let up = facts.filter { $0.isUp && !$0.isLoopback }
            let routed = up.filter(\.hasDefaultRoute)
            let steps = [routed.filter { !$0.isVirtual }, routed, up.filter { !$0.isVirtual }, up]
            return steps.first { !$0.isEmpty } ?? facts.filter { $0.isUp && $0.isLoopback }
        }
    }

    /// An entry that represents all interfaces, with Avahi's index AVAHI_IF_UNSPEC.
    static let everywhere = InterfaceFacts(name: "all interfaces", index: -1)
}
