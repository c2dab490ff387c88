/// The properties of a network interface that affect where to publish.
package struct InterfaceFacts: Hashable, Sendable {
    package var name: String
    package var index: Int32
    var isUp: Bool
    var hasDefaultRoute: Bool
    package var isLoopback: Bool
    /// Whether software created the interface for containers, guests or tunnels.
    ///
    /// It is derived from the name, because a container's own `eth0` is also virtual and yet leads to the home.
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
