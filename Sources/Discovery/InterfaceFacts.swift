/// The properties of a network interface that determine whether services are published on it.
package struct InterfaceFacts: Hashable, Sendable {
    package var name: String
    package var index: Int32
    var isUp: Bool
    var hasDefaultRoute: Bool
    package var isLoopback: Bool
    /// A Boolean value that indicates whether the interface belongs to software for containers, virtual machines or
    /// tunnels.
    ///
    /// It is derived from the name. The kernel's classification isn't useful: a container's own `eth0` also counts as
    /// virtual, although it leads to the home network.
    var isVirtual: Bool

    package init(
        name: String, index: Int32, isUp: Bool = true, hasDefaultRoute: Bool = false, isLoopback: Bool = false
    ) {
        self.name = name
        self.index = index
        self.isUp = isUp
        self.hasDefaultRoute = hasDefaultRoute
        self.isLoopback = isLoopback
        self.isVirtual = Self.virtualPrefixes.contains { name.hasPrefix($0) }
    }

    private static let virtualPrefixes = [
        "docker", "veth", "br-", "tun", "tap", "wg", "virbr", "vnet", "lxc", "lxd", "podman", "cni", "flannel", "cali",
        "tailscale", "zt",
    ]
}
