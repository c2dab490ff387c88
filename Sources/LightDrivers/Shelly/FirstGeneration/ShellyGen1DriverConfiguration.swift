import BoundedJSON
package import Discovery
package import Logging

/// The configuration keys of the `shelly-gen1` driver: the same as for `shelly`, except for `garage-doors`.
package struct ShellyGen1DriverConfiguration: SelectingDriver {
    package var selection: DeviceSelection
    package var options: ShellyOptions

    package enum CodingKeys: String, CodingKey, CaseIterable {
        case discover, hosts, switches
        case passwordFile = "password-file"
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        selection = try DeviceSelection(
            from: container, discover: .discover, hosts: .hosts, traits: ShellyGen1Session.traits)
        options = ShellyOptions(
            switches: try container.decodeIfPresent(Bool.self, forKey: .switches) ?? false,
            passwordFile: try container.decodePath(forKey: .passwordFile, example: "/etc/lamplighter/shelly.password"))
    }

    package var secretFiles: [String] { [options.passwordFile].compactMap(\.self) }
    package var connection: ShellyGen1Connection { ShellyGen1Connection(password: options.secret) }

    /// Creates a browser that ignores the web servers of other devices.
    package static func makeBrowser(logger: Logger) throws(DiscoveryError) -> any ServiceBrowser {
        try AvahiServiceBrowser(
            type: ShellyGen1Session.traits.serviceType, logger: logger,
            isWanted: { ShellyGen1Session.isDevice(named: $0) })
    }
}

extension ShellyGen1DriverConfiguration: DiscoverableDriver {
    package static func discover(_ search: LightSearch) async throws(LightSearchFailure) -> [LightSource] {
        // Later generations announce both services, with the same name.
        async let later = try? search.services(ShellySession.traits.serviceType)
        let services = try await search.services(ShellyGen1Session.traits.serviceType)
        let others = Set((await later ?? []).map { $0.name.lowercased() })
        return services.filter {
            ShellyGen1Session.isDevice(named: $0.name) && !others.contains($0.name.lowercased())
        }.map { service in
            LightSource(
                driver: driverName, name: service.name, hosts: service.hosts, port: Int(service.port),
                detail: "Shelly, first generation", entry: ["driver": .string(driverName)])
        }
    }
}
