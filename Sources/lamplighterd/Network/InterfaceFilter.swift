import NIOCore
import YAMLKit

/// A filter that allows connections only over the configured interfaces.
///
/// Loopback connections are always allowed.
struct InterfaceFilter: Sendable {
    private let names: Set<String>?

    init(_ interfaces: ConfiguredInterfaces) {
        switch interfaces {
        case .automatic: names = nil
        case .named(let names): self.names = Set(names)
        }
    }

    /// Returns whether the local address of a connection belongs to a configured interface or to the loopback
    /// interface.
    @Sendable
    func allows(_ address: SocketAddress) -> Bool {
        guard let names else { return true }
        guard let devices = try? System.enumerateDevices() else { return false }
        let device = devices.first { $0.address?.isSameHost(as: address) == true }
        guard let device else { return address.isLoopback }
        return names.contains(device.name) || address.isLoopback
    }
}

extension SocketAddress {
    fileprivate var isLoopback: Bool {
        guard let text = plainIP else { return false }
        return text == "::1" || text.hasPrefix("127.")
    }

    /// The IP address without the port.
    ///
    /// An IPv4-mapped IPv6 address is converted to IPv4.
    private var plainIP: String? {
        guard let text = ipAddress else { return nil }
        let address = text.split(separator: "%")[0]
        return address.hasPrefix("::ffff:") ? String(address.dropFirst(7)) : String(address)
    }

    fileprivate func isSameHost(as other: SocketAddress) -> Bool { plainIP != nil && plainIP == other.plainIP }
}
