import BoundedJSON
package import DeviceKit
package import Discovery
package import Logging

/// The devices that a driver connects to.
///
/// Most of the drivers that connect to devices share these keys, `discover` and `hosts`.
package struct DeviceSelection: Equatable, Sendable {
    /// A Boolean value that indicates whether devices are discovered by mDNS.
    package var discover: Bool
    /// The devices with a configured address, for networks in which mDNS doesn't find them.
    package var hosts: [DeviceHost]

    package init(discover: Bool = true, hosts: [DeviceHost] = []) {
        self.discover = discover
        self.hosts = hosts
    }

    /// Decodes both keys.
    ///
    /// - Throws: `ConfigurationProblem` if a host is invalid or repeated, or if there are too many hosts or no
    ///   devices to connect to.
    init<Key>(
        from container: KeyedDecodingContainer<Key>, discover discoverKey: Key, hosts hostsKey: Key,
        traits: DeviceTraits
    ) throws {
        discover = try container.decodeIfPresent(Bool.self, forKey: discoverKey) ?? true
        hosts = []
        if container.contains(hostsKey) {
            var list = try container.nestedUnkeyedContainer(forKey: hostsKey)
            while !list.isAtEnd {
                guard let host = DeviceHost(try list.decode(String.self)) else {
                    throw ConfigurationProblem(
                        "not a valid host", remedy: "use an address such as 10.0.0.5 or \"10.0.0.5:\(traits.port)\"",
                        at: list.codingPath
                    )
                }
                guard !hosts.contains(host) else {
                    throw ConfigurationProblem(
                        "\(host.host) is listed twice", remedy: "remove one", at: list.codingPath)
                }
                guard hosts.count < traits.maximumDevices else {
                    throw ConfigurationProblem(
                        "too many hosts", remedy: "list at most \(traits.maximumDevices) hosts", at: list.codingPath)
                }
                hosts.append(host)
            }
        }
        guard discover || !hosts.isEmpty else {
            throw ConfigurationProblem(
                "no devices to connect to", remedy: "add discover: true or hosts: [10.0.0.5]", forKey: discoverKey,
                in: container)
        }
    }
}

/// The configuration of a driver that connects to its devices.
package protocol ConnectingDriver: LightDriverConfiguration {
    associatedtype Connection: DeviceConnection

    var selection: DeviceSelection { get }
    var options: Connection.Session.Options { get }
    var connection: Connection { get }
    /// The files with passwords or keys, which are watched for changes.
    var secretFiles: [String] { get }

    /// Creates a browser that finds the devices.
    static func makeBrowser(logger: Logger) throws(DiscoveryError) -> any ServiceBrowser
}

extension ConnectingDriver {
    package static var driverName: String { Connection.Session.traits.driverName }
    package var secretFiles: [String] { [] }

    package static func makeBrowser(logger: Logger) throws(DiscoveryError) -> any ServiceBrowser {
        try AvahiServiceBrowser(type: Connection.Session.traits.serviceType, logger: logger)
    }

    package func makeDriver(logger: Logger) -> any LightDriver {
        DeviceLightDriver(
            selection, options: options, connection: connection, secretFiles: secretFiles, logger: logger
        ) { () throws(DiscoveryError) in
            try Self.makeBrowser(logger: logger)
        }
    }
}

/// A driver with the `discover` and `hosts` keys, in which a host has the form `10.0.0.5` or `10.0.0.5:80`.
package protocol SelectingDriver: ConnectingDriver, CoveringDriver {}

extension SelectingDriver {
    package func coverage(of source: LightSource) -> LightSourceCoverage {
        guard source.driver == Self.driverName else { return .none }
        let isNamed = selection.hosts.contains {
            source.hosts.contains($0.host) && ($0.port ?? source.port) == source.port
        }
        // A driver that discovers devices finds this source itself.
        return selection.discover || isNamed ? .complete : .missing(["hosts": [.string(source.address)]])
    }
}
