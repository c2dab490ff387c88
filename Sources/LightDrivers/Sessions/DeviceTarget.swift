package import Discovery

/// A device to connect to, identified by its host in the configuration or by its announcement on the network.
package enum DeviceTarget: Hashable, Sendable {
    case configured(DeviceHost)
    case discovered(DiscoveredService.ID)

    /// The name that users see.
    package var name: String {
        switch self {
        case .configured(let host): host.host
        case .discovered(let service): service.name
        }
    }

    var isConfigured: Bool {
        guard case .configured = self else { return false }
        return true
    }
}

/// A host in the configuration with an optional port, written as `10.0.0.5`, `lamp.local:8080` or `[fe80::1]:80`.
package struct DeviceHost: Hashable, Sendable {
    /// A name or an address, without brackets.
    package let host: String
    /// The port, or `nil` for the driver's default port.
    package let port: Int?

    package init(host: String, port: Int? = nil) {
        self.host = host
        self.port = port
    }

    /// Parses a host.
    ///
    /// Returns `nil` if it is invalid.
    package init?(_ text: String) {
        var host = text[...]
        var port: Substring?
        if host.first == "[", let end = host.lastIndex(of: "]") {
            let rest = host[host.index(after: end)...]
            guard rest.isEmpty || rest.first == ":" else { return nil }
            port = rest.isEmpty ? nil : rest.dropFirst()
            host = host[host.index(after: host.startIndex)..<end]
        } else if let colon = host.lastIndex(of: ":"), host.firstIndex(of: ":") == colon {
            port = host[host.index(after: colon)...]
            host = host[..<colon]
        }
        // Reject other parts of a URL, such as a scheme, a path or a user.
        guard (1...253).contains(host.utf8.count),
            host.utf8.allSatisfy({ (0x21...0x7E).contains($0) && !"/@[]?#".utf8.contains($0) })
        else { return nil }
        self.host = String(host)
        guard let port else {
            self.port = nil
            return
        }
        guard let number = Int(port), (1...65_535).contains(number), port.first != "+" else { return nil }
        self.port = number
    }
}
