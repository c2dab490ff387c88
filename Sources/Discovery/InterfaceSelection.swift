/// Which interfaces a service is to be seen on.
package enum InterfaceSelection: Hashable, Sendable {
    /// Where a home's controllers are likely to be: see ``resolve(_:)``.
    case automatic
    /// These; one that does not exist (yet) is used when it comes.
    case named([String])
    /// Every interface Avahi knows, also those of containers and tunnels.
    case all

    /// Chooses from what exists.
    ///
    /// `automatic` takes the interfaces with a default route; without any, those that are up and not virtual; without
    /// any, those that are up; and the loopback interface last. A tunnel's default route counts only when no real
    /// interface has one: a VPN beside the home's router is no place to look for a light.
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

    /// Stands for all interfaces: Avahi's own index for them, AVAHI_IF_UNSPEC.
    static let everywhere = InterfaceFacts(name: "all interfaces", index: -1)
}
