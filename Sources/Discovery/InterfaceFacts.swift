/// What is known of a network interface, as far as the choice where to publish depends on it.
package struct InterfaceFacts: Hashable, Sendable {
    package var name: String
    package var index: Int32
    var isUp: Bool
    var hasDefaultRoute: Bool
    package var isLoopback: Bool
    /// Made by software for containers, guests or tunnels; told by its name, since a container's own `eth0` is
    /// just as virtual and yet the way to the home.
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
